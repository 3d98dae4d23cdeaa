# SPDX-License-Identifier: Apache-2.0
"""Defines, include paths and options reach the compiler unchanged, or are refused."""

from __future__ import annotations

import ctypes
import shutil

import pytest
from compiling import (
    ADD,
    COMPILE_PROGRAM_FAILURE,
    INVALID_COMPILER_OPTIONS,
    SUCCESS,
    Outcome,
    Workshop,
)

pytestmark = pytest.mark.skipif(
    not (shutil.which("clang") or shutil.which("gcc") or shutil.which("cc")),
    reason="needs a C compiler",
)


def text_of(made: Outcome) -> str:
    """Returns the result of the library's function text()."""
    assert made.status == SUCCESS, made.error
    function = ctypes.CDLL(str(made.library)).text
    function.restype = ctypes.c_char_p
    value: bytes = function()
    return value.decode()


@pytest.mark.parametrize(
    "value", ["a b", "$(id)", "`id`; rm x", "it's", '"\\" "', "%s -o x", "ü", "-O0", ""]
)
def test_the_value_of_a_define_is_kept_to_the_letter(workshop: Workshop, value: str) -> None:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    source = "const char *text(void) { return TEXT; }\n"
    assert text_of(workshop.compile(source, define=f'TEXT="{escaped}"')) == value


def test_defines_with_and_without_a_value(workshop: Workshop) -> None:
    made = workshop.compile("int sum = A + B_2;\n", define=["A", "B_2=20"])
    assert made.status == SUCCESS, made.error
    assert ctypes.c_int.in_dll(ctypes.CDLL(str(made.library)), "sum").value == 21


@pytest.mark.parametrize(
    "define", ["", "=1", "1A", "A B", "A(x)=x", "-DA", "A\nB", "Ä=1", "A-B=1", "A;B"]
)
def test_a_define_without_a_name_is_refused(workshop: Workshop, define: str) -> None:
    made = workshop.compile(define=define)
    assert made.status == INVALID_COMPILER_OPTIONS
    assert f"defines has '{define}'" in made.error


@pytest.mark.parametrize("value", ["1\n#error injected", "1\r2", "1\\"])
def test_a_define_ends_with_its_line(workshop: Workshop, value: str) -> None:
    made = workshop.compile(define=f"A={value}")
    assert made.status == INVALID_COMPILER_OPTIONS
    assert "the value of 'A'" in made.error


def test_folders_are_searched_whatever_their_names(workshop: Workshop) -> None:
    folders: list[str] = []
    for name in ("with space", "-o", "$HOME;x", "ü"):
        folder = workshop.folder / name
        folder.mkdir()
        (folder / f"part{len(folders)}.h").write_text(f"+ {10 ** len(folders)}\n")
        folders.append(str(folder))
    lines = [f'#include "part{i}.h"' for i in range(len(folders))]
    made = workshop.compile("\n".join(["int sum = 0", *lines, ";"]), include=folders)
    assert made.status == SUCCESS, made.error
    assert ctypes.c_int.in_dll(ctypes.CDLL(str(made.library)), "sum").value == 1111


@pytest.mark.parametrize("path", ["-", "-I", "=", "@x", "$SYSROOT"])
def test_a_folder_is_never_taken_for_a_flag(workshop: Workshop, path: str) -> None:
    made = workshop.compile(include=path)
    assert made.status == SUCCESS, made.error


def test_an_empty_folder_is_refused(workshop: Workshop) -> None:
    made = workshop.compile(include="")
    assert made.status == INVALID_COMPILER_OPTIONS
    assert "include_paths has ''" in made.error


def test_options_reach_the_compiler_in_their_order(workshop: Workshop) -> None:
    options = ["-funroll-loops", "-DLATE=2", "-ULATE", "-DLATE=3", "-Wall"]
    made = workshop.compile("int late = LATE;\n", option=options)
    assert made.status == SUCCESS, made.error
    flags = made.description["Flags"]
    assert [flag for flag in flags if flag in options] == options
    assert ctypes.c_int.in_dll(ctypes.CDLL(str(made.library)), "late").value == 3


