"""Draws docs/images/report.png, the first screen of a report in a browser.

    pip install playwright pillow
    python docs/report_picture.py PAGE.html [--browser PATH]

PAGE.html is the report that docs/guide/report.md makes of datasets/pipe-rack.
"""

import argparse
import io
import pathlib

from PIL import Image
from playwright.sync_api import sync_playwright

SOFTWARE_GL = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--browser")
    given = parser.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=given.browser, args=SOFTWARE_GL)
        page = browser.new_page(viewport={"width": 1180, "height": 1160})
        page.goto(given.page.resolve().as_uri())
        page.locator("article.issue h3").first.click()
        page.wait_for_timeout(2000)
        page.evaluate("scrollTo(0, 0)")
        shot = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        browser.close()
    shot.quantize(128, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save("docs/images/report.png", optimize=True)


main()
