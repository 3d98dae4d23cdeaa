# SPDX-License-Identifier: Apache-2.0
"""The CPU backend compiles programs with each compiler of this machine."""

from __future__ import annotations

import ctypes
import platform
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest
from compiling import (
    ADD,
    COMPILE_PROGRAM_FAILURE,
    DEBUG,
    FAST_MATH,
    INVALID_COMPILER_OPTIONS,
    INVALID_VALUE,
    LINE_INFO,
    NOT_SUPPORTED,
    SUCCESS,
    Workshop,
)
from python_process import run_python

IS_X86 = platform.machine().lower() in ("x86_64", "amd64")


def zig_of_wheel() -> str | None:
    """Returns the compiler of the installed package ziglang."""
    spec = find_spec("ziglang")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        return str(Path(folder, "zig"))
    return shutil.which("zig")


@pytest.fixture(params=["clang", "gcc", "zig"])
def named_compiler(request: pytest.FixtureRequest, workshop: Workshop) -> str:
    """Sets CC to each compiler of this machine."""
    name: str = request.param
    path = zig_of_wheel() if name == "zig" else shutil.which(name)
    if path is None:
        pytest.skip(f"needs {name}")
    workshop.use(CC=f"'{path}' cc" if name == "zig" else path)
    return name


def test_a_program_becomes_a_library(workshop: Workshop, named_compiler: str) -> None:
    made = workshop.compile(ADD, name="add.c")
    assert (made.status, made.error, made.log) == (SUCCESS, "", "")
    assert ctypes.CDLL(str(made.library)).add(2, 3) == 5


@pytest.mark.parametrize("optimization", [0, 1, 2, 3])
def test_every_level_of_optimization_gives_the_same_results(
    workshop: Workshop, named_compiler: str, optimization: int
) -> None:
    made = workshop.compile(ADD, optimization=optimization, flags=DEBUG)
    assert made.status == SUCCESS, made.error
    assert f"-O{optimization}" in made.description["Flags"]
    assert ctypes.CDLL(str(made.library)).add(2, 3) == 5


@pytest.mark.parametrize("flags", [0, FAST_MATH])
def test_cxx_runs_its_constructors_and_destructors(workshop: Workshop, flags: int) -> None:
    if shutil.which("c++") is None:
        pytest.skip("needs a C++ compiler")
    source = """#include <cstdio>
struct Noisy { Noisy() { std::puts("begin"); } ~Noisy() { std::puts("end"); } };
static Noisy noisy;
template <class T> T twice(T x) { return x + x; }
extern "C" int twice_of(int x) { return twice(x); }
"""
    made = workshop.compile(source, language="c++", flags=flags, standard="c++20")
    assert made.status == SUCCESS, made.error
    program = f"import ctypes; print(ctypes.CDLL({str(made.library)!r}).twice_of(21), flush=True)"
    run = run_python("-c", program, check=True)
    assert sorted(run.stdout.split()) == ["42", "begin", "end"]


@pytest.mark.parametrize("language", ["c", "c++"])
def test_fast_mathematics_leaves_the_process_its_denormal_numbers(
    workshop: Workshop, named_compiler: str, language: str
) -> None:
    if language == "c++" and named_compiler == "zig":
        pytest.skip("zig builds its C++ library first, which takes a minute")
    made = workshop.compile("", language=language, flags=FAST_MATH, option="-Ofast")
    assert made.status == SUCCESS, made.error
    program = (
        f"import ctypes, sys; ctypes.CDLL({str(made.library)!r}); print(sys.float_info.min / 2 > 0)"
    )
    run = run_python("-c", program, check=True)
    assert run.stdout == "True\n"


def test_warnings_are_in_the_log_alone(workshop: Workshop, named_compiler: str) -> None:
    made = workshop.compile("\n#warning look here\n" + ADD, name="my kernels.c")
    assert made.status == SUCCESS
    assert "my kernels.c:2:2: warning:" in made.log
    assert "look here" in made.log


def test_an_error_has_the_users_file_and_line(workshop: Workshop, named_compiler: str) -> None:
    made = workshop.compile("int f(void) {\n  return absent;\n}\n", name="folder/f.c")
    assert made.status == COMPILE_PROGRAM_FAILURE
    assert made.error.startswith("'folder/f.c' could not be compiled by ")
    assert "folder/f.c:2:10: error:" in made.error
    assert "-std=gnu11" not in made.error
    assert made.log.rstrip() in made.error
    assert "nexus-" not in made.error
    assert not made.library.read_bytes()


