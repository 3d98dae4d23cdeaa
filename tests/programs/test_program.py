# SPDX-License-Identifier: Apache-2.0
"""Program: what it is made from, and what it refuses."""

from __future__ import annotations

import os
import pickle
import re
import weakref
from pathlib import Path
from typing import Any

import pytest

import nexus
from nexus import Program, ProgramOptions

TEXT = "NEXUS_KERNEL(k, (int, n)) {}"


def test_a_text_is_the_program() -> None:
    program = Program(TEXT)
    assert (program.source, program.language, program.name) == (TEXT, "nexus", "program")
    assert program.options == ProgramOptions()


def test_a_path_is_a_file_that_is_read_and_gives_the_name(tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text(TEXT)
    assert Program(path).source == TEXT
    assert Program(path).name == str(path)
    assert Program(path, name="mine").name == "mine"


def test_a_program_does_not_follow_its_file(tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text(TEXT)
    program = Program(path)
    path.write_text("changed")
    assert program.source == TEXT


def test_equal_programs_are_one_key_and_survive_pickling() -> None:
    one = Program(TEXT, "c", "k.c", ProgramOptions(debug=True))
    again = pickle.loads(pickle.dumps(one))
    assert one == again
    assert {one: 1}[again] == 1
    assert one != Program(TEXT, "c", "k.c")
    assert one != TEXT


def test_a_program_takes_weak_references() -> None:
    program = Program(TEXT)
    seen = weakref.ref(program)
    assert seen() is program
    del program
    assert seen() is None


def test_a_program_does_not_change() -> None:
    program: Any = Program(TEXT)
    with pytest.raises(AttributeError):
        program.source = "other"


def test_the_repr_names_it() -> None:
    assert repr(Program(TEXT, name="k.c")) == "<nexus.Program 'k.c' in nexus>"


@pytest.mark.parametrize("source", ["", "  \n\t"])
def test_an_empty_source_is_refused(source: str) -> None:
    with pytest.raises(ValueError, match="source is empty"):
        Program(source)


def test_an_empty_file_is_refused_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "nothing.c").write_text("\n")
    with pytest.raises(ValueError, match=r"source is empty: The file '.*nothing\.c'"):
        Program(tmp_path / "nothing.c")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere\.c") as error:
        Program(tmp_path / "nowhere.c")
    assert isinstance(error.value, nexus.NexusError)
    assert error.value.filename == str(tmp_path / "nowhere.c")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="which is a folder"):
        Program(tmp_path)


@pytest.mark.parametrize("kind", ["a pipe", "a device"])
def test_what_may_have_no_end_is_not_read(tmp_path: Path, kind: str) -> None:
    path = Path("/dev/zero") if kind == "a device" else tmp_path / "pipe.c"
    if kind == "a pipe":
        os.mkfifo(path)
    with pytest.raises(ValueError, match="is a pipe, a socket or a device: give a regular file"):
        Program(path)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "k.c").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match=r"not UTF-8 \(byte 0\)"):
        Program(tmp_path / "k.c")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"source": 3}, "source has to be the text of a program or the path of a file, not int"),
        ({"source": b"x"}, "source has to be the text of a program or the path of a file, not byt"),
        ({"source": None}, "source has to be the text of a program or the path of a file"),
        ({"source": TEXT, "language": 1}, "language has to be a str, not int (1)."),
        ({"source": TEXT, "name": 1}, "name has to be a str, not int (1)."),
        (
            {"source": TEXT, "options": {"debug": True}},
            "options has to be a nexus.ProgramOptions or None, not dict",
        ),
    ],
)
def test_a_wrong_type_is_named(arguments: dict[str, Any], told: str) -> None:
    with pytest.raises(TypeError) as error:
        Program(**arguments)
    assert str(error.value).startswith(told)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"source": TEXT, "language": ""}, "language is ''"),
        ({"source": TEXT, "name": ""}, "name is ''"),
        ({"source": TEXT, "name": "a\nb"}, "name is 'a\\nb': it has a line break"),
        ({"source": "int a\0;"}, "source has a NUL character"),
        ({"source": "int \ud800;"}, "source is 'int \\ud800;': it has a lone surrogate"),
    ],
)
def test_a_wrong_value_is_named(arguments: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=re.escape(told)) as error:
        Program(**arguments)
    assert str(error.value).startswith(told)


@pytest.mark.parametrize(
    ("target", "kind", "told"),
    [
        (3, TypeError, "target has to be a nexus.Device or a str"),
        (None, TypeError, "target has to be a nexus.Device or a str"),
        ("", ValueError, "target is ''"),
        ("warp", nexus.NexusError, "warp"),
        ("cpu:no-such-processor", ValueError, "no-such-processor"),
    ],
)
def test_a_target_that_is_none_is_refused(target: Any, kind: type[Exception], told: str) -> None:
    with pytest.raises(kind) as error:
        Program(TEXT).compile(target)
    assert told in str(error.value)


@pytest.mark.parametrize("name", ["saxpy.c", "kernels/saxpy.cu", "my kernels/saxpy.h", "/a.cpp"])
def test_the_name_of_a_file_in_a_str_is_refused_with_the_path_to_give(name: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"give pathlib.Path({name!r})")):
        nexus.Program(name)
