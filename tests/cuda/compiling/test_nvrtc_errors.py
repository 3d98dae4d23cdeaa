# SPDX-License-Identifier: Apache-2.0
"""Errors for a refused program or flag."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mistake_messages import Mistake, message_of, read_mistakes

import nexus

pytestmark = pytest.mark.usefixtures("device")

MISTAKE = """
extern "C" __global__ void k(int *x) {
\tint y =  undeclared_thing;
  x[0] = y;
}
"""
GOOD = 'extern "C" __global__ void k(int *x) { x[0] = 1; }'


def refusal(text: str, name: str = "mine.cu", **options: Any) -> nexus.CompileError:
    with pytest.raises(nexus.CompileError) as error:
        nexus.Program(text, "cuda", name, nexus.ProgramOptions(**options)).compile("cuda")
    return error.value


def test_a_mistake_is_told_with_file_line_column_and_caret() -> None:
    error = refusal(MISTAKE)
    assert 'mine.cu:3:11: error: identifier "undeclared_thing" is undefined' in str(error)
    assert "\tint y =  undeclared_thing;\n  \t         ^\n" in error.log
    assert "--std=c++17" in error.flags


def test_a_mistake_in_an_included_file_is_told_with_that_file(tmp_path: Path) -> None:
    (tmp_path / "part.cuh").write_text("#define ONE 1\n__device__ int f() { return other; }\n")
    error = refusal(f'#include "part.cuh"\n{GOOD}', include_paths=[tmp_path])
    assert "part.cuh:2:" in str(error)
    assert '"other" is undefined' in str(error)


# Mistakes that NVRTC accepts, or reports at another column or in its own words.
OTHERWISE_ON_CUDA = {
    "size_t",
    "size_t as a parameter",
    "a function of the C library",
    "printf",
    "writing to a const buffer",
    "a struct as a parameter",
    "an array outside of local memory",
    "a name of CUDA",
    "an index into a number",
    "a kernel of CUDA",
    "NULL",
    "two mistakes",
    "a helper without return",
    "a helper that returns nothing on one way",
    "a helper with an empty return",
    "a pointer as a bound",
    "an #error beside an unknown name",
    "a helper that is declared only",
    "names of math.h",
}


@pytest.mark.parametrize(
    "mistake", [each for each in read_mistakes() if each.name not in OTHERWISE_ON_CUDA], ids=str
)
def test_a_mistake_in_the_portable_language_has_the_message_of_the_cpu(mistake: Mistake) -> None:
    said = message_of(mistake.program, "cuda")
    assert said == mistake.message.replace("for cpu", "for cuda", 1)


@pytest.mark.parametrize("name", ["a (1).cu", "ünï.cu", 'quo"te.cu', "back\\slash.cu"])
def test_any_name_is_told_as_it_is(name: str) -> None:
    assert f"{name}:3:11: error" in refusal(MISTAKE, name).log


def test_a_warning_is_in_the_log() -> None:
    code = nexus.Program(f"#warning mind the gap\n{GOOD}", "cuda", "gap.cu").compile("cuda")
    assert "gap.cu:1:2: warning" in code.log
    assert "mind the gap" in code.log


def test_a_missing_header_is_told() -> None:
    assert "nofile.h" in str(refusal(f"#include <nofile.h>\n{GOOD}"))


def test_a_call_of_what_is_nowhere_is_a_mistake_of_the_program() -> None:
    text = '__device__ int g(int); extern "C" __global__ void k(int *x) { x[0] = g(1); }'
    assert "_Z1gi" in str(refusal(text))


@pytest.mark.parametrize(
    ("flag", "why"),
    [
        ("no-hyphen", "begins with '-'"),
        ("-arch=sm_80", "as the target"),
        ("--gpu-architecture=sm_80", "as the target"),
        ("-dlto", "as the target"),
        ("--std=c++14", "as the standard"),
        ("-I/tmp", "include_paths"),
        ("--include-path=/tmp", "include_paths"),
        ("--pre-include=x.h", "other files"),
        ("--time=times.csv", "other files"),
        ("-no-such-flag=1", "unrecognized option"),
        ("--maxrregcount=many", "maxrregcount"),
    ],
)
def test_a_flag_that_is_refused_is_named(flag: str, why: str) -> None:
    program = nexus.Program(GOOD, "cuda", options=nexus.ProgramOptions(extra={"cuda": [flag]}))
    with pytest.raises(ValueError, match=r"refuses the options|options has") as error:
        program.compile("cuda")
    assert why in str(error.value)


def test_a_standard_that_there_is_not_lists_those_that_there_are() -> None:
    program = nexus.Program(GOOD, "cuda", options=nexus.ProgramOptions(standard="c11"))
    with pytest.raises(ValueError, match=r"c11.*c\+\+17"):
        program.compile("cuda")


def test_a_compiler_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEXUS_CUDA_COMPILE_TIMEOUT", "0.001")
    program = nexus.Program(GOOD.replace("= 1", "= 12345"), "cuda", "slow.cu")
    with pytest.raises(nexus.NexusError, match="NEXUS_CUDA_COMPILE_TIMEOUT") as error:
        program.compile("cuda")
    assert error.value.status == nexus.status.NXS_CompilerNotAvailable
    monkeypatch.delenv("NEXUS_CUDA_COMPILE_TIMEOUT")
    assert program.compile("cuda").kernels[0].name == "k"


def test_no_compiler_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEXUS_CUDA_NVRTC", "/no/such/libnvrtc.so")
    with pytest.raises(nexus.NexusError, match=r"nexus-cuda\[nvrtc\]") as error:
        nexus.Program(GOOD, "cuda", "none.cu").compile("cuda")
    assert error.value.status == nexus.status.NXS_CompilerNotAvailable
    assert "/no/such/libnvrtc.so" in str(error.value)