@pytest.mark.parametrize("name", ['a "quoted" name', r"back\slash\n.c", "trigraph??/.c", "ü µ.c"])
@pytest.mark.parametrize("standard", ["c99", "gnu11"])
def test_the_name_is_shown_as_it_is(workshop: Workshop, name: str, standard: str) -> None:
    made = workshop.compile("#error no\n", name=name, standard=standard)
    assert made.status == COMPILE_PROGRAM_FAILURE
    assert f"{name}:1:2: error:" in made.error


@pytest.mark.parametrize("flags", [DEBUG, LINE_INFO])
def test_debug_information_has_the_lines_of_the_users_file(workshop: Workshop, flags: int) -> None:
    if shutil.which("readelf") is None:
        pytest.skip("needs readelf")
    made = workshop.compile(ADD, name="named_by_me.c", flags=flags)
    assert made.status == SUCCESS, made.error
    command = ["readelf", "--debug-dump=decodedline", str(made.library)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "named_by_me.c" in lines


def test_a_name_with_the_end_of_a_line_adds_no_line(workshop: Workshop) -> None:
    made = workshop.compile(ADD, name='x"\n#error injected\n//')
    assert made.status == SUCCESS, made.error


def test_a_call_to_what_nobody_declared_is_an_error_with_its_line(
    workshop: Workshop, named_compiler: str
) -> None:
    made = workshop.compile("int f(void) { return nowhere(); }\n", name="f.c")
    assert made.status == COMPILE_PROGRAM_FAILURE
    assert "f.c:1:22: error:" in made.error


def test_what_no_library_has_may_be_called_where_it_is_declared(
    workshop: Workshop, named_compiler: str
) -> None:
    source = "void _cpu_barrier(void *);\nvoid f(void *barrier) { _cpu_barrier(barrier); }\n"
    assert workshop.compile(source).status == SUCCESS


def test_a_name_that_was_never_heard_of_is_no_language(workshop: Workshop) -> None:
    made = workshop.compile(language="fortran")
    assert made.status == NOT_SUPPORTED
    assert "language is 'fortran'; the CPU compiles 'nexus', 'c', 'c++'" in made.error


@pytest.mark.parametrize(
    ("standard", "version"), [("c99", 199901), ("c11", 201112), ("gnu17", 201710)]
)
def test_the_standard_is_the_one_that_was_asked_for(
    workshop: Workshop, named_compiler: str, standard: str, version: int
) -> None:
    made = workshop.compile("long version = __STDC_VERSION__;\n", standard=standard)
    assert made.status == SUCCESS, made.error
    assert ctypes.c_long.in_dll(ctypes.CDLL(str(made.library)), "version").value == version


@pytest.mark.parametrize(
    ("language", "standard"), [("c", "c++17"), ("c++", "c11"), ("nexus", "c12"), ("c", "-o x")]
)
def test_another_standard_is_refused_with_those_that_there_are(
    workshop: Workshop, language: str, standard: str
) -> None:
    made = workshop.compile(language=language, standard=standard)
    assert made.status == INVALID_COMPILER_OPTIONS
    assert f"standard is '{standard}'" in made.error
    assert ("c++20" if language == "c++" else "gnu11") in made.error


def test_a_named_processor_is_what_code_is_made_for(
    workshop: Workshop, named_compiler: str
) -> None:
    if not IS_X86:
        pytest.skip("names of x86 processors")
    source = "#ifdef __AVX2__\nint avx2 = 1;\n#else\nint avx2 = 0;\n#endif\n"
    for name, value in (("x86-64-v3", 1), ("x86-64", 0)):
        made = workshop.compile(source, target=name)
        assert made.status == SUCCESS, made.error
        assert made.description["Target"] == name
        assert ctypes.c_int.in_dll(ctypes.CDLL(str(made.library)), "avx2").value == value


def test_the_own_processor_is_spelled_out(workshop: Workshop) -> None:
    native = workshop.compile(only="describe").description["Target"]
    assert native == workshop.compile(only="describe", target="native").description["Target"]
    assert native != "native"
    assert not IS_X86 or "+sse2" in native


def test_a_processor_that_the_compiler_does_not_know_is_named(
    workshop: Workshop, named_compiler: str
) -> None:
    made = workshop.compile(target="sm_90")
    assert made.status == INVALID_VALUE
    assert made.error.startswith("target is 'sm_90', which ")


@pytest.mark.parametrize("target", ["a b", "x;y", "-o", "../x", "$(id)", "native,foo", "ü"])
def test_what_can_be_no_processor_is_refused(workshop: Workshop, target: str) -> None:
    made = workshop.compile(target=target)
    assert made.status == INVALID_VALUE
    assert f"target is '{target}', which can't be" in made.error