def test_a_flag_that_linking_needs_is_given_there_too(workshop: Workshop) -> None:
    workshop.only_programs_of_its_own()
    workshop.make_program("gcc", 'echo "$@"; : > "${TMPDIR}/program.o"')
    words = workshop.compile(option=["-fopenmp", "-Wall", "-ffast-math"]).log.splitlines()
    (linking,) = [line for line in words if "-shared" in line]
    assert "-fopenmp" in linking
    assert "-ffast-math" not in linking


@pytest.mark.parametrize(
    "option",
    [
        "-Rpass=loop-vectorize", "-Rpass-missed=loop-vectorize", "-Rpass-analysis=loop-vectorize",
        "-fopt-info-vec", "-fopt-info-vec-missed",
    ],
)  # fmt: skip
def test_reports_of_loops_are_allowed(workshop: Workshop, option: str) -> None:
    made = workshop.compile(option=option, only="describe")
    assert option in made.description["Flags"], made.error


def test_a_library_is_named_behind_the_program(workshop: Workshop) -> None:
    source = "double cos(double);\ndouble f(double x) { return cos(x); }\n"
    made = workshop.compile(source, option=["-L/usr/lib", "-lm"])
    assert made.status == SUCCESS, made.error
    assert made.description["Flags"][-3:] == ["-L/usr/lib", "-lm", "-lm"]


@pytest.mark.parametrize(
    "option",
    [
        "-o/tmp/x", "-o", "-c", "-S", "-E", "-xc++", "-B/tmp", "-fplugin=/tmp/x.so",
        "-fpass-plugin=/tmp/x.so", "-wrapper,/bin/sh", "-specs=/tmp/x", "@/tmp/x", "other.c",
        "/etc/passwd", "-include/etc/passwd", "-imacros/etc/passwd", "-Wl,-o,/tmp/x",
        "-Wa,-o,/tmp/x", "-Wp,-MD,/tmp/x", "-Xlinker", "-Xclang", "-mllvm", "-MD", "-MF/tmp/x",
        "-save-temps", "-fdump-tree-all", "-fuse-ld=/tmp/x", "-T/tmp/x", "-I", "-D",
        "--output=/tmp/x", "--include=/tmp/x", "--config=/tmp/x", "-", "", " -O2",
        "-march=native", "-mcpu=native", "-mabi=ms", "-std=c99", "-shared",
    ],
)  # fmt: skip
def test_what_names_files_or_is_chosen_elsewhere_is_refused(
    workshop: Workshop, option: str
) -> None:
    made = workshop.compile(option=option)
    assert made.status == INVALID_COMPILER_OPTIONS
    assert f"options has '{option}': " in made.error
    assert made.description == {}


@pytest.mark.parametrize(
    "option",
    [
        "-fmodule-mapper=|{program}",
        "-fopt-info-all={file}",
        "-time={file}",
        "-fprofile-generate={file}",
        "-fprofile-arcs",
        "-ftest-coverage",
        "-fstack-usage",
        "-fcallgraph-info",
        "-fsave-optimization-record",
        "-foptimization-record-file={file}",
        "-fdiagnostics-add-output=sarif:file={file}",
        "-fdiagnostics-format=sarif-file",
        "-ftime-trace={file}",
        "-gsplit-dwarf",
        "-fauto-profile={file}",
        "-fno-integrated-as",
        "-flto=8",
        "-fsanitize=address",
        "-no-canonical-prefixes",
        "-invented-in-a-later-version",
    ],
)
def test_a_flag_of_no_known_kind_is_refused_with_the_way_to_allow_it(
    workshop: Workshop, option: str
) -> None:
    written = workshop.folder / "written"
    program = workshop.make_program("program", f": > {written}")
    option = option.format(program=program, file=written)
    made = workshop.compile(option=option)
    assert made.status == INVALID_COMPILER_OPTIONS
    assert f"options has '{option}': " in made.error
    assert f"to allow it set NEXUS_CPU_ALLOW_OPTIONS to '{option}'" in made.error
    assert not written.exists()


