# SPDX-License-Identifier: Apache-2.0
"""Builds with sanitizers by gcc, and runs Python tests in that build, for the session `sanitize`.

Python itself is not built so: the sanitizer is preloaded, with libstdc++, whose exceptions it must
see from the start. Kernels that tests compile are instrumented too, so that a race of two streams
in a buffer shows.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import nox

import gate

ROOT = Path(__file__).resolve().parent.parent

NAMES = ("address,undefined", "thread")
"""The arguments of -fsanitize."""

_LIBRARIES = {
    "address": ("libasan.so", "libstdc++.so"),
    "address,undefined": ("libasan.so", "libubsan.so", "libstdc++.so"),
    "thread": ("libtsan.so", "libstdc++.so"),
}
_ADDRESS_OPTIONS = [
    "detect_stack_use_after_return=1",
    "uar_noreserve=1",  # the memory of a thousand fibers need not be reserved at a fork()
]
_THREAD_OPTIONS = [
    "halt_on_error=1",
    "die_after_fork=0",  # the child of a process with threads may have threads of its own
    "history_size=4",  # shows also the older of two accesses
    "atexit_sleep_ms=100",  # instead of a second for each process that a test starts
    f"suppressions={ROOT / 'tests' / 'sanitize' / 'thread.supp'}",
]

_PROGRAM_OPTIONS = {
    "ASAN_OPTIONS": " ".join(_ADDRESS_OPTIONS),
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": " ".join(_THREAD_OPTIONS),
}


def build(session: nox.Session, name: str, target: str = "all") -> Path:
    """Builds the tree, or one target; returns its folder, which stays for the next time."""
    folder = session.cache_dir / "sanitize" / name.replace(",", "-")
    session.run(
        "cmake", "-S", ".", "-B", str(folder), "-G", "Ninja",
        "-DNEXUS_BUILD_TESTS=ON", "-DNEXUS_BUILD_PYTHON_MODULE=ON",
        f"-DPython_EXECUTABLE={Path(session.bin) / 'python'}",
        f"-DNEXUS_SANITIZE={name}", "-DNEXUS_WARNINGS_AS_ERRORS=OFF",
        # One file a target takes a fifth of the time; one build shows that each file stands alone.
        f"-DNEXUS_UNITY_BUILD={'OFF' if name == 'thread' else 'ON'}",
        "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O0 -g1",
        "-DCMAKE_C_COMPILER=gcc", "-DCMAKE_CXX_COMPILER=g++",
    )  # fmt: skip
    session.run("cmake", "--build", str(folder), "--target", target)
    return folder.resolve()


def ctest(session: nox.Session, folder: Path) -> None:
    """Runs the C++ tests of a folder, with the leak checker."""
    session.run(
        "ctest", "--test-dir", str(folder), "--output-on-failure", "-j2", env=_PROGRAM_OPTIONS
    )


def fuzz(session: nox.Session, folder: Path, seconds: int) -> None:
    """Gives random texts to the readers of JSON, device files and paths for some time.

    An input that fails stays in the build folder as `fuzz-input`; the program replays that file.
    """
    program = folder / "tests" / "fuzz" / "fuzz-json"
    corpus = ROOT / "tests" / "fuzz" / "corpus"
    with session.chdir(folder):
        session.run(
            str(program), str(corpus), "--seconds", str(seconds),
            env=_PROGRAM_OPTIONS, external=True,
        )  # fmt: skip


def pytest(
    session: nox.Session,
    name: str,
    folder: Path,
    *arguments: str,
    environment: Mapping[str, str] | None = None,
) -> None:
    """Runs Python tests with the packages of a folder, and more in the environment.

    A sanitizer's report ends its process; it also fails the session if a test expects that
    process to fail, or if no test checks it.
    """
    reports = folder / "reports"
    shutil.rmtree(reports, ignore_errors=True)
    reports.mkdir()
    variables = {**_environment(session, name, folder, reports), **(environment or {})}
    try:
        gate.pytest(session, *arguments, env=variables)
    finally:
        found = sorted(reports.iterdir())
        for report in found:
            session.log(f"{report.name}:\n{report.read_text(errors='replace')}")
    if found:
        session.error(f"{len(found)} processes were ended by a sanitizer, though the tests passed.")


def _environment(session: nox.Session, name: str, folder: Path, reports: Path) -> dict[str, str]:
    """Returns the environment of Python and of the compilers of kernels and plug-ins."""
    flags = f"-fsanitize={name} -fno-sanitize-recover=all"
    log = f"log_path={reports / 'report'}"  # not stderr, which pytest captures
    return {
        "PYTHONPATH": str(folder / "python"),
        "NEXUS_SANITIZE": name,
        "NEXUS_SIMULATED": str(folder / "simulated"),
        "NEXUS_DEVICE": "cpu",
        "LD_PRELOAD": " ".join(_gcc_library(session, library) for library in _LIBRARIES[name]),
        "CC": f"env -u LD_PRELOAD gcc {flags}",
        "CXX": f"env -u LD_PRELOAD g++ {flags}",
        "ASAN_OPTIONS": " ".join([*_ADDRESS_OPTIONS, "detect_leaks=0", log]),  # Python leaks
        "UBSAN_OPTIONS": f"print_stacktrace=1 {log}",
        "TSAN_OPTIONS": " ".join([*_THREAD_OPTIONS, log]),
        "OPENBLAS_NUM_THREADS": "1",  # its threads synchronize in ways that are not seen
    }


def _gcc_library(session: nox.Session, name: str) -> str:
    """Returns the path of a library of gcc's."""
    path = session.run("gcc", f"-print-file-name={name}", external=True, silent=True)
    return str(path).strip()
