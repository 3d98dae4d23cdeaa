# SPDX-License-Identifier: Apache-2.0
"""A mistake in a kernel is told with the user's line, a caret and Nexus' own words."""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path

import pytest
from mistake_messages import Mistake, message_of, read_mistakes

import nexus

MISTAKES = read_mistakes()


def compiler_command(name: str) -> str:
    """What CC is set to; skips where the machine lacks the compiler."""
    if name == "zig":
        found = importlib.util.find_spec("ziglang")
        if found is not None and found.submodule_search_locations:
            return f"{Path(found.submodule_search_locations[0]) / 'zig'} cc"
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return f"{path} cc" if name == "zig" else path


@pytest.fixture(params=["gcc", "clang", "zig"])
def any_compiler(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Programs are compiled by this one."""
    monkeypatch.setenv("CC", compiler_command(request.param))
    return str(request.param)


@pytest.mark.parametrize("mistake", MISTAKES, ids=str)
def test_a_mistake_has_the_recorded_message(any_compiler: str, mistake: Mistake) -> None:
    assert message_of(mistake.program) == mistake.message


def test_at_least_twenty_mistakes_are_recorded() -> None:
    assert len(MISTAKES) >= 20


def test_no_message_shows_a_name_of_the_headers_own_or_a_flag() -> None:
    for mistake in MISTAKES:
        assert not any(word in mistake.message for word in ("nxk_", "NXK_", "Flags", "-O3"))


def test_the_flags_are_in_the_log_alone(any_compiler: str) -> None:
    options = nexus.ProgramOptions(defines={"WIDTH": 17})
    with pytest.raises(nexus.CompileError) as refused:
        nexus.Program("NEXUS_KERNEL(k, (int, n)) { undeclared; }", options=options).compile("cpu")
    assert "-DWIDTH=17" not in str(refused.value)
    assert "-DWIDTH=17" in refused.value.log
    assert "undeclared" in refused.value.log


def test_a_mistake_in_an_included_file_is_shown_there(any_compiler: str, tmp_path: Path) -> None:
    (tmp_path / "part.h").write_text("NEXUS_FUNCTION float half(float x) { return sqrtf(x); }\n")
    (tmp_path / "user.c").write_text('#include "part.h"\nNEXUS_KERNEL(k, (int, n)) {}\n')
    with pytest.raises(nexus.CompileError) as refused:
        nexus.Program(tmp_path / "user.c").compile("cpu")
    part = os.fspath(tmp_path / "part.h")
    assert f"{part}:1:45: sqrtf is not a name here; use nexus_sqrt\n" in str(refused.value)


def test_code_for_one_target_may_use_what_is_not_portable() -> None:
    program = """
#if NEXUS_TARGET_CPU
static long wide(const long *values) { return *values; }
#endif
NEXUS_KERNEL(k, (int, n)) {}
"""
    nexus.Program(program).compile("cpu")


def test_a_macro_may_say_whose_memory_a_pointer_points_to() -> None:
    program = "#define INPUT NEXUS_GLOBAL const\nNEXUS_KERNEL(k, (INPUT float *, x)) {}\n"
    nexus.Program(program).compile("cpu")
    options = nexus.ProgramOptions(defines={"OUTPUT": "NEXUS_GLOBAL"})
    nexus.Program("NEXUS_KERNEL(k, (OUTPUT float *, x)) {}", options=options).compile("cpu")
