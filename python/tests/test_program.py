"""The program in the wheel: words, exit codes, streams, signals."""

from __future__ import annotations

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import clearsweep as cs
import pytest
from conftest import Motion, Program

MODULE = [sys.executable, "-m", "clearsweep"]


def test_console_script_and_module_are_the_program() -> None:
    beside = pathlib.Path(sys.executable).with_name("clearsweep")
    script = str(beside) if beside.exists() else shutil.which("clearsweep")
    assert script, "the console script is installed"
    for command in ([script], MODULE):
        done = subprocess.run([*command, "--version"], capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (0, f"clearsweep {cs.__version__}\n")


def test_exit_codes_and_streams(motion: Motion, tmp_path: pathlib.Path) -> None:
    def code(*words: object) -> tuple[int, str, str]:
        done = subprocess.run([*MODULE, *map(str, words)], capture_output=True, text=True)
        return done.returncode, done.stdout, done.stderr

    number, out, err = code("run", motion.scene, "--out", tmp_path / "a", "--require", "50mm")
    assert number == 3 and "violat" in out and err == ""
    assert code("run", motion.scene, "--out", tmp_path / "b")[0] == 0
    number, out, err = code("run", tmp_path / "none.toml", "--out", tmp_path / "c")
    assert (number, out) == (1, "") and "none.toml" in err and "help:" in err
    number, out, err = code("run", "--nonsense")
    assert (number, out) == (2, "") and "--nonsense" in err


def test_words_are_those_of_the_program(program: Program) -> None:
    ours = subprocess.run([*MODULE, "run", "--help"], capture_output=True, text=True)
    assert ours.stdout == program(["run", "--help"]).stdout


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_nothing(tmp_path: pathlib.Path, kind: signal.Signals) -> None:
    made = cs.generate("crowd", tmp_path / "set", bodies=120, frames=20000)
    out = tmp_path / "out"
    child = subprocess.Popen([*MODULE, "run", made["scene"], "--out", str(out)], stderr=subprocess.PIPE, text=True)
    while not out.exists():
        assert child.poll() is None
        time.sleep(0.01)
    os.kill(child.pid, kind)
    _, err = child.communicate(timeout=60)
    assert child.returncode == 130, err
    assert "interrupted" in err and not (out / "manifest.json").exists()
    assert not out.exists() or not any(out.iterdir())
