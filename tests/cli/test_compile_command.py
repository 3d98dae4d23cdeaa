# SPDX-License-Identifier: Apache-2.0
"""`nexus compile` and `nexus cache`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from python_process import run_python

import nexus
from nexus.cli import main

SOURCE = """
#if defined(NOISY)
#warning "mind the gap"
#endif
NEXUS_KERNEL(fill, (NEXUS_GLOBAL int *, out), (int, value)) { out[nexus_global_id(0)] = value; }
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with kernel.c, in which the commands run."""
    (tmp_path / "kernel.c").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.smoke
def test_the_code_is_written_and_loads(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", "kernel.c", "--target", "cpu", "-o", "fill.so"]) == 0
    output = capfd.readouterr()
    assert output.out.startswith("fill.so: ")
    assert "\n  fill(out, value)\n" in output.out
    assert output.err == ""
    library = nexus.get_device("cpu").load_library(folder / "fill.so")
    assert library.get_kernel("fill").name == "fill"


def test_the_name_of_the_output_is_the_programs(folder: Path) -> None:
    assert main(["compile", "kernel.c", "--target", "cpu"]) == 0
    assert {path.stem for path in folder.iterdir()} == {"kernel"}
    assert len(list(folder.iterdir())) == 2


def test_object_code_is_written_on_request(folder: Path) -> None:
    assert main(["compile", "kernel.c", "--target=cpu", "--object-code", "-O0", "-DN=1"]) == 0
    code = nexus.ObjectCode.load(folder / "kernel.nexus")
    assert [kernel.name for kernel in code.kernels] == ["fill"]
    assert {"-O0", "-DN=1"} <= set(code.flags)


def test_flags_are_shown_and_nothing_is_written(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["compile", "kernel.c", "--target=cpu", "--flags", "--fast-math", "-DN=a b"]
    assert main(words) == 0
    shown = capfd.readouterr().out
    assert "-O3" in shown
    assert "'-DN=a b'" in shown
    assert [path.name for path in folder.iterdir()] == ["kernel.c"]


def test_warnings_are_shown_on_request(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", "kernel.c", "--target=cpu", "-DNOISY"]) == 0
    assert capfd.readouterr().err == ""
    assert main(["compile", "kernel.c", "--target=cpu", "-DNOISY", "--log"]) == 0
    assert "mind the gap" in capfd.readouterr().err


def test_a_program_that_is_refused_leaves_no_file(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "kernel.c").write_text("NEXUS_KERNEL(k, (int, n)) { undeclared_thing; }\n")
    assert main(["compile", "kernel.c", "--target=cpu", "-o", "k.so"]) == 1
    assert "kernel.c:1:" in capfd.readouterr().err
    assert [path.name for path in folder.iterdir()] == ["kernel.c"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["nowhere.c"], "nowhere.c: No such file or directory."),
        (["kernel.c", "-o", "no/k.so"], "There is no folder 'no' to write 'no/k.so' to."),
        (["kernel.c", "-o", "."], "'.' is a folder: name a file with -o."),
        (["kernel.c", "-O", "fast"], "-O is 'fast': it has to be 0, 1, 2 or 3."),
        (["kernel.c", "--target", "cpu:no-such-processor"], "no-such-processor"),
        (["kernel.c", "--target", ""], "target is ''"),
        (["kernel.c", "--standard", ""], "standard is ''"),
        (["kernel.c", "--flag=-o"], "-o"),
        (["kernel.c", "--warp"], "--warp"),
        ([], "FILE"),
    ],
)
def test_misuse_is_a_sentence_and_status_2(
    words: list[str], told: str, capfd: pytest.CaptureFixture[str]
) -> None:
    try:
        status = main(["compile", "--target=cpu", *words])
    except SystemExit as end:  # argparse's
        status = int(end.code or 0)
    assert status == 2
    assert told in capfd.readouterr().err


def nexus_cache(folder: Path, *words: str) -> str:
    done = run_python(
        "-m",
        "nexus.cli",
        *words,
        more={"NEXUS_CACHE_DIR": str(folder / "cache"), "NEXUS_CACHE": "1"},
        check=True,
    )
    return done.stdout


def test_the_cache_is_shown_and_emptied(folder: Path) -> None:
    assert json.loads(nexus_cache(folder, "cache", "info", "--json"))["entries"] == 0
    nexus_cache(folder, "compile", "kernel.c", "--target=cpu")
    told = json.loads(nexus_cache(folder, "cache", "info", "--json"))
    assert (told["entries"], told["folder"], told["off"]) == (1, str(folder / "cache"), "")
    assert told["size"] > 1000
    shown = nexus_cache(folder, "cache", "info")
    assert str(folder / "cache") in shown
    assert nexus_cache(folder, "cache", "clear") == "Removed 1 compiled program.\n"
    assert json.loads(nexus_cache(folder, "cache", "info", "--json"))["entries"] == 0


def test_a_cache_that_is_off_says_so() -> None:
    done = run_python("-m", "nexus.cli", "cache", "info", more={"NEXUS_CACHE": "0"}, check=True)
    assert "NEXUS_CACHE" in done.stdout