@pytest.mark.parametrize("allowed", ["-fstack-usage", "-O2 -fstack*", "'-fstack-usage'"])
def test_a_user_can_allow_a_flag(workshop: Workshop, allowed: str) -> None:
    workshop.use(NEXUS_CPU_ALLOW_OPTIONS=allowed)
    made = workshop.compile(option="-fstack-usage", only="describe")
    assert "-fstack-usage" in made.description["Flags"]
    assert workshop.compile(option="-fopt-info").status == INVALID_COMPILER_OPTIONS


def test_what_the_backend_chooses_can_not_be_allowed(workshop: Workshop) -> None:
    workshop.use(NEXUS_CPU_ALLOW_OPTIONS="-*")
    assert workshop.compile(option="-o/tmp/x").status == INVALID_COMPILER_OPTIONS


@pytest.mark.parametrize(
    "option",
    [
        "-Ofast", "-g3", "-Wno-unused", "-Wframe-larger-than=4096", "-w", "-mtune=generic",
        "-funroll-loops", "-fno-tree-vectorize", "-falign-loops=32", "-ffp-contract=fast",
        "-fno-exceptions", "-fopenmp", "-fvisibility=hidden", "-pthread", "-DA=x/y",
        "-I/usr/include", "-L/usr/lib", "--param=max-unroll-times=4",
    ],
)  # fmt: skip
def test_a_flag_of_a_harmless_kind_reaches_the_compiler(workshop: Workshop, option: str) -> None:
    workshop.only_programs_of_its_own()
    workshop.make_program("gcc", 'echo "$@"; : > "${TMPDIR}/program.o"')
    assert option in workshop.compile(option=option).log.split()


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--gpu-architecture=sm_90", "GPU compilers"),
        ("--use_fast_math", "GPU compilers"),
        ("--offload-arch=gfx90a", "GPU compilers"),
        ("-cl-fast-relaxed-math", "OpenCL compilers"),
        ("-fmetal-math-mode=fast", "GPU compilers"),
    ],
)
def test_flags_of_another_backend_are_refused_in_words(
    workshop: Workshop, option: str, words: str
) -> None:
    made = workshop.compile(option=option)
    assert made.status == INVALID_COMPILER_OPTIONS
    assert words in made.error


def test_a_flag_that_the_compiler_does_not_know_is_the_options_fault(workshop: Workshop) -> None:
    made = workshop.compile(ADD, option="-funroll-no-such-thing")
    assert made.status == INVALID_COMPILER_OPTIONS
    assert "refuses the options" in made.error
    assert "-funroll-no-such-thing" in made.error


def test_an_error_of_the_program_is_not_the_options_fault(workshop: Workshop) -> None:
    made = workshop.compile("int f( {}\n", option=["-Wall", "-DX=1"], target="native")
    assert made.status == COMPILE_PROGRAM_FAILURE


@pytest.mark.parametrize("optimization", [-1, 4, 1000])
def test_a_level_of_optimization_that_is_none_is_refused(
    workshop: Workshop, optimization: int
) -> None:
    made = workshop.compile(optimization=optimization)
    assert made.status == INVALID_COMPILER_OPTIONS
    assert f"optimization is {optimization}; it must be 0 to 3" in made.error


def test_bits_that_mean_nothing_are_refused(workshop: Workshop) -> None:
    made = workshop.compile(flags=1 << 40)
    assert made.status == INVALID_COMPILER_OPTIONS
    assert f"{1 << 40}" in made.error


def test_more_flags_than_the_system_takes_are_told(workshop: Workshop) -> None:
    made = workshop.compile(long_define=10_000_000)
    assert made.status == INVALID_COMPILER_OPTIONS
    assert "exceed the system's limit" in made.error
