# SPDX-License-Identifier: Apache-2.0
"""`nexus demo`."""

from __future__ import annotations

import io
import struct
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from python_process import run_python
from rich.console import Console

import nexus
from nexus.cli import _demo, _demo_library, main
from nexus.cli._demo_library import DemoLibrary, NoLibrary
from nexus.cli._demo_picture import Picture, colours

Nexus = Callable[..., tuple[int, str, str]]

ROOT = Path(__file__).parents[2]
WRONG_KERNEL = """
#include <nexus_kernel.h>
NEXUS_KERNEL_BOUNDED(mandelbrot, (width, height), (NEXUS_GLOBAL int *, turns), (int, width),
                     (int, height), (float, left), (float, top), (float, pixel), (int, limit)) {
  turns[nexus_global_id(1) * width + nexus_global_id(0)] =
      left + top + pixel < 0.0f ? limit : limit - 1;
}
"""


@pytest.fixture
def cpu_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nexus.get_runtimes", lambda: [nexus.get_runtime("cpu")])


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


def test_a_wrong_picture_is_named_and_ends_in_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = DemoLibrary(nexus.Program(WRONG_KERNEL).compile("cpu"), "wrong on purpose")
    monkeypatch.setattr(_demo, "find_demo_library", lambda device: wrong)
    assert main(["demo"]) == 1
    text = capsys.readouterr()
    assert "WRONG" in text.out
    assert "pixels differ from numpy's; the first is number 0: 256 turns" in text.err
    assert "Drawn by" not in text.out


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


def test_rounding_at_the_edge_of_the_set_is_no_difference() -> None:
    expected = np.full((10, 100), 7, np.int32)
    few, many = expected.copy(), expected.copy()
    few[0, :10] += 1
    many[0, :11] += 1
    assert _demo.compare(expected, few) == ""
    assert _demo.compare(expected, many).startswith("11 of 1000 pixels differ")


def test_the_picture_is_saved_as_a_png_with_the_colours_of_its_counts(tmp_path: Path) -> None:
    counts = np.arange(12, dtype=np.int32).reshape(3, 4)
    Picture(counts, 11).save(tmp_path / "set.png")
    assert read_png(tmp_path / "set.png").tolist() == colours(counts, 11).tolist()


def test_the_demo_saves_its_picture(run_nexus: Nexus, tmp_path: Path, cpu_alone: None) -> None:
    status, out, _ = run_nexus("demo", "--save", str(tmp_path / "set.png"))
    assert (status, f"Saved to {tmp_path / 'set.png'}" in out) == (0, True)
    pixels = read_png(tmp_path / "set.png")
    assert pixels.shape == (512, 768, 3)
    assert pixels[256, 384].tolist() == [0, 0, 0]  # in the set
    assert pixels[0, 0].any()


@pytest.mark.parametrize(
    ("name", "problem"),
    [("set.jpg", "has to end with .png"), ("no/set.png", "No such file or directory")],
)
def test_a_picture_that_can_not_be_saved_is_misuse(
    name: str, problem: str, run_nexus: Nexus, tmp_path: Path, cpu_alone: None
) -> None:
    status, _, err = run_nexus("demo", "--save", str(tmp_path / name))
    assert status == 2
    assert f"--save is '{tmp_path / name}'" in err
    assert problem in err


def test_a_terminal_shows_the_picture_in_colours_and_a_file_in_letters() -> None:
    picture = Picture(np.array([[0, 16]] * 2, np.int32), 16)
    for terminal, cell in ((True, "\N{UPPER HALF BLOCK}"), (False, "@")):
        console = Console(file=io.StringIO(), force_terminal=terminal, width=2,
                          color_system="truecolor" if terminal else None)  # fmt: skip
        with console.capture() as captured:
            console.print(picture)
        assert cell in captured.get()


def test_the_kernel_that_nexus_cpu_carries_is_that_of_the_demo() -> None:
    ours = (ROOT / "packages/nexus-core/nexus/cli/demo_kernels.c").read_text()
    carried = (ROOT / "packages/nexus-cpu/kernels/demo_kernels.c").read_text()
    assert ours[ours.index("NEXUS_PHASED_KERNEL") :] in carried


def read_png(path: Path) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Returns the pixels of a PNG file whose lines are not filtered."""
    data, at, chunks = path.read_bytes(), 8, {}
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        kind, content = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert struct.unpack_from(">I", data, at + 8 + length) == (zlib.crc32(kind + content),)
        chunks[kind] = content
        at += 12 + length
    width, height = struct.unpack_from(">II", chunks[b"IHDR"])
    lines = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, -1)
    assert not lines[:, 0].any()
    return lines[:, 1:].reshape(height, width, 3)
