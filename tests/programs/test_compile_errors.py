# SPDX-License-Identifier: Apache-2.0
"""Errors of programs that can't be compiled, and of compilers that can't be used."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import nexus
from nexus import CompileError, Program, ProgramOptions

MISTAKE = """
NEXUS_KERNEL_BOUNDED(k, (n), (NEXUS_GLOBAL float *, x), (int, n)) {
  x[nexus_global_id(0)] = undeclared_thing;
}
"""


def refusal(program: Program) -> CompileError:
    with pytest.raises(CompileError) as error:
        program.compile("cpu")
    return error.value


def test_an_error_has_file_line_caret_and_words_and_its_log_the_flags() -> None:
    error = refusal(Program(MISTAKE, name="mine.c", options=ProgramOptions(defines={"A": 1})))
    text = str(error)
    assert "mine.c:3:" in text
    assert "undeclared_thing" in text
    assert "^" in text
    assert "-DA=1" not in text
    assert "-DA=1" in error.flags
    assert "-DA=1" in error.log
    assert "undeclared_thing" in error.log
    assert error.status == nexus.status.NXS_CompileProgramFailure
    assert isinstance(error, nexus.NexusError)


def test_an_error_of_a_c_program_has_its_line_and_a_caret() -> None:
    text = "int f(void) {\n  return absent;\n}\n"
    error = refusal(Program(text, language="c", name="folder/f.c"))
    for shown in (str(error), error.log):
        lines = shown.splitlines()
        at = lines.index(next(line for line in lines if line.endswith("return absent;")))
        assert lines[at - 1].startswith("folder/f.c:2:10: error:")
        assert lines[at].index("absent") == lines[at + 1].index("^")


def test_a_file_is_named_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "mine.c"
    path.write_text(MISTAKE)
    assert f"{path}:3:" in str(refusal(Program(path)))


def test_a_mistake_in_an_included_file_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "part.h").write_text("#define A 1\nint f(void) { return undeclared_thing; }\n")
    (tmp_path / "k.c").write_text('#include "part.h"\nNEXUS_KERNEL(k, (int, n)) {}\n')
    assert "part.h:2:" in str(refusal(Program(tmp_path / "k.c")))


def test_a_mistake_in_a_macros_arguments_is_told_with_its_line() -> None:
    text = "\n\nNEXUS_KERNEL(k, (no_such_type, n)) {}\n"
    assert "macro.c:3:" in str(refusal(Program(text, name="macro.c")))


@pytest.mark.parametrize(
    ("text", "language", "told"),
    [
        ("NEXUS_FUNCTION int f(int x) { return x; }\n", "nexus", r"begin one with NEXUS_KERNEL\("),
        ("static int f(int x) { return x; }\n", "c", "a function that is not static"),
    ],
)
def test_a_program_without_a_kernel_is_refused(text: str, language: str, told: str) -> None:
    with pytest.raises(CompileError, match=f"'none.c' has no kernel; .*{told}") as error:
        Program(text, language, "none.c").compile("cpu")
    assert error.value.status == nexus.status.NXS_InvalidProgram


def test_a_compiler_that_is_absent_is_no_mistake_of_the_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(nexus.NexusError, match="no-such-compiler") as error:
        Program(MISTAKE).compile("cpu")
    assert not isinstance(error.value, CompileError)
    assert error.value.status == nexus.status.NXS_CompilerNotAvailable


def test_a_compile_error_keeps_its_log_when_pickled() -> None:
    error = refusal(Program(MISTAKE))
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.log, again.flags, again.status) == (
        str(error), error.log, error.flags, error.status,
    )  # fmt: skip
