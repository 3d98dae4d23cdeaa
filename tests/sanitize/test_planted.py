# SPDX-License-Identifier: Apache-2.0
"""Planted mistakes are reported: proof that this run is under a sanitizer at all.

`nox -s sanitize` sets NEXUS_SANITIZE to what it builds with, and preloads the sanitizer.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

SANITIZERS = os.environ.get("NEXUS_SANITIZE", "")
pytestmark = pytest.mark.skipif(
    not SANITIZERS, reason="is no run under a sanitizer: nox -s sanitize makes one"
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("planted") / "libplanted.so"
    command = [*shlex.split(os.environ["CC"]), "-shared", "-fPIC", "-g", "-pthread"]
    command += [f"-fsanitize={SANITIZERS}", "-fno-sanitize-recover=all"]
    subprocess.run([*command, str(Path(__file__).with_name("planted.c")), "-o", path], check=True)
    return path


def report_of(library: Path, call: str) -> str:
    """What the sanitizer says while a fresh Python makes the call; it must end the process."""
    program = f"import ctypes; ctypes.CDLL({str(library)!r}).{call}"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    return done.stderr


@pytest.mark.skipif("thread" not in SANITIZERS, reason="is for ThreadSanitizer")
def test_a_race_is_reported(library: Path) -> None:
    assert "ThreadSanitizer: data race" in report_of(library, "race()")


@pytest.mark.skipif("address" not in SANITIZERS, reason="is for AddressSanitizer")
def test_an_overflow_is_reported(library: Path) -> None:
    assert "AddressSanitizer: heap-buffer-overflow" in report_of(library, "overflow(8)")


@pytest.mark.skipif("undefined" not in SANITIZERS, reason="is for UndefinedBehaviorSanitizer")
def test_undefined_arithmetic_is_reported(library: Path) -> None:
    assert "signed integer overflow" in report_of(library, "too_large(1)")
