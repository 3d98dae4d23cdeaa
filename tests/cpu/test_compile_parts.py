# SPDX-License-Identifier: Apache-2.0
"""Names of processors for each compiler, and source lines in messages."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from building import C_API, ROOT, compiler

SOURCE = ROOT / "packages" / "nexus-cpu" / "src"

Run = Callable[..., str]


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs compile_parts_tool with words and an input."""
    program = tmp_path_factory.mktemp("parts") / "parts"
    sources = [Path(__file__).parent / "compile_parts_tool.cpp"]
    sources += [SOURCE / "compile" / name for name in ("compiler.cpp", "source_lines.cpp")]
    command = [*compiler("CXX", "g++", "clang++", "c++"), "-std=c++20", f"-I{C_API}", f"-I{SOURCE}"]
    subprocess.run([*command, *sources, "-o", program], check=True)

    def run(*words: str | Path, text: str = "") -> str:
        made = subprocess.run(
            [program, *words], input=text.encode(), capture_output=True, check=True
        )
        return made.stdout.decode()

    return run


@pytest.mark.parametrize(
    ("family", "compiler", "name", "flag"),
    [
        ("x86", "gcc", "znver4", "-march=znver4"),
        ("x86", "clang", "x86-64-v3", "-march=x86-64-v3"),
        ("x86", "zig", "x86-64-v3", "-mcpu=x86_64_v3"),
        ("x86", "other", "skylake-avx512", "-march=skylake-avx512"),
        ("arm", "gcc", "neoverse-n1", "-mcpu=neoverse-n1"),
        ("arm", "clang", "apple-m1", "-mcpu=apple-m1"),
        ("arm", "zig", "neoverse-n1", "-mcpu=neoverse_n1"),
        ("arm", "gcc", "armv8.2-a", "-march=armv8.2-a"),
        ("arm", "zig", "armv8.2-a", "-mcpu=generic+v8_2a"),
        ("arm", "zig", "armv8-a", "-mcpu=generic+v8a"),
        ("other", "gcc", "rv64gc", "-march=rv64gc"),
        ("other", "gcc", "power9", "-mcpu=power9"),
    ],
)
def test_a_processor_is_spelled_as_the_compiler_wants_it(
    parts: Run, family: str, compiler: str, name: str, flag: str
) -> None:
    assert parts("target", family, compiler, name).split() == [name, flag]


@pytest.mark.parametrize("name", ["", "native"])
@pytest.mark.parametrize(
    ("family", "compiler", "flags"),
    [
        ("x86", "gcc", ["-march=native"]),
        ("x86", "zig", ["-mcpu=native"]),
        ("arm", "clang", ["-mcpu=native"]),
        ("arm", "zig", ["-mcpu=native"]),
        ("other", "gcc", []),
        ("other", "zig", ["-mcpu=native"]),
    ],
)
def test_this_processor_is_native_and_its_name_has_its_features(
    parts: Run, family: str, compiler: str, flags: list[str], name: str
) -> None:
    assert parts("target", family, compiler, name).split() == ["imaginary+one+two", *flags]


@pytest.fixture
def shown(parts: Run, tmp_path: Path) -> Callable[[str, str], str]:
    """Returns messages about a source named mine.c, as they are shown."""

    def show(source: str, messages: str) -> str:
        path = tmp_path / "source"
        path.write_text(source)
        return parts("lines", "mine.c", path, text=messages)

    return show


Show = Callable[[str, str], str]


def test_a_message_without_its_line_gets_it(shown: Show) -> None:
    assert shown("a\n  b c\n", "mine.c:2:5: error: what\nother words\n") == (
        "mine.c:2:5: error: what\n    2 |   b c\n      |     ^\nother words\n"
    )


def test_a_message_with_its_line_stays_as_it_is(shown: Show) -> None:
    for words in (
        "mine.c:1:1: error: x\nabc\n^\n",
        "mine.c:1:2: error: x\nabc\n~^~\nmine.c:1:1: note: y\n    1 | abc\n      | ^~~\n",
    ):
        assert shown("abc\n", words) == words


def test_lines_of_an_included_file_are_counted_from_its_own_line(shown: Show) -> None:
    source = '#line 1 "folder/x.h"\nfirst\nsecond\n#line 2 "mine.c"\nafter\n'
    assert "    2 | second\n" in shown(source, "folder/x.h:2:1: error: x\n")
    assert "    2 | after\n" in shown(source, "mine.c:2:1: error: x\n")


def test_the_first_line_is_shown_behind_an_include_that_was_resolved(shown: Show) -> None:
    source = '\n#line 1 "nexus_kernel.h"\nheader\n\n#line 1 "mine.c"\nfirst\n'
    assert "    1 | first\n" in shown(source, "mine.c:1:2: error: x\n")


def test_names_with_quotes_backslashes_and_colons_are_found(shown: Show) -> None:
    source = '# 7 "a \\"b\\"\\\\c:1:2.h"\nhere\n'
    assert "    7 | here\n" in shown(source, 'a "b"\\c:1:2.h:7:1: error: x\n')


def test_a_tab_stays_a_tab_above_the_caret(shown: Show) -> None:
    assert shown("\tab\n", "mine.c:1:3: error: x\n").splitlines()[1:] == [
        "    1 | \tab",
        "      | \t ^",
    ]


def test_a_letter_of_several_bytes_is_one_place(shown: Show) -> None:
    assert shown("äö x\n", "mine.c:1:6: error: x\n").splitlines()[2] == "      |    ^"


@pytest.mark.parametrize(
    "words",
    [
        "mine.c:9:1: error: x\n",
        "other.c:1:1: error: x\n",
        "mine.c:1: x\n",
        ":::\n",
        "a:1:99999999999:",
    ],
)
def test_what_is_not_in_the_source_is_left_alone(shown: Show, words: str) -> None:
    assert shown("abc\n", words) == words.rstrip("\n") + "\n"


def test_a_column_behind_the_end_points_at_the_end(shown: Show) -> None:
    assert shown("abc\n", "mine.c:1:50: error: x\n").splitlines()[2] == "      |    ^"
