# SPDX-License-Identifier: Apache-2.0
"""`nexus db plot`: a roofline."""

from __future__ import annotations

import itertools
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nexus.cli._misuse import Misuse
from nexus.cli.db._plot import Roof, roof_of
from nexus.cli.db._roofline_picture import heights, limits, styles

Nexus = Callable[..., tuple[int, str, str]]

pytestmark = pytest.mark.usefixtures("example_files")

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def needs_matplotlib() -> None:
    pytest.importorskip("matplotlib", reason='draws the picture: pip install "nexus-core[plot]"')


def texts_of(file: Path) -> list[str]:
    """The texts of an SVG."""
    root = ElementTree.parse(file).getroot()
    return [
        "".join(each.itertext()).strip() for each in root.iter("{http://www.w3.org/2000/svg}text")
    ]


def test_the_figures_are_those_of_the_file() -> None:
    roof = roof_of("X100", "float32", "vector")
    assert (roof.name, roof.bandwidth, roof.rate) == ("X100", 1e12, 2e13)
    assert [citation.title for citation in roof.citations] == ["Sheet"]


def test_a_rate_that_is_not_told_is_made_of_cores_operations_and_clock() -> None:
    roof = roof_of("X200", "float32", "vector")
    assert roof.rate == 20 * 1000 * 1500e6
    assert roof.bandwidth == 4096 / 8 * 4000e6
    assert [citation.title for citation in roof.citations] == ["Guide", "Sheet"]


def test_the_rate_is_that_of_the_wanted_units() -> None:
    assert roof_of("X100", "float16", "matrix").rate == 8e13


def test_a_device_without_the_rate_is_misuse_that_tells_those_it_has() -> None:
    with pytest.raises(Misuse) as caught:
        roof_of("X200", "float16", "matrix")
    assert str(caught.value) == (
        "the file of 'X200' (X200) lacks the peak rate 'float16 matrix'; "
        "it has 'float32', 'int8 matrix'."
    )


def test_a_device_without_a_bandwidth_is_misuse_that_tells_its_variants() -> None:
    with pytest.raises(Misuse) as caught:
        roof_of("ex1", "float32", "vector")
    assert str(caught.value) == (
        "the file of 'ex1' (Example One) lacks MemoryBandwidth, the highest rate of the main "
        "memory. Its variants may have more: X100, X200."
    )


@pytest.mark.usefixtures("needs_matplotlib")
def test_an_svg_names_devices_figures_axes_and_sources(tmp_path: Path, run_nexus: Nexus) -> None:
    file = tmp_path / "roofline.svg"
    assert run_nexus("db", "plot", "X100", "X200", "-o", str(file)) == (
        0,
        f"{file}: a roofline of X100, X200\n",
        "",
    )
    texts = texts_of(file)
    for text in (
        "Roofline, float32",
        "Arithmetic intensity (FLOP/byte)",
        "Performance (FLOP/s)",
        "X100 [1]",
        "20 TFLOP/s, 1 TB/s",
        "X200 [1,2]",
        "30 TFLOP/s, 2.048 TB/s",
        "[1] Sheet. Example Works, 2025: Table 1. (read 2026-01-02)",
        "[2] Guide. Example Works, 2025: Table 1. (read 2026-01-02)",
    ):
        assert text in texts


@pytest.mark.usefixtures("needs_matplotlib")
def test_integers_are_counted_in_op(tmp_path: Path, run_nexus: Nexus) -> None:
    file = tmp_path / "roofline.svg"
    run_nexus("db", "plot", "X200", "--data-type=int8", "--unit=matrix", "-o", str(file))
    assert {"Roofline, int8 matrix units", "Performance (OP/s)"} <= set(texts_of(file))


@pytest.mark.usefixtures("needs_matplotlib")
@pytest.mark.parametrize("ending", ["svg", "png"])
def test_any_text_of_a_file_can_be_drawn(
    ending: str, example_files: Path, tmp_path: Path, run_nexus: Nexus
) -> None:
    source = example_files / "example-gpu-ex1.json"
    tree = json.loads(source.read_text())
    tree["Variants"][0]["Name"] = "X $\\frac$ <b>&\x07 处理器"
    tree["Variants"][0]["Aliases"] = ["X100"]
    source.write_text(json.dumps(tree).replace("Variants/X100", f"Variants/{tree['Name']}"))
    file = tmp_path / f"roofline.{ending}"
    status, _, err = run_nexus("db", "plot", "X100", "-o", str(file))
    assert (status, err) == (0, "")
    if ending == "svg":
        assert "X $\\frac$ <b>&? 处理器" in " ".join(texts_of(file))


