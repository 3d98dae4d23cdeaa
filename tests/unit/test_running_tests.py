# SPDX-License-Identifier: Apache-2.0
"""No test hangs a run: each has a limit, and a worker that dies ends the run and is named."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTEST = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:hypothesispytest"]
HANGS = """
import threading

def stay(ever):
    ever.wait()

def test_it():
    ever = threading.Event()
    threading.Thread(target=stay, args=(ever,), daemon=True).start()
    ever.wait()
"""
CRASHES = """
import os

def test_a_crash():
    os._exit(1)

def test_after_it():
    pass
"""


def run(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs pytest with this repository's settings on the tests of a folder."""
    settings = ["-c", str(ROOT / "pyproject.toml"), f"--rootdir={folder}"]
    return subprocess.run(
        [*PYTEST, *settings, *words, str(folder)],
        capture_output=True, text=True, timeout=120, check=False, cwd=folder,
    )  # fmt: skip


def test_a_test_beyond_its_limit_ends_the_run_with_the_stack_of_every_thread(
    tmp_path: Path,
) -> None:
    (tmp_path / "test_hanging.py").write_text(HANGS, encoding="utf-8")
    done = run(["-o", "faulthandler_timeout=1"], tmp_path)
    assert done.returncode == 1
    assert "Timeout (0:00:01)!" in done.stderr
    assert " in test_it\n" in done.stderr
    assert " in stay\n" in done.stderr


@pytest.mark.unsanitized("starts three processes under the sanitizer and runs no code of ours")
def test_a_worker_that_dies_ends_the_run_with_the_tests_name(tmp_path: Path) -> None:
    pytest.importorskip("xdist", reason="is about pytest-xdist, which is not installed")
    written = re.search(
        r"^SIDE_BY_SIDE = (\[.*?\])",
        (ROOT / "noxfile.py").read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    assert written
    (tmp_path / "test_crashing.py").write_text(CRASHES, encoding="utf-8")
    (tmp_path / "test_others.py").write_text("def test_it():\n    pass\n", encoding="utf-8")
    done = run(ast.literal_eval(written[1]), tmp_path)
    assert done.returncode != 0
    assert "crashed while running 'test_crashing.py::test_a_crash'" in done.stdout
    assert "worker restarting disabled" in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of Windows ignores no SIGINT")
def test_ctrl_c_reaches_a_test_where_the_shell_ignores_it() -> None:
    ignoring = ["sh", "-c", 'trap "" INT; exec "$@"', "sh"]
    test = "tests/promises/test_copies_between.py::test_ctrl_c_ends_the_wait_and_the_copy_goes_on"
    done = subprocess.run(
        [*ignoring, *PYTEST, test],
        capture_output=True, text=True, timeout=120, check=False, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
