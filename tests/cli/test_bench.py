# SPDX-License-Identifier: Apache-2.0
"""`nexus bench`."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import nexus
from nexus.cli import _bench, _console, _measurements
from nexus.cli._measurements import MEASUREMENTS, Bench, Measurement

Nexus = Callable[..., tuple[int, str, str]]


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measures as little as possible."""
    for name, value in (("_SECONDS", 0.0), ("_FEWEST", 1), ("_COMPILATIONS", 1)):
        monkeypatch.setattr(_measurements, name, value)
    monkeypatch.setattr(_measurements, "_LONG_ENOUGH", 0.0)
    monkeypatch.setattr(_measurements, "_LARGEST_BUFFER", 1 << 16)


@pytest.mark.usefixtures("short")
def test_every_measurement_of_the_cpu_has_a_positive_value(run_nexus: Nexus) -> None:
    status, out, err = run_nexus("bench", "cpu", "--json")
    assert (status, err) == (0, "")
    report = json.loads(out)
    assert report["selector"] == "cpu:0"
    assert [each["name"] for each in report["measurements"]] == list(MEASUREMENTS)
    assert all(each["value"] > 0 for each in report["measurements"])


@pytest.mark.usefixtures("short")
def test_the_page_has_times_bandwidths_and_rates(run_nexus: Nexus) -> None:
    status, out, _ = run_nexus("bench", "cpu:0")
    assert status == 0
    for word in ("Times", "Bandwidths", "Rates of arithmetic", "GFLOP/s", "device memory"):
        assert word in out


def test_a_value_is_shown_beside_its_peak_and_on_one_scale(
    monkeypatch: pytest.MonkeyPatch, run_nexus: Nexus
) -> None:
    found = [Measurement("device memory", 2e12, "B/s", 4e12), Measurement("to host", 1e12, "B/s")]
    monkeypatch.setattr(_bench, "_measure", lambda bench: found)
    _, out, _ = run_nexus("bench", "cpu")
    memory, host = (line for line in out.splitlines() if "TB/s" in line)
    assert memory.endswith("2 TB/s  50% of 4 TB/s")
    assert memory.count("\N{BOX DRAWINGS HEAVY HORIZONTAL}") == 15
    assert host.count("\N{BOX DRAWINGS HEAVY HORIZONTAL}") == 7


@pytest.mark.usefixtures("short")
def test_the_peaks_are_those_of_the_device_file() -> None:
    bench = Bench(nexus.get_device("cpu"))
    bench.info = nexus.lookup_device_info("RTX 4090")
    peaks = {name: MEASUREMENTS[name](bench, name) for name in ("device memory", "float32")}
    found = [measured.peak for measured in peaks.values() if measured and measured.peak]
    assert found == pytest.approx([1.008e12, 82.6e12], rel=1e-2)


@pytest.mark.usefixtures("short")
def test_wrong_numbers_are_an_error_and_no_rate(
    monkeypatch: pytest.MonkeyPatch, run_nexus: Nexus
) -> None:
    monkeypatch.setattr(np, "all", lambda array: False)
    status, _, err = run_nexus("bench", "cpu")
    assert status == 1
    assert "cpu:0: wrong numbers in float32" in err


def test_a_device_that_compiles_no_kernels_is_an_error(
    run_nexus: Nexus, faulty_device: nexus.Device
) -> None:
    status, out, err = run_nexus("bench", faulty_device.selector)
    assert (status, out) == (1, "")
    assert "language" in err


def test_a_device_that_is_not_there_is_an_error(run_nexus: Nexus) -> None:
    status, _, err = run_nexus("bench", "cpu:99")
    assert status == 1
    assert "99" in err


def test_the_kernels_are_in_the_package() -> None:
    assert (Path(_bench.__file__).parent / "bench_kernels.c").is_file()


FOUND = [
    Measurement("device memory", 1e11, "B/s", 2e11),
    Measurement("float32", 1e12, "FLOP/s", 4e12),
    Measurement("float64", 5e11, "FLOP/s"),
]


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Has these results without measuring."""
    monkeypatch.setattr(_bench, "_measure", lambda bench: FOUND)


@pytest.mark.usefixtures("measured")
def test_the_plot_has_what_was_measured_beside_the_peaks(tmp_path: Path, run_nexus: Nexus) -> None:
    pytest.importorskip("matplotlib", reason='draws the plot: pip install "nexus-core[plot]"')
    file = tmp_path / "roofline.svg"
    status, out, err = run_nexus("bench", "cpu", "--plot", str(file))
    assert (status, err) == (0, "")
    assert out.endswith(f"{file}: a roofline of these values\n")
    text = file.read_text(encoding="utf-8")
    for label in ("float32, measured", "1 TFLOP/s, 100 GB/s", "float32, peak",
                  "4 TFLOP/s, 200 GB/s", "float64, measured"):  # fmt: skip
        assert label in text
    assert "float64, peak" not in text


@pytest.mark.usefixtures("measured")
def test_with_json_the_plot_is_written_and_the_output_is_json(
    tmp_path: Path, run_nexus: Nexus
) -> None:
    pytest.importorskip("matplotlib", reason='draws the plot: pip install "nexus-core[plot]"')
    file = tmp_path / "roofline.png"
    _, out, _ = run_nexus("bench", "cpu", "--json", "--plot", str(file))
    assert len(json.loads(out)["measurements"]) == len(FOUND)
    assert file.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("x.gif", "--plot is 'x.gif': the name of a picture ends in .svg or .png."),
        ("", "--plot is '.': the name of a picture ends in .svg or .png."),
        ("missing/x.svg", "There is no folder 'missing' to write 'missing/x.svg' to."),
    ],
)
def test_a_plot_that_can_not_be_written_is_misuse_before_anything_is_measured(
    name: str, said: str, run_nexus: Nexus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(_bench, "_measure")
    assert run_nexus("bench", "cpu", "--plot", name) == (2, "", f"nexus bench: {said}\n")


def test_without_matplotlib_nothing_is_measured(
    tmp_path: Path, run_nexus: Nexus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(_bench, "_measure")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    status, out, err = run_nexus("bench", "cpu", "--plot", str(tmp_path / "x.svg"))
    assert (status, out) == (1, "")
    assert 'pip install "nexus-core[plot]"' in err


class Terminal(io.StringIO):
    """A file that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_the_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    with _console.progress(2) as begin:
        begin("first [step]")
        begin("second")
    told = re.sub("\x1b\\[[^a-zA-Z]*[a-zA-Z]", "", terminal.getvalue())
    assert "0/2 first [step]" in told
    assert "1/2 second" in told


def test_a_file_shows_no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    with _console.progress(1) as begin:
        begin("a step")
    assert file.getvalue() == ""