@pytest.mark.usefixtures("needs_matplotlib")
def test_the_same_devices_make_the_same_svg(tmp_path: Path, run_nexus: Nexus) -> None:
    files = [tmp_path / "a.svg", tmp_path / "b.svg"]
    for file in files:
        run_nexus("db", "plot", "X100", "-o", str(file))
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.usefixtures("needs_matplotlib")
def test_the_ending_says_the_format(tmp_path: Path, run_nexus: Nexus) -> None:
    file = tmp_path / "roofline.PNG"
    assert run_nexus("db", "plot", "X100", "-o", str(file))[0] == 0
    assert file.read_bytes().startswith(PNG)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("roofline.gif", "the name of a picture ends in .svg or .png."),
        ("roofline", "the name of a picture ends in .svg or .png."),
        ("", "the name of a picture ends in .svg or .png."),
        ("folder.svg", "which is a folder: name a file."),
        ("missing/roofline.svg", "There is no folder 'missing' to write 'missing/roofline.svg'"),
    ],
)
def test_an_output_that_can_not_be_is_misuse(
    name: str,
    said: str,
    tmp_path: Path,
    run_nexus: Nexus,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "folder.svg").mkdir()
    monkeypatch.chdir(tmp_path)
    status, out, err = run_nexus("db", "plot", "X100", "-o", name)
    assert (status, out) == (2, "")
    assert said in err


@pytest.mark.usefixtures("needs_matplotlib")
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that takes no files")
def test_an_output_that_can_not_be_written_is_misuse(run_nexus: Nexus) -> None:
    status, _, err = run_nexus("db", "plot", "X100", "-o", "/proc/roofline.svg")
    assert status == 2
    assert err.startswith("nexus db: '/proc/roofline.svg' can't be written: ")


@pytest.mark.parametrize("words", [["X100"], ["-o", "x.svg"], ["X100", "-o", "x.svg", "--unit=no"]])
def test_missing_or_wrong_words_are_misuse(words: list[str], run_nexus: Nexus) -> None:
    status, _, err = run_nexus("db", "plot", *words)
    assert status == 2
    assert "usage: nexus db plot" in err


def test_a_data_type_that_is_none_is_misuse(run_nexus: Nexus) -> None:
    status, _, err = run_nexus("db", "plot", "X100", "--data-type", "floot", "-o", "x.svg")
    assert status == 2
    assert err.startswith("nexus db: --data-type is 'floot'; it is one of float64, ")


def test_without_matplotlib_a_sentence_says_what_to_install(
    tmp_path: Path, run_nexus: Nexus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    file = tmp_path / "roofline.svg"
    status, out, err = run_nexus("db", "plot", "X100", "-o", str(file))
    assert (status, out) == (1, "")
    assert err.startswith("nexus db: Plots need matplotlib, which can't be imported (")
    assert err.endswith('): pip install "nexus-core[plot]".\n')
    assert not os.path.lexists(file)


def test_roofs_of_a_group_have_one_colour_and_different_dashes() -> None:
    names = ("a", "a peak", "b")
    roofs = [Roof(name, 1e12, 1e13, group=name[0]) for name in names]
    (colour, solid), (same, dashed), (other, again) = styles(roofs)
    assert colour == same != other
    assert solid == again != dashed


def test_the_picture_shows_every_ridge() -> None:
    roofs = [roof_of(name, "float32", "vector") for name in ("X100", "X200")]
    left, right, bottom, top = limits(roofs)
    for roof in roofs:
        assert left < roof.rate / roof.bandwidth < right
        assert bottom < roof.rate < top


@given(st.lists(st.floats(0, 1), min_size=1, max_size=10))
def test_labels_stand_apart_and_inside(wanted: list[float]) -> None:
    made = heights(sorted(wanted, reverse=True), 0.1)
    assert all(above - below > 0.0999 for above, below in itertools.pairwise(made))
    assert min(made) > 0.0499
    assert max(made) < 0.9501


def test_a_label_with_room_stands_at_its_line() -> None:
    assert heights([0.8, 0.3], 0.1) == pytest.approx([0.8, 0.3])
    assert heights([0.5, 0.5], 0.2) == pytest.approx([0.6, 0.4])
