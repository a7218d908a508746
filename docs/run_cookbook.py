"""Runs the snippets of cookbook.md, units-and-poses.md, pipelines.md and joints.md in docs/guide, in order, and compares what
they print with what the pages show. The program has to be in PATH.

    python docs/run_cookbook.py            # from the root of the repository, after the runs named on these pages
    python docs/run_cookbook.py --write    # writes outputs and images anew: look at the difference before keeping it
    python docs/run_cookbook.py docs/guide/python.md    # another page, or several, in an environment of its own

Python blocks share one namespace; SQL blocks are run by DuckDB and shown as rows of text. A block with an `output` block
behind it has to print exactly that.
"""

import contextlib
import io
import pathlib
import re
import shutil
import sys

import duckdb

NAMES = ["cookbook.md", "units-and-poses.md", "pipelines.md", "joints.md"]
PAGES = [pathlib.Path("docs/guide") / name for name in NAMES]
IMAGES = pathlib.Path("docs/images")
DRAWN = pathlib.Path("out/cookbook")
BLOCK = re.compile(r"^```(python|sql)\n(.*?)^```\n(?:\n```output\n(.*?)^```\n)?", re.M | re.S)


def table(result):
    """The rows of a query as aligned text."""
    rows = [result.columns] + [["" if cell is None else str(cell) for cell in row] for row in result.fetchall()]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() + "\n" for row in rows)


def run(kind, code, namespace, page, line):
    """Runs a block and returns its output."""
    if kind == "sql":
        return table(duckdb.sql(code))
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile("\n" * line + code, str(page), "exec"), namespace)  # the lines of the page in tracebacks
    return printed.getvalue()


def check(page):
    """Runs the blocks of a page. Returns its text with the outputs found, the number of blocks, what differs."""
    text = page.read_text(encoding="utf-8")
    namespace, count, differences, pieces, end = {}, 0, [], [], 0
    for block in BLOCK.finditer(text):
        kind, code, expected = block.groups()
        line = text.count("\n", 0, block.start()) + 1
        found = run(kind, code, namespace, page, line)
        count += 1
        if found != (expected or ""):
            differences.append(f"{page}:{line}: the {kind} block prints\n{found}instead of\n{expected or ''}")
        shown = f"\n```output\n{found}```\n" if found else ""
        pieces += [text[end:block.start()], f"```{kind}\n{code}```\n{shown}"]
        end = block.end()
    for name in re.findall(r"\(\.\./images/(.*?\.png)\)", text):
        if not (DRAWN / name).exists() or not (IMAGES / name).exists():
            differences.append(f"{page}: the image {name} is shown, but not drawn or not kept in {IMAGES}")
    return "".join(pieces) + text[end:], count, differences


def main():
    write = "--write" in sys.argv[1:]
    pages = [pathlib.Path(word) for word in sys.argv[1:] if word != "--write"] or PAGES
    DRAWN.mkdir(parents=True, exist_ok=True)
    wrong = 0
    for page in pages:
        text, count, differences = check(page)
        print(f"{page}: {count} blocks run, {len(differences)} differences")
        if write:
            page.write_text(text, encoding="utf-8")
        else:
            print("".join(f"{difference}\n" for difference in differences), end="")
            wrong += len(differences) + (count == 0)
    if write:
        IMAGES.mkdir(parents=True, exist_ok=True)
        for path in sorted(DRAWN.glob("*.png")):
            shutil.copy(path, IMAGES / path.name)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
