# SPDX-License-Identifier: Apache-2.0
"""Each row of the GPU's table runs to its end on stand-ins, and without a GPU says so in words."""

from __future__ import annotations

import dataclasses
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import c_side
import cubins
import gallery_works
import nexus_side
import work_sides
from gpu_cases import Bench, NotThere
from harness import Mismatch, NotMeasured
from measurement import Measurement
from mps_sides import Peer
from parts.benchmarks import ROWS, measure
from stand_ins import StandInBaseline, cpu_code
from work import Work

GPU_ROWS = Path(c_side.__file__).parent / "gpu_rows"
WITH_STAND_INS = [row for row in ROWS if row not in ("gallery_kernels", "launch_hip")]


@pytest.fixture
def baseline(monkeypatch: pytest.MonkeyPatch) -> StandInBaseline:
    """The CPU as the device, and the stand-ins as the driver and the compiler."""
    stand_in = StandInBaseline()
    monkeypatch.setenv("NEXUS_GPU_DEVICE", "cpu:0")
    monkeypatch.setattr(c_side, "baseline", lambda: stand_in)
    monkeypatch.setattr(nexus_side, "cubin", cpu_code)
    for row in WITH_STAND_INS:
        module = importlib.import_module(f"gpu_rows.{row}")
        if hasattr(module, "cubin"):
            monkeypatch.setattr(module, "cubin", cpu_code)
    # numpy has CuPy's functions.
    algorithms = importlib.import_module("gpu_rows.algorithms")
    monkeypatch.setattr(algorithms, "cupy", lambda: np)
    monkeypatch.setattr(algorithms, "peers_stream", lambda _, device: device.create_stream())
    metal = importlib.import_module("gpu_rows.algorithms_metal")
    monkeypatch.setattr(metal, "peers", lambda: ([numpy_as_peer()], ["without the real ones"]))
    return stand_in


def numpy_as_peer() -> Peer:
    functions: dict[str, Callable[..., Any]] = {
        "elementwise": lambda x, y: 2.5 * x + y,
        "sum": np.sum,
        "sort": np.sort,
        "matmul": np.matmul,
    }
    return Peer("numpy", np.array, functions, lambda result: result, np.asarray)


def measured(row: str) -> list[Measurement]:
    return list(importlib.import_module(f"gpu_rows.{row}").measure(smoke=True))


def test_every_row_is_run() -> None:
    assert sorted(ROWS) == sorted(
        file.stem for file in GPU_ROWS.glob("*.py") if file.stem[0] != "_"
    )


@pytest.mark.parametrize("row", ROWS)
def test_a_row_without_a_gpu_is_not_measured_and_says_why(row: str, tmp_path: Path) -> None:
    bench = Bench("cuda:99", tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NEXUS_GPU_DEVICE", "cuda:99")
        patch.setenv("NEXUS_CUDA_DRIVER", str(tmp_path / "no-driver.so"))
        with pytest.raises(NotThere) as reason:
            measure(row, bench, smoke=True)
    assert len(str(reason.value)) > 15
    (line,) = bench.data["rows"]
    assert line["met"] is None
    assert line["goal"]


@pytest.mark.usefixtures("baseline")
@pytest.mark.parametrize("row", WITH_STAND_INS)
def test_a_row_measures_every_side(row: str) -> None:
    lines = measured(row)
    assert lines
    for line in lines:
        assert line.timings, line.notes
        assert all(timing.median > 0 for timing in line.timings)
        assert line.met is not None or line.goal.startswith("none") or line.notes


@pytest.mark.parametrize("row", ["launch", "schedule_100"])
def test_a_peer_that_computes_wrong_is_found(row: str, baseline: StandInBaseline) -> None:
    baseline.loses = True
    with pytest.raises(Mismatch):
        measured(row)


class OursAgain(work_sides.OurWork):
    """In place of CWork, which needs a GPU."""

    def __init__(self, work: Any, launched: Any) -> None:
        super().__init__(work)
        assert launched == self.launched

    def close(self) -> None:
        pass


@pytest.fixture
def gallery(baseline: StandInBaseline, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The row of the gallery, with ours on both sides."""
    row = importlib.import_module("gpu_rows.gallery_kernels")
    monkeypatch.setattr(row, "CWork", OursAgain)
    return row


def test_the_gallery_is_compared_and_measured(gallery: Any) -> None:
    lines = list(gallery.measure(smoke=True))
    assert len(lines) == 3
    assert all(len(line.timings) == 2 and line.met is not None for line in lines)


def test_a_kernel_of_the_gallery_that_computes_wrong_fails_and_the_others_are_measured(
    gallery: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    right = work_sides.OurWork.results

    def wrong_sums(self: work_sides.OurWork) -> Any:
        results = dict(right(self))
        if "vector add" in self._work.name:
            results["c"] = results["c"] * 2
        return results

    monkeypatch.setattr(work_sides.OurWork, "results", wrong_sums)
    bench = Bench("cpu:0", tmp_path)
    with pytest.raises(Mismatch, match="vector add"):
        measure("gallery_kernels", bench, smoke=True)
    assert len(bench.data["rows"]) == 2


@pytest.mark.usefixtures("baseline")
@pytest.mark.parametrize(
    "work",
    [
        gallery_works._fill(8),
        gallery_works._saxpy(8),
        gallery_works._histogram(8),
        gallery_works._stencil(17, 3),
        gallery_works._transpose(32),
        gallery_works._softmax(3, 300),
        gallery_works._bitonic_sort(6),
    ],
    ids=lambda work: work.name,
)
def test_a_work_of_the_gallery_is_right(work: Work) -> None:
    side = work_sides.OurWork(work)
    assert work.error(side.results()) <= work.allowed_error
    side.device_seconds(2)
    assert work.error(side.results()) <= work.allowed_error, "a second check starts from the inputs"


def test_code_that_was_compiled_once_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NEXUS_GPU_CUBINS", str(tmp_path))
    for code in (b"first", b"second"):
        monkeypatch.setattr(cubins, "_compiled", lambda text, architecture, code=code: code)
        assert cubins.cubin.__wrapped__("launches.cu", 90) == b"first"
    assert cubins.cubin.__wrapped__("launches.cu", 80) == b"second"


def test_no_compiler_of_cuda_is_told_with_the_words_of_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(text: str, architecture: int) -> bytes:
        raise OSError("not here")

    for name in ("_by_nvcc", "_by_cuda_core", "_by_cupy"):
        monkeypatch.setattr(cubins, name, refuse)
    monkeypatch.delenv("NEXUS_GPU_CUBINS", raising=False)
    with pytest.raises(NotMeasured, match=r"not here.*not here.*not here"):
        cubins.cubin.__wrapped__("launches.cu", 90)


@pytest.mark.usefixtures("baseline")
def test_a_peer_on_a_mac_that_computes_otherwise_is_a_mismatch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wrong = numpy_as_peer()
    peer = dataclasses.replace(wrong, functions={**wrong.functions, "sum": np.max})
    metal = importlib.import_module("gpu_rows.algorithms_metal")
    monkeypatch.setattr(metal, "peers", lambda: ([peer], []))
    with pytest.raises(Mismatch, match=r"sum of 16384 floats: numpy differs"):
        measured("algorithms_metal")
