"""Writes docs/images/run.svg: what a terminal shows for the two commands of README.md, run for this.

    python docs/screenshot.py target/release/clearsweep

The program runs in a pseudo-terminal, so that it prints as it does for a person, colours included; its output goes into
the picture as it came, without the last states of the progress bar.
"""

import os
import pathlib
import pty
import re
import shlex
import subprocess
import sys

from rich.console import Console
from rich.text import Text

COLUMNS = 118


def commands():
    """The commands of README.md behind their marks, as somebody with the program installed types them."""
    text = pathlib.Path("README.md").read_text(encoding="utf-8")
    for mark in ["main-job", "violations"]:
        command = re.search(rf"<!-- ci: {mark} -->\n```sh\n(.*?)\n```", text, re.S).group(1)
        yield command.replace("cargo run --release --locked --", "clearsweep")


def shown(program, command):
    """Runs a command and returns its output to a terminal and its exit code."""
    ours, theirs = pty.openpty()
    environment = dict(os.environ, COLUMNS=str(COLUMNS), TERM="xterm-256color")
    environment.pop("NO_COLOR", None)
    words = [program] + shlex.split(command)[1:]
    process = subprocess.Popen(words, stdout=theirs, stderr=theirs, stdin=subprocess.DEVNULL, env=environment)
    os.close(theirs)
    output = b""
    while True:
        try:
            piece = os.read(ours, 1 << 16)
        except OSError:  # the terminal is closed
            break
        if not piece:
            break
        output += piece
    os.close(ours)
    text = output.decode("utf-8").replace("\r\n", "\n")
    text = re.sub(r"\x1b\[\??[0-9;]*[A-HJKSTfhl]", "\r", text)      # the bar moves the cursor; only colours stay
    lines = [line.rsplit("\r", 1)[-1] for line in text.split("\n")]  # what was written over is gone
    return "\n".join(lines).strip("\n"), process.wait()


def main():
    console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w", encoding="utf-8"))
    for command in commands():
        output, code = shown(sys.argv[1], command)
        console.print(Text("$ ", style="bold green") + Text(command, style="bold"))
        console.print(Text.from_ansi(output))
        console.print(Text("$ ", style="bold green") + Text("echo $?", style="bold"))
        console.print(Text(str(code)))
    svg = console.export_svg(title="clearsweep")
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.S)      # nothing is loaded from elsewhere
    svg = svg.replace("Fira Code, monospace", "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace")
    pathlib.Path("docs/images/run.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
