# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C while a compiler runs ends the compiler and the call; killing the process does too."""

from __future__ import annotations

import fcntl
import functools
import importlib.util
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

# Its compiler counts how often it was begun, tells its process, and ends only when it is told to.
COMPILER = """#!/bin/sh
echo $$ >> {begun}
while [ ! -e {go_on} ]; do /bin/sleep 0.05; done
exec {compiler} "$@"
"""
ALONE = """
import nexus
try:
    nexus.get_device("cpu").compile("NEXUS_KERNEL(k, (int, n)) {}")
except KeyboardInterrupt:
    print("interrupted")
"""
# The main thread begins, the other waits for what it makes, and makes it then itself.
BESIDE_ANOTHER = """
import pathlib, sys, threading, time
import nexus
begun, go_on, PROGRAM = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), \
    "NEXUS_KERNEL(k, (int, n)) {}"
def other():
    while not begun.exists():
        time.sleep(0.01)
    print([each.name for each in nexus.get_device("cpu").compile(PROGRAM).get_kernels()])
thread = threading.Thread(target=other)
thread.start()
try:
    nexus.get_device("cpu").compile(PROGRAM)
except KeyboardInterrupt:
    print("interrupted", flush=True)
while len(begun.read_text().split()) < 2:
    time.sleep(0.01)
go_on.touch()
thread.join()
"""


def is_gone(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


def real_compiler() -> tuple[str, str]:
    """A C compiler's path, and the arguments of CC that it wants: cc, else the wheel's."""
    found = shutil.which("cc")
    if found:
        return found, ""
    spec = importlib.util.find_spec("ziglang")
    assert spec is not None, "needs a C compiler: install one, or pip install ziglang"
    assert spec.submodule_search_locations
    return str(Path(spec.submodule_search_locations[0]) / "zig"), " cc"


@pytest.mark.parametrize(
    ("program", "output"), [(ALONE, "interrupted\n"), (BESIDE_ANOTHER, "interrupted\n['k']\n")]
)
def test_ctrl_c_ends_a_compile(tmp_path: Path, program: str, output: str) -> None:
    begun, go_on, scratch = tmp_path / "begun", tmp_path / "go_on", tmp_path / "scratch"
    scratch.mkdir()
    real, arguments = real_compiler()
    compiler = tmp_path / Path(real).name
    compiler.write_text(COMPILER.format(begun=begun, go_on=go_on, compiler=real))
    compiler.chmod(compiler.stat().st_mode | stat.S_IXUSR)
    running = subprocess.Popen(
        [sys.executable, "-c", program, str(begun), str(go_on)],
        env=os.environ
        | {
            "CC": f"{compiler}{arguments}",
            "TMPDIR": str(scratch),
            "NEXUS_CACHE_DIR": str(tmp_path / "cache"),
        },
        stdout=subprocess.PIPE,
        text=True,
    )
    while not begun.exists() and running.poll() is None:
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    printed, _ = running.communicate(timeout=120)
    assert printed == output
    assert is_gone(int(begun.read_text().split()[0]))
    assert list(scratch.iterdir()) == []


# A driver with a child of its own, as gcc has one; both tell their processes once the group is tied
# to the compiling process (O_ASYNC of its end of the pipe), which takes place after they start.
DRIVER = """#!/bin/sh
/bin/sleep 1000 &
until /bin/grep -q 'flags:.*2[0-7][0-7][0-7][0-7]$' /proc/$$/fdinfo/3; do :; done
echo $! $$ > {begun}.new
/bin/mv {begun}.new {begun}
wait
"""


def wait_for(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems can't tie them")
@pytest.mark.parametrize("forks", [False, True], ids=["alone", "with a fork that lives on"])
def test_a_killed_process_takes_its_compiler_along(tmp_path: Path, forks: bool) -> None:
    begun, forked, scratch = tmp_path / "begun", tmp_path / "forked", tmp_path / "scratch"
    scratch.mkdir()
    compiler = tmp_path / "gcc"
    compiler.write_text(DRIVER.format(begun=begun))
    compiler.chmod(compiler.stat().st_mode | stat.S_IXUSR)
    environment = os.environ | {"CC": str(compiler), "TMPDIR": str(scratch), "NEXUS_CACHE": "0"}
    waited_for = forked if forks else begun
    # In a thread that is not the main one, as a program's workers compile.
    program = (
        "import nexus, threading\n"
        "device = nexus.get_device('cpu')\n"
        "text = 'NEXUS_KERNEL(k, (int, n)) {}'\n"
        "threading.Thread(target=device.compile, args=(text,)).start()\n"
    )
    if forks:
        program += (
            "import os, pathlib, time\n"
            f"while not pathlib.Path({str(begun)!r}).exists(): time.sleep(0.01)\n"
            "if os.fork() == 0: time.sleep(60); os._exit(0)\n"
            f"pathlib.Path({str(forked)!r}).touch()\n"
        )
    with subprocess.Popen([sys.executable, "-c", program], env=environment) as running:
        try:
            wait_for(lambda: waited_for.exists() or running.poll() is not None)
        finally:
            running.kill()
    for process in begun.read_text().split():
        wait_for(functools.partial(has_ended, int(process)))


def has_ended(process: int) -> bool:
    """Returns whether the process is gone, or a zombie."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return True
    return state in "ZX"


def test_the_next_process_removes_the_folders_of_dead_ones_and_no_others(tmp_path: Path) -> None:
    abandoned, of_others = tmp_path / "nexus-compile-abc123", tmp_path / "nexus-else"
    locked = tmp_path / "nexus-compile-locked"
    for folder in (abandoned, of_others, locked):
        folder.mkdir()
        (folder / "program").write_text("int f;")
    (tmp_path / "nexus-compile-link").symlink_to(of_others)
    held = os.open(locked, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    program = "import nexus; nexus.get_device('cpu').compile('NEXUS_KERNEL(k, (int, n)) {}')"
    environment = os.environ | {"TMPDIR": str(tmp_path), "NEXUS_CACHE": "0"}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True, timeout=120)
    os.close(held)
    assert {path.name for path in tmp_path.iterdir()} == {
        "nexus-else",
        "nexus-compile-link",
        "nexus-compile-locked",
    }
    assert (of_others / "program").exists()
