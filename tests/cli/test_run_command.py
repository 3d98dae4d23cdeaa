# SPDX-License-Identifier: Apache-2.0
"""`nexus run`."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

import nexus
from nexus.cli import main

SOURCE = """
NEXUS_KERNEL_BOUNDED(saxpy, (n), (NEXUS_GLOBAL const float *, x), (NEXUS_GLOBAL float *, y),
                     (float, a), (int, n)) {
  int i = nexus_global_id(0);
  y[i] = a * x[i] + y[i] + SHIFT;
}
NEXUS_KERNEL(touch, (NEXUS_GLOBAL int *, x), (nexus_int64, at)) { x[at] = 1; }
NEXUS_KERNEL(part, (NEXUS_LOCAL int *, scratch), (NEXUS_GLOBAL int *, x)) {
  scratch[nexus_local_id(0)] = 3;
  x[nexus_global_id(0)] = scratch[nexus_local_id(0)];
}
"""

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """`nexus run` in a folder with kernel.c, x.npy and y.npy; status, output, errors."""
    (tmp_path / "kernel.c").write_text(SOURCE)
    np.save(tmp_path / "x.npy", np.arange(4, dtype=np.float32))
    np.save(tmp_path / "y.npy", np.ones(4, np.float32))
    monkeypatch.chdir(tmp_path)

    def start(*words: str) -> tuple[int, str, str]:
        try:
            status = main(["run", "kernel.c", "--device", "cpu", "-DSHIFT=0", *words])
        except SystemExit as end:  # argparse's
            status = int(end.code or 0)
        output = capfd.readouterr()
        return status, output.out, output.err

    return start


SAXPY = ("--kernel", "saxpy", "--grid", "4", "x.npy", "y.npy", "2.0f", "4")


@pytest.mark.smoke
def test_a_kernel_runs_and_writes_an_array(run: Run, tmp_path: Path) -> None:
    status, out, err = run(*SAXPY, "--out", "1=y2.npy")
    assert (status, err) == (0, "")
    assert np.load(tmp_path / "y2.npy").tolist() == [1.0, 3.0, 5.0, 7.0]
    assert np.load(tmp_path / "y.npy").tolist() == [1.0] * 4
    assert out.startswith("saxpy(x=float32[4], y=float32[4], a=2.0, n=4) on cpu:0: grid 4, group ")
    assert "argument 1 ('y') is in y2.npy" in out


def test_the_program_is_started_as_users_do(run: Run, tmp_path: Path) -> None:
    words = ["run", "kernel.c", "-DSHIFT=0", "--device=cpu", *SAXPY, "--out", "y=named.npy"]
    subprocess.run([sys.executable, "-m", "nexus.cli", *words], check=True)
    assert np.load(tmp_path / "named.npy").tolist() == [1.0, 3.0, 5.0, 7.0]


def test_options_may_stand_anywhere(run: Run, tmp_path: Path) -> None:
    words = ("--grid=4,1", "--kernel=saxpy", "x.npy", "--group", "2", "y.npy", "-O", "1", "-2.0f",
             "-DSHIFT=1", "4", "--fast-math", "--out=y=y2.npy")  # fmt: skip
    assert run(*words)[0] == 0
    assert np.load(tmp_path / "y2.npy").tolist() == [2.0, 0.0, -2.0, -4.0]


def test_arrays_may_be_made_of_zeros(run: Run, tmp_path: Path) -> None:
    words = (
        "--kernel", "saxpy", "--grid", "4", "x.npy", "float32[2,2]", "3", "4", "--out", "1=z.npy",
    )  # fmt: skip
    assert run(*words)[0] == 0
    assert np.load(tmp_path / "z.npy").tolist() == [[0.0, 3.0], [6.0, 9.0]]


def test_a_vector_is_given_by_its_numbers(run: Run, tmp_path: Path) -> None:
    (tmp_path / "kernel.c").write_text(
        "NEXUS_KERNEL(k, (NEXUS_GLOBAL nexus_float4 *, x), (nexus_float4, v)) { x[0] = v; }\n"
    )
    status, out, err = run("--grid=1", "float32[4]", "float32:1,2,3,4", "--out=x=x.npy")
    assert (status, err) == (0, "")
    assert np.load(tmp_path / "x.npy").tolist() == [1, 2, 3, 4]
    assert "v=float32[4]" in out


def test_local_memory_is_given_by_its_bytes(run: Run, tmp_path: Path) -> None:
    words = ("--kernel=part", "--grid=4", "--group=2", "local[8]", "int32[4]", "--out=x=p.npy")
    assert run(*words)[0] == 0
    assert np.load(tmp_path / "p.npy").tolist() == [3, 3, 3, 3]


def test_times_are_told_and_the_result_is_of_the_first_run(run: Run, tmp_path: Path) -> None:
    status, out, _ = run(*SAXPY, "--out", "1=y2.npy", "--time", "--runs=3")
    assert status == 0
    assert "median of 3" in out
    assert np.load(tmp_path / "y2.npy").tolist() == [1.0, 3.0, 5.0, 7.0]


@pytest.mark.parametrize(
    ("option", "said"), [("--isolate", ""), ("--check", "nexus run: nothing was found.\n")]
)
def test_a_kernel_in_a_child_does_the_same(
    run: Run, tmp_path: Path, option: str, said: str
) -> None:
    status, out, err = run(*SAXPY, option, "--out", "1=y2.npy")
    assert (status, err) == (0, said)
    assert "argument 1 ('y') is in y2.npy" in out
    assert np.load(tmp_path / "y2.npy").tolist() == [1.0, 3.0, 5.0, 7.0]


@pytest.mark.unsanitized("faults on purpose")
def test_a_kernel_that_faults_in_a_child_is_told_with_its_arguments(run: Run) -> None:
    words = ("--kernel", "touch", "--grid", "1", "int32[4]", "int64:-70368744177664", "--isolate")
    status, out, err = run(*words)
    assert (status, out) == (1, "")
    assert err.startswith(
        "nexus run: touch(x=int32[4], at=-70368744177664) on cpu:0: grid 1, group 1"
    )
    assert "ended by SIGSEGV: it accessed memory that it must not use. --check tells where." in err


@pytest.fixture
def library(run: Run, tmp_path: Path) -> Path:
    """kernel.c compiled, in place of which `run` is given its name."""
    path = tmp_path / "kernel.so"
    options = nexus.ProgramOptions(defines={"SHIFT": 0})
    code = nexus.Program(tmp_path / "kernel.c", options=options).compile("cpu")
    path.write_bytes(code.code)
    return path


@pytest.mark.parametrize("isolated", [(), ("--isolate",)])
def test_a_compiled_library_runs(
    library: Path, capfd: pytest.CaptureFixture[str], isolated: Sequence[str]
) -> None:
    words = ["run", str(library), "--device=cpu", *SAXPY, "--out", "1=y2.npy", *isolated]
    assert main(words) == 0, capfd.readouterr().err
    assert np.load("y2.npy").tolist() == [1.0, 3.0, 5.0, 7.0]


def test_a_compiled_library_takes_no_options_of_the_compiler(
    library: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", str(library), "--device=cpu", *SAXPY, "-DSHIFT=1"]) == 2
    assert "kernel.so' is compiled already: leave out the options of the compiler" in (
        capfd.readouterr().err
    )


@pytest.mark.unsanitized("faults on purpose")
def test_a_library_that_ends_its_process_while_it_loads_is_told(
    library: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source = library.with_name("deadly.c")
    source.write_text("__attribute__((constructor)) static void die(void) { __builtin_trap(); }")
    subprocess.run(["cc", "-shared", "-fPIC", source, "-o", library], check=True)
    assert main(["run", str(library), "--device=cpu", *SAXPY, "--isolate"]) == 1
    assert "the process ended by SIG" in capfd.readouterr().err


@pytest.mark.unsanitized("faults on purpose")
@pytest.mark.parametrize("order", [("--check",), ("--isolate", "--check")])
def test_a_grid_beyond_the_arrays_is_told_with_the_argument(run: Run, order: Sequence[str]) -> None:
    words = ("--kernel=saxpy", "--grid=1000000", "float32[1000]", "float32[1000]", "2.0f")
    status, out, err = run(*words, "1000000", *order)
    assert (status, out) == (1, "")
    assert "NXV-0304-out-of-bounds" in err
    assert "nexus run: " in err
    assert "the kernel 'saxpy' read byte " in err
    assert " of argument 0 (x), which has 4000 bytes, in group (" in err


@pytest.mark.parametrize("option", ["--isolate", "--check"])
def test_a_mistake_in_a_child_keeps_its_status(run: Run, option: str) -> None:
    status, out, err = run("--kernel", "saxpi", "--grid", "4", option)
    assert (status, out) == (1, "")
    assert "did you mean 'saxpy'" in err
    assert "nothing was found" not in err


def test_a_program_that_does_not_compile_ends_in_failure(run: Run, tmp_path: Path) -> None:
    (tmp_path / "kernel.c").write_text("NEXUS_KERNEL(k, (int, n)) { undeclared_thing; }\n")
    status, out, err = run("--grid", "1", "1")
    assert (status, out) == (1, "")
    assert err.startswith("nexus run: ")
    assert "kernel.c:1:" in err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--kernel=saxpy", "x.npy"), "--grid"),
        (("--kernel=saxpy", "--grid=8", "--group=0"), "--group is '0': a length is at least 1."),
        (("--kernel=saxpy", "--grid=4,4,4,4"), "--grid is '4,4,4,4': write one to three lengths"),
        (("--kernel=saxpy", "--grid=many"), "--grid is 'many': write one to three lengths"),
        (("--kernel=saxpy", "--grid", "-4"), "--grid is '-4': write one to three lengths"),
        (("--kernel=saxpy", "--grid=4", "--group=x"), "--group is 'x': write one to three lengths"),
        (("--grid=4", "x.npy"), "The program has 3 kernels: name one of part, saxpy"),
        (("--kernel=saxpy", "--grid=4", "x.npy"),
         "1 value was given, and the kernel 'saxpy' takes 4"),
        ((*SAXPY, "5"), "5 values were given, and the kernel 'saxpy' takes 4: x, y, a, n."),
        (("--kernel=saxpy", "--grid=4", "no.npy", "y.npy", "2", "4"), "There is no file 'no.npy'."),
        (("--kernel=saxpy", "--grid=4", "3", "y.npy", "2", "4"),
         "argument 0 ('x') has to be an arr"),
        (("--kernel=saxpy", "--grid=4", "x.npy", "y.npy", "2", "4.5"), "argument 3 ('n')"),
        (("--kernel=saxpy", "--grid=4", "x.npy", "y.npy", "what", "4"),
         "'what' is not a value: write"),
        (("--kernel=saxpy", "--grid=4", "int32[4]", "y.npy", "2", "4"),
         "argument 0 ('x') has elemen"),
        (("--kernel=saxpy", "--grid=4", "local[4]", "y.npy", "2", "4"),
         "argument 0 ('x') is not loc"),
        (("--kernel=part", "--grid=4", "8", "int32[4]"),
         "argument 0 ('scratch') is local memory: wr"),
        ((*SAXPY, "--out=1"), "--out is '1': write an argument and a file"),
        ((*SAXPY, "--out=7=y.npy"),
         "--out has the number 7, and the kernel 'saxpy' takes x, y, a, n"),
        ((*SAXPY, "--out=z=y.npy"),
         "--out names 'z', which is not an argument of the kernel 'saxpy'"),
        ((*SAXPY, "--out=y=a.npy", "--out=1=b.npy"), "--out names argument 1 ('y') twice."),
        ((*SAXPY, "--out=x=a.npy", "--out=y=a.npy"), "--out names the file 'a.npy' twice."),
        ((*SAXPY, "--out=a=y.npy"), "--out names argument 2 ('a'), which is not an array."),
        ((*SAXPY, "--out=y=no/y.npy"),
         "--out is 'y=no/y.npy': 'no/y.npy' can't be wr"),
        ((*SAXPY, "--time", "--runs=0"),
         "--runs is '0': write a number of runs, at least 1."),
        ((*SAXPY, "-O", "7"), "-O is '7': it has to be 0, 1, 2 or 3."),
        ((*SAXPY, "-D", "1=2"), "a name in defines is '1'"),
        ((*SAXPY, "--flag=-o"), "-o"),
        ((*SAXPY, "--device=a b"), "a b"),
        ((*SAXPY, "--group=100000000"), "100000000"),
        ((*SAXPY, "--warp"), "--warp"),
    ],
)  # fmt: skip
def test_misuse_is_a_sentence_and_status_2(run: Run, words: tuple[str, ...], told: str) -> None:
    status, out, err = run(*words)
    assert (status, out) == (2, ""), err
    assert told in err
    assert "Traceback" not in err


def test_a_missing_program_is_misuse(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", "nowhere.c", "--grid", "1"]) == 2
    assert capsys.readouterr().err == "nexus run: nowhere.c: No such file or directory.\n"


def test_a_file_that_is_no_array_is_misuse(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.npy").write_text("no array")
    status, _, err = run(*SAXPY)
    assert status == 2
    assert "'x.npy' is not an array of numbers in numpy's format" in err
