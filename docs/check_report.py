"""Tries an HTML report of clearsweep in a browser: every control, three widths, paper, no scripts, no WebGL.

    pip install playwright
    python docs/check_report.py REPORT.html OUT [--browser PATH] [--axe axe.min.js]

REPORT.html is opened from disk with the network off. OUT receives screenshots at 360, 800 and 1400 pixels, a dark one, one
without scripts, one without WebGL, and the PDF. --browser is the program to start, such as /usr/bin/chromium; without it
playwright's own Chromium (`playwright install chromium`). With --axe, all rules of axe-core (`npm pack axe-core`, then
package/axe.min.js) hold for the page closed and open, light and dark, at 360 and 1400 pixels.

Exit code 1, with a list, if a control does nothing or has no name, a text has too little contrast, the page is wider than the window, a message of an error comes up in the
console, or the page asks for anything but itself. Reports without issues, without motion or without views pass too: what
they lack is told.
"""

import argparse
import pathlib
import sys

from playwright.sync_api import TimeoutError, sync_playwright

WIDTHS = [360, 800, 1400]
TALLEST = 16_000  # pixels: Chromium draws no taller picture in one piece
# Actions and loads wait so long, milliseconds: a page of 1,000 issues on a busy machine takes many times as long as alone.
PATIENCE = 180_000
SOFTWARE_GL = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
NO_GL = ["--disable-gpu", "--disable-3d-apis"]


