# SPDX-License-Identifier: Apache-2.0
"""`nexus demo`."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from python_process import run_python

import nexus
from nexus.cli import _demo, _demo_library, main
from nexus.cli._demo_library import DemoLibrary, NoLibrary

WRONG_KERNEL = """
#include <nexus_kernel.h>
NEXUS_KERNEL_BOUNDED(saxpy, (n), (NEXUS_GLOBAL const float *, x), (NEXUS_GLOBAL float *, y),
                     (float, a), (int, n)) {
  int i = nexus_global_id(0);
  y[i] = i == 7 ? 0.0f : a * x[i] + y[i];
}
"""


def run_demo(**environment: str) -> subprocess.CompletedProcess[str]:
    return run_python("-m", "nexus.cli", "demo", more=environment)


@pytest.mark.smoke
def test_the_demo_runs_on_the_cpu_and_agrees_with_numpy() -> None:
    result = run_demo(NEXUS_BACKENDS="cpu")
    assert result.returncode == 0, result.stderr
    assert "cpu:0" in result.stdout
    assert "All results match numpy." in result.stdout
    assert result.stderr == ""


def test_without_a_working_compiler_the_library_of_the_wheel_is_used() -> None:
    result = run_demo(CC="no-such-compiler", NEXUS_BACKENDS="cpu")
    assert result.returncode == 0, result.stderr
    assert "no-such-compiler" in result.stdout
    assert "carries" in result.stdout
    assert "All results match numpy." in result.stdout


def test_a_wrong_number_is_named_and_ends_in_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = DemoLibrary(nexus.Program(WRONG_KERNEL).compile("cpu"), "wrong on purpose")
    monkeypatch.setattr(_demo, "find_demo_library", lambda device: wrong)
    assert main(["demo"]) == 1
    text = capsys.readouterr()
    assert "WRONG" in text.out
    assert "cpu:0: 1 of 1000000 numbers differ from numpy's; the first is number 7" in text.err


def test_a_library_that_can_not_be_loaded_ends_in_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "broken.so").write_text("no library")
    broken = DemoLibrary(str(tmp_path / "broken.so"), "broken on purpose")
    monkeypatch.setattr(_demo, "find_demo_library", lambda device: broken)
    assert main(["demo"]) == 1
    assert "broken.so" in capsys.readouterr().err


def test_a_demo_fails_where_one_device_did_not_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], faulty_device: nexus.Device
) -> None:
    def only_cpu(device: nexus.Device) -> DemoLibrary:
        if device.runtime.name == "cpu":
            return _demo_library.find_demo_library(device)
        raise NoLibrary("for a reason")

    monkeypatch.setattr(_demo, "find_demo_library", only_cpu)
    assert main(["demo"]) == 1
    text = capsys.readouterr()
    assert "faulty:0: none, for a reason" in text.out
    assert "All results match numpy." not in text.out
    assert "faulty:0: did not run: there is no kernel library for it" in text.err
    assert "cpu:0" not in text.err


def test_without_a_backend_the_demo_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("nexus.get_runtimes", list)
    assert main(["demo"]) == 1
    assert "pip install nexus-cpu" in capsys.readouterr().out


def test_a_backend_that_compiles_nothing_and_carries_nothing_is_said_so(
    faulty_device: nexus.Device,
) -> None:
    with pytest.raises(NoLibrary, match="carries none either"):
        _demo_library.find_demo_library(faulty_device)


def test_rounding_is_no_difference() -> None:
    expected = np.array([1.0, 2.0], dtype=np.float32)
    assert _demo.compare(expected, np.nextafter(expected, np.float32(9))) == ""


def test_not_a_number_is_a_difference() -> None:
    expected = np.array([1.0, 2.0], dtype=np.float32)
    assert _demo.compare(expected, np.array([1.0, np.nan], dtype=np.float32)).startswith("1 of 2")
