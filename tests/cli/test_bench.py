# SPDX-License-Identifier: Apache-2.0
"""`nexus bench`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import nexus
from nexus.cli import _bench, _measurements
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