class Check:
    """A page, and what went wrong on it."""

    def __init__(self, address, out):
        self.address, self.out = address, out
        self.problems, self.notes, self.done = [], [], 0

    def expect(self, holds, problem):
        self.done += 1
        if not holds:
            self.problems.append(problem)

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)

    def open(self, browser, fragment="", **options):
        """A new page of the report, at the top or at a fragment."""
        context = browser.new_context(offline=True, **options)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda message: self.on_console(message))
        page.on("pageerror", lambda error: self.problems.append(f"uncaught error: {error}"))
        page.on("dialog", lambda dialog: (self.problems.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: self.on_request(request.url))
        page.goto(self.address + fragment, wait_until="load")
        return page

    def on_console(self, message):
        if message.type == "error":
            self.problems.append(f"console: {message.text}")

    def on_request(self, url):
        if not url.startswith(("data:", "blob:")) and url.split("#")[0] != self.address:
            self.problems.append(f"request: {url}")


def pixels(page, target=".issue.live .screen"):
    """The pixels of the 3D view as they are on the screen."""
    page.wait_for_timeout(250)
    return page.locator(target).first.screenshot()


def is_live(page):
    """Whether the 3D view of the open issue stands in place of its picture."""
    if not page.locator("article.issue.open:is([data-view], :has(.pairs tr[data-view]))").count():
        return False
    try:
        page.wait_for_selector(".issue.live .screen", timeout=60_000)
        return True
    except TimeoutError:  # no WebGL
        return False


def widths(check, browser):
    for width in WIDTHS:
        page = check.open(browser, viewport={"width": width, "height": 900})
        wide = "document.documentElement.scrollWidth"
        check.expect(page.evaluate(wide) <= width, f"{width} px: the closed page is {page.evaluate(wide)} px wide")
        page.screenshot(path=check.out / f"top-{width}.png")
        if page.locator("article.issue").count():
            page.locator("article.issue h3 a").first.click()
            is_live(page)
            page.wait_for_timeout(300)
            check.expect(page.evaluate(wide) <= width, f"{width} px: the open page is {page.evaluate(wide)} px wide")
            page.locator("article.issue").first.scroll_into_view_if_needed()
            page.screenshot(path=check.out / f"open-{width}.png")
        height = min(page.evaluate("document.documentElement.scrollHeight"), TALLEST)
        part = {"x": 0, "y": 0, "width": width, "height": height}
        page.screenshot(path=check.out / f"page-{width}.png", full_page=True, clip=part)
        page.context.close()


def filters(check, browser):
    page = check.open(browser, viewport={"width": 1200, "height": 900})
    if not page.locator(".controls").count():
        check.expect(page.locator(".nothing").count() == 1, "no issue, and no reason for it")
        check.note("no issue: filters and views are not tried")
        page.context.close()
        return
    shown = lambda: page.locator(".issue:not([hidden])").count()  # noqa: E731
    total = page.locator(".issue").count()
    check.expect(shown() == total, "filters hide issues at the start")
    page.fill("[name=search]", "no-such-name-anywhere")
    check.expect(shown() == 0 and page.locator(".none-left").is_visible(), "the search finds what is not there")
    page.click(".controls [type=reset]")
    page.wait_for_timeout(50)
    check.expect(shown() == total, "Clear does not bring the issues back")
    for key in ["rule", "state", "severity"]:
        options = page.locator(f"[name={key}] option").all_text_contents()[1:]
        counts = []
        for option in options[:8]:
            page.select_option(f"[name={key}]", label=option)
            counts.append(shown())
        check.expect(all(counts), f"a {key} of the filter has no issue")
        check.expect(len(options) > 8 or sum(counts) == total, f"the {key}s do not add up: {counts} of {total}")
        page.select_option(f"[name={key}]", index=0)
    group = page.locator("article.issue, tr.issue").first.get_attribute("data-group")
    page.fill("[name=group]", group)
    check.expect(0 < shown() <= total, "the group of the first issue finds none")
    page.fill("[name=group]", "")
    for order in page.locator("[name=sort] option").evaluate_all("all => all.map(option => option.value)"):
        page.select_option("[name=sort]", order)
        ids = page.locator("article.issue").evaluate_all("all => all.map(element => element.id)")
        keys = page.locator("article.issue").evaluate_all(f"all => all.map(element => element.dataset.{order} ?? '')")
        if order in ["distance", "time"]:
            numbers = [float(key) if key else float("inf") for key in keys]
            check.expect(numbers == sorted(numbers), f"not sorted by {order}")
        check.expect(len(set(ids)) == len(ids), f"sorting by {order} loses issues")
    check.expect(page.locator(".count").inner_text().strip() != "", "the number of issues shown is not told")
    page.context.close()


def links(check, browser):
    page = check.open(browser)
    ids = page.locator(".issue").evaluate_all("all => all.map(element => element.id)")
    page.context.close()
    for name in dict.fromkeys(ids[:1] + ids[len(ids) // 2:len(ids) // 2 + 1] + ids[-1:]):
        page = check.open(browser, f"#{name}", viewport={"width": 1200, "height": 700})
        page.wait_for_timeout(900)
        place = page.locator(f"[id='{name}']")
        box = place.bounding_box()
        check.expect(box is not None and -700 < box["y"] < 700, f"#{name} is not scrolled to")
        opened = place.evaluate("e => e.classList.contains('open') || e.classList.contains('target')")
        check.expect(opened, f"#{name} is not opened")
        page.context.close()
    cards = [name for name in ids if name]
    page = check.open(browser, viewport={"width": 1200, "height": 900})
    count = page.locator("article.issue").count()
    if count > 1:
        page.locator("article.issue h3 a").first.click()
        page.locator("article.issue.open [data-do=next]").first.click()
        page.wait_for_timeout(200)
        check.expect(page.locator("article.issue.open").get_attribute("id") == cards[1], "Next does not open the next issue")
        page.locator("article.issue.open [data-do=previous]").first.click()
        page.wait_for_timeout(200)
        check.expect(page.locator("article.issue.open").get_attribute("id") == cards[0], "Previous does not go back")
    if count:
        if not page.locator("article.issue.open").count():
            page.locator("article.issue h3 a").first.click()
        page.locator("article.issue.open [data-do=copy]").click()
        page.wait_for_timeout(200)
        check.expect(page.locator("article.issue.open .told").inner_text() != "", "Copy link says nothing")
        commands = page.locator("article.issue.open [data-do=copy-command]")
        if commands.count():
            commands.first.click()
            check.expect(page.locator("article.issue.open .told").inner_text() != "", "Copy of the command says nothing")
        page.locator("article.issue.open h3 a").click()
        check.expect(page.locator("article.issue.open").count() == 0, "a second click does not close an issue")
    page.context.close()


def whole(check, browser):
    """The overview, the matrix of groups, and the file of decisions."""
    page = check.open(browser, viewport={"width": 1300, "height": 1000})
    shown = lambda: page.locator(".issue:not([hidden])").count()  # noqa: E731
    if page.locator(".map").count():
        area = page.locator(".map")
        first = pixels(page, ".map")
        area.focus()
        page.keyboard.press("ArrowLeft")
        turned = pixels(page, ".map")
        check.expect(turned != first, "the arrow keys do not turn the overview")
        page.keyboard.press("+")
        check.expect(pixels(page, ".map") != turned, "the key + does not zoom the overview")
        page.keyboard.press("0")
        box = area.bounding_box()
        before = pixels(page, ".map")
        page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.1 * box["height"])
        page.mouse.down()
        page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.2 * box["height"], steps=4)
        page.mouse.up()
        check.expect(pixels(page, ".map") != before, "dragging does not turn the overview")
        mark = page.locator(".spots a").last
        target = mark.get_attribute("href")[1:]
        mark.dispatch_event("click")
        page.wait_for_timeout(300)
        place = page.locator(f"[id='{target}']")
        opened = place.evaluate("e => e.classList.contains('open') || e.classList.contains('target')")
        check.expect(opened, "a mark does not lead to its issue")
    else:
        check.note("no overview")
    if page.locator(".matrix a").count():
        total = shown()
        page.locator(".matrix a").first.click()
        check.expect(0 < shown() <= total, "a cell of the matrix shows no issue")
        check.expect(page.locator("[name=between]").input_value() != "", "a cell of the matrix sets no filter")
        page.click(".controls [type=reset]")
    decisions(check, page)
    page.context.close()


def decisions(check, page):
    if not page.locator(".decisions").count():
        check.note("nothing to decide")
        return
    page.locator(".deciding summary").click()
    save = page.locator("[data-do=save]")
    check.expect(save.is_disabled(), "a file without decisions can be saved")
    page.click(".decisions [data-do=accept]")
    save.click()
    check.expect("reason" in page.locator(".decisions output").inner_text(), "decisions without a reason are saved")
    page.fill(".decisions [name=reason]", "=agreed, \"as built\"")
    page.fill(".decisions [name=by]", "a reviewer")
    with page.expect_download() as download:
        save.click()
    path = check.out / "accepted.csv"
    download.value.save_as(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    check.expect(lines[0] == "rule,a,b,accepted,until,by,reason", f"the columns of the file: {lines[0]}")
    check.expect(len(lines) > 1 and lines[-1].endswith("'=agreed, \"\"as built\"\"\""), f"the rows of the file: {lines[-1]}")
    page.click(".decisions [data-do=none]")
    check.expect(save.is_disabled(), "decisions cannot be taken back")
    if not page.locator("article.issue.open").count():
        page.locator("article.issue h3 a").first.click()
    button = page.locator("article.issue.open .decide button")
    if button.count():
        button.first.click()
        page.locator("article.issue.open .decide select").select_option("known")
        check.expect("1 known" in page.locator(".decisions output").inner_text(), "a decision about an issue is not counted")


ACCESSIBLE = """() => {
  const found = [], visible = e => e.checkVisibility({ checkVisibilityCSS: true });
  const name = e => (e.getAttribute('aria-label') || e.innerText || e.labels?.[0]?.innerText || e.title || e.placeholder || e.querySelector?.('title')?.textContent || '').trim();
  for (const e of document.querySelectorAll('a[href], button, input, select, summary, [role=application], [tabindex="0"]'))
    if (visible(e) && !name(e) && !e.closest('svg')) found.push(`no name: ${e.outerHTML.slice(0, 80)}`);
  for (const e of document.querySelectorAll('img')) if (!e.alt) found.push('a picture without a text');
  const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
  for (const id of new Set(ids.filter((id, i) => ids.indexOf(id) !== i))) found.push(`two elements ${id}`);
  const levels = [...document.querySelectorAll('h1, h2, h3, h4')].map(e => Number(e.tagName[1]));
  levels.forEach((level, i) => { if (level > (levels[i - 1] ?? 0) + 1) found.push(`a heading of level ${level} after ${levels[i - 1]}`); });
  // Contrast (WCAG 1.4.3) of texts on plain backgrounds.
  const channels = text => { const n = (text.match(/[\\d.]+/g) ?? []).map(Number); return text.startsWith('color(') ? [...n.slice(0, 3).map(x => 255 * x), n[3] ?? 1] : [...n.slice(0, 3), n[3] ?? 1]; };
  const light = ([r, g, b]) => [r, g, b].map(x => x / 255).map(x => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)).reduce((sum, x, i) => sum + x * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = e => { for (; e; e = e.parentElement) { const c = channels(getComputedStyle(e).backgroundColor); if (c[3] > 0.99) return c; } return [255, 255, 255, 1]; };
  for (const e of document.querySelectorAll('body *')) {
    if (e.closest('svg') || !visible(e) || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
    const [a, b] = [light(channels(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5 && !e.disabled) found.push(`contrast ${ratio.toFixed(2)}: ${e.outerHTML.slice(0, 80)}`);
  }
  return [...new Set(found)].slice(0, 20);
}"""


def accessibility(check, browser):
    """Names of controls, texts of pictures, order of headings and contrast, in both colour schemes."""
    for scheme in ["light", "dark"]:
        page = check.open(browser, viewport={"width": 1300, "height": 1000}, color_scheme=scheme)
        if page.locator("article.issue").count():
            page.locator("article.issue h3 a").first.click()
            page.wait_for_timeout(300)
        for problem in page.evaluate(ACCESSIBLE):
            check.expect(False, f"{scheme}: {problem}")
        page.context.close()


AXE = """async () => {
  const { violations } = await axe.run({ resultTypes: ['violations'] });
  return violations.map(({ id, help, nodes }) =>
    `${id} (${help}), ${nodes.length} times: ${nodes.slice(0, 3).map(node => `${node.target.join(' ')}: ${node.html.slice(0, 120)}`).join(' | ')}`);
}"""


def axe(check, browser, script):
    """All rules of axe-core: the page as it opens, then with everything open that opens."""
    for scheme in ["light", "dark"]:
        for width in [WIDTHS[0], WIDTHS[-1]]:
            page = check.open(browser, viewport={"width": width, "height": 900}, color_scheme=scheme)
            page.evaluate(script)
            place = f"axe-core, {scheme}, {width} px"
            for problem in page.evaluate(AXE):
                check.expect(False, f"{place}, closed: {problem}")
            page.evaluate("for (const e of document.querySelectorAll('details')) e.open = true")
            if page.locator("article.issue").count():
                page.locator("article.issue h3 a").first.click()
                is_live(page)
            for button in page.locator(".decide button").all()[:1]:
                button.click()
                page.locator(".decide select").first.select_option("known")
            for problem in page.evaluate(AXE):
                check.expect(False, f"{place}, open: {problem}")
            page.context.close()


def view(check, browser):
    page = check.open(browser, viewport={"width": 1300, "height": 1000})
    if not page.locator("article.issue[data-view]").count():
        check.note("no 3D view in this report")
        page.context.close()
        return
    card = page.locator("article.issue[data-view]").first
    card.locator("h3 a").click()
    check.expect(is_live(page), "opening an issue does not start its 3D view")
    if not page.locator(".issue.live").count():
        page.context.close()
        return
    card.scroll_into_view_if_needed()
    first = pixels(page)
    orbit(check, page, first)
    page.click(".viewer [data-do=reset]")
    check.expect(pixels(page) == first, "Reset does not restore the first view")
    for name in ["ghosts", "plane", "through"]:
        box = page.locator(f".viewer [name={name}]")
        if not box.is_visible():
            check.note(f"first issue: no switch `{name}`")
            continue
        box.click()
        check.expect(pixels(page) != first, f"the switch `{name}` changes nothing")
        box.click()
        check.expect(pixels(page) == first, f"the switch `{name}` does not go back")
    timeline(check, page, card, first)
    pairs(check, page)
    page.context.close()


def orbit(check, page, first):
    box = page.locator(".issue.live .over").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.wheel(0, 0)
    page.mouse.down()
    page.mouse.move(x + 90, y + 40, steps=4)
    page.mouse.up()
    dragged = pixels(page)
    check.expect(dragged != first, "dragging does not orbit")
    page.locator(".issue.live .over").focus()
    before = page.evaluate("scrollY")
    page.mouse.wheel(0, -240)
    zoomed = pixels(page)
    check.expect(zoomed != dragged, "the wheel does not zoom a view with the focus")
    check.expect(page.evaluate("scrollY") == before, "zooming scrolls the page")
    page.keyboard.press("ArrowLeft")
    turned = pixels(page)
    check.expect(turned != zoomed, "the arrow keys do not orbit")
    page.keyboard.press("+")
    check.expect(pixels(page) != turned, "the key + does not zoom")


def timeline(check, page, card, first):
    slider = page.locator(".viewer .timeline input")
    if not slider.is_visible():
        check.note("first issue: nothing moves, no timeline")
        return
    cursor = card.locator(".charts:not([hidden]) .curve .cursor").first
    places = lambda: cursor.get_attribute("x1") if cursor.count() else None  # noqa: E731
    start, label = places(), page.locator(".viewer .moment").inner_text()
    check.expect("Least distance" in label, f"the view does not begin at the least distance: {label}")
    slider.evaluate("e => { e.value = 0; e.dispatchEvent(new Event('input', { bubbles: true })); }")
    check.expect(pixels(page) != first, "the slider moves nothing")
    check.expect(page.locator(".viewer .moment").inner_text() != label, "the slider does not tell the moment")
    check.expect(start is None or places() != start or places() == start == "62", "the slider does not move the cursor of the curve")
    slider.focus()
    before = page.locator(".viewer .moment").inner_text()
    page.keyboard.press("ArrowRight")
    check.expect(page.locator(".viewer .moment").inner_text() != before, "the arrow keys do not step")
    before = page.locator(".viewer .moment").inner_text()
    page.click(".viewer [data-do=play]")
    page.wait_for_timeout(700)
    check.expect(page.locator(".viewer .moment").inner_text() != before, "Play does not play")
    page.click(".viewer [data-do=play]")
    page.click(".viewer [data-do=least]")
    check.expect(pixels(page) == first, "Least does not go back to the least distance")
    if cursor.count():
        chart = card.locator(".charts:not([hidden]) .curve").first
        chart.scroll_into_view_if_needed()
        box = chart.bounding_box()
        page.mouse.click(box["x"] + 0.2 * box["width"], box["y"] + 0.5 * box["height"])
        check.expect(page.locator(".viewer .moment").inner_text() != label, "a click on the curve does not go there")
        page.click(".viewer [data-do=least]")


def pairs(check, page):
    """Another pair of an issue, and the worst run of a histogram."""
    rows = page.locator("article.issue:has(.pairs tr[data-view])")
    if rows.count():
        card = rows.first
        if "open" not in (card.get_attribute("class") or "").split():
            card.locator("h3 a").click()
        card.scroll_into_view_if_needed()
        is_live(page)
        before = pixels(page)
        buttons = card.locator(".pairs tr[data-view] button")
        if buttons.count() > 1:
            buttons.nth(1).click()
            page.wait_for_timeout(300)
            check.expect(pixels(page) != before, "another pair shows the same view")
    else:
        check.note("no issue with several pairs in views")
    worst = page.locator("article.issue:has(.worst)")
    if worst.count():
        card = worst.first
        if "open" not in (card.get_attribute("class") or "").split():
            card.locator("h3 a").click()
        card.locator(".charts:not([hidden]) .worst").first.click()
        is_live(page)
        page.wait_for_timeout(300)
        if card.get_attribute("data-view") is not None:
            check.expect("live" in card.get_attribute("class"), "the worst run is not shown")
    else:
        check.note("no histogram")


def without_scripts(check, browser):
    page = check.open(browser, java_script_enabled=False, viewport={"width": 1200, "height": 900})
    for issue in page.locator("article.issue").all()[:3]:
        check.expect(issue.locator(".facts").is_visible(), "without scripts: the facts of an issue are hidden")
        if issue.locator(".stage img").count():
            check.expect(issue.locator(".stage img").is_visible(), "without scripts: the picture is hidden")
        if issue.locator(".charts .curve").count():
            check.expect(issue.locator(".charts .curve").first.is_visible(), "without scripts: the curve is hidden")
    check.expect(page.locator("button:visible, select:visible, input:visible").count() == 0, "without scripts: a dead control")
    if page.locator(".map").count():
        check.expect(page.locator(".boxes path").first.is_visible(), "without scripts: the overview is empty")
    page.screenshot(path=check.out / "no-scripts.png")
    page.context.close()


def without_webgl(check, browser):
    page = check.open(browser, viewport={"width": 1200, "height": 900})
    if page.locator("article.issue").count():
        card = page.locator("article.issue").first
        card.locator("h3 a").click()
        page.wait_for_timeout(500)
        if card.get_attribute("data-view") is not None:
            check.expect(page.locator(".no-3d").is_visible(), "without WebGL: nothing tells why there is no view")
        if card.locator(".stage img").count():
            check.expect(card.locator(".stage img").is_visible(), "without WebGL: the picture is gone")
    page.screenshot(path=check.out / "no-webgl.png")
    page.context.close()


def dark_and_paper(check, browser):
    page = check.open(browser, viewport={"width": 1200, "height": 900}, color_scheme="dark", reduced_motion="reduce")
    if page.locator("article.issue").count():
        page.locator("article.issue h3 a").first.click()
        is_live(page)
        page.wait_for_timeout(300)
    page.screenshot(path=check.out / "dark.png")
    page.context.close()
    page = check.open(browser)
    if page.locator("article.issue").count():
        page.locator("article.issue h3 a").first.click()
        is_live(page)
    pdf = page.pdf(path=check.out / "report.pdf", format="A4", print_background=True)
    check.expect(pdf.startswith(b"%PDF"), "no PDF")
    page.emulate_media(media="print")
    for issue in page.locator("article.issue").all()[:5]:
        check.expect(issue.locator(".facts").is_visible(), "on paper: the facts of an issue are missing")
        if issue.locator(".stage img").count():
            check.expect(issue.locator(".stage img").is_visible(), "on paper: a picture is missing")
    check.expect(not page.locator(".controls").is_visible() if page.locator(".controls").count() else True, "on paper: filters")
    page.context.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--browser", help="the program of the browser")
    parser.add_argument("--axe", type=pathlib.Path, metavar="FILE", help="axe.min.js of axe-core")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    check = Check(arguments.report.resolve().as_uri(), arguments.out)
    with sync_playwright() as playwright:
        start = lambda flags: playwright.chromium.launch(executable_path=arguments.browser, args=flags)  # noqa: E731
        browser = start(SOFTWARE_GL)
        for part in [widths, filters, links, whole, accessibility, view, without_scripts, dark_and_paper]:
            part(check, browser)
        if arguments.axe:
            axe(check, browser, arguments.axe.read_text(encoding="utf-8"))
        browser.close()
        browser = start(NO_GL)
        without_webgl(check, browser)
        browser.close()
    for text in check.notes:
        print(f"note: {text}")
    for problem in dict.fromkeys(check.problems):
        print(f"FAILED: {problem}")
    size = arguments.report.stat().st_size / 2**20
    print(f"{check.done} checks of {arguments.report} ({size:.2f} MiB), {len(check.problems)} problems")
    sys.exit(1 if check.problems else 0)


if __name__ == "__main__":
    main()
