# SPDX-License-Identifier: Apache-2.0
"""A mistake in a kernel is told with the user's line, a caret and Nexus' own words."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from pathlib import Path

import pytest
from mistake_messages import Mistake, message_of, read_mistakes

import nexus

MISTAKES = read_mistakes()


def compiler_command(name: str) -> str:
    """Returns a value for CC; skips where the machine lacks the compiler."""
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


def test_no_message_suggests_the_name_that_was_written() -> None:
    for mistake in MISTAKES:
        assert not re.search(r"(\w+) is not defined; did you mean \1\?", mistake.message)


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
    assert f"{part}:1:45: sqrtf is not defined; use nexus_sqrt\n" in str(refused.value)


def test_code_for_one_target_may_use_what_is_not_portable() -> None:
    program = """
#if NEXUS_TARGET_CPU
static long wide(const long *values) { return *values; }
#endif
NEXUS_KERNEL(k, (int, n)) {}
"""
    nexus.Program(program).compile("cpu")


# Each looks like a mistake that is refused by the program's text, and is none.
NO_MISTAKES = {
    "a table in a function": """
NEXUS_FUNCTION float weight(int i) {
  static const float weights[2] = {1, 2};
  return weights[i];
}
NEXUS_KERNEL(k, (NEXUS_GLOBAL float *, x)) { x[0] = weight(1); }
""",
    "tables, types and prototypes of a file": """
NEXUS_CONSTANT_DATA float table[2] = {1, 2};
static const int kCount = 2, kHalf = 1;
struct later;
struct pair { int a, b; };
typedef struct { float x; } point;
enum { ONE = 1 };
static inline int sum(struct pair p);
static inline int sum(struct pair p) { return p.a + p.b + ONE + kCount + kHalf; }
NEXUS_KERNEL(k, (NEXUS_GLOBAL float *, x)) {
  struct pair p = {1, 2};
  point q = {table[0]};
  x[0] = q.x + sum(p);
}
""",
    "pointers to the group's memory in a body": """
NEXUS_FUNCTION float first(NEXUS_LOCAL const float values[]) { return values[0]; }
NEXUS_KERNEL(k, (NEXUS_LOCAL float, part, 64), (NEXUS_GLOBAL float *, x)) {
  NEXUS_LOCAL float *row = part;
  NEXUS_LOCAL const float *rows[1] = {(NEXUS_LOCAL float *)row};
  x[0] = first(rows[0]);
}
""",
    "loops by a macro": """
#define EACH(i, n) for (int i = 0; i < (n); ++i)
#define UNROLLED _Pragma("GCC unroll 2")
NEXUS_KERNEL(k, (NEXUS_GLOBAL float *, x)) {
  if (x[0] > 1) {
    x[0] = 1;
  } else EACH(i, 2) {
    x[i] = 1;
  }
  UNROLLED for (int i = 0; i < 2; ++i) { x[i] += 1; }
  do EACH(i, 2) { x[i] += 1; } while (x[0] < 1);
}
""",
    "braces that an #if chooses": """
#if NEXUS_TARGET_CPU
NEXUS_KERNEL(k, (NEXUS_GLOBAL float *, x)) {
#else
NEXUS_KERNEL(k, (NEXUS_GLOBAL float *, x), (int, n)) {
#endif
  float one = 1;
  x[0] = one;
}
NEXUS_FUNCTION float half(float a) { return a * 0.5f; }
""",
    "long long by a macro, and long for one target": """
#define INDEX long long
#if NEXUS_TARGET_CPU
#define WORD long
#endif
NEXUS_KERNEL(k, (NEXUS_GLOBAL float *, x), (INDEX, n)) { x[n] = 1; }
""",
}


@pytest.mark.parametrize("name", NO_MISTAKES)
def test_what_only_looks_like_a_mistake_is_taken(any_compiler: str, name: str) -> None:
    nexus.Program(NO_MISTAKES[name]).compile("cpu")


def test_a_macro_may_say_whose_memory_a_pointer_points_to() -> None:
    program = "#define INPUT NEXUS_GLOBAL const\nNEXUS_KERNEL(k, (INPUT float *, x)) {}\n"
    nexus.Program(program).compile("cpu")
    options = nexus.ProgramOptions(defines={"OUTPUT": "NEXUS_GLOBAL"})
    nexus.Program("NEXUS_KERNEL(k, (OUTPUT float *, x)) {}", options=options).compile("cpu")
