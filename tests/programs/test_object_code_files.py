# SPDX-License-Identifier: Apache-2.0
"""ObjectCode: what it tells, and its ways through files and pickles."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pickle
import socket
import struct
from pathlib import Path
from typing import Any

import pytest
from program_texts import GROUP_SUMS
from python_process import run_python

import nexus

LOADING = """
import pickle, sys, nexus
code = pickle.load(open(sys.argv[1], "rb"))
print(code.origin, nexus.get_device("cpu").load_library(code).get_kernel("saxpy").name)
"""


def test_what_object_code_tells(saxpy_code: nexus.ObjectCode) -> None:
    assert saxpy_code.name == "saxpy.c"
    assert saxpy_code.runtime == "cpu"
    assert saxpy_code.format in ("elf", "macho")
    assert saxpy_code.code[:4] in (b"\x7fELF", b"\xcf\xfa\xed\xfe")
    assert "-O3" in saxpy_code.flags
    assert saxpy_code.log == ""
    assert saxpy_code.target != ""


def test_the_kernels_of_object_code(saxpy_code: nexus.ObjectCode, cpu: nexus.Device) -> None:
    (described,) = saxpy_code.kernels
    loaded = cpu.load_library(saxpy_code).get_kernel("saxpy")
    assert described.name == "saxpy"
    assert described.arguments == loaded.arguments
    assert described.attributes == loaded.attributes


def test_what_a_kernel_requires_is_told(cpu: nexus.Device) -> None:
    (described,) = nexus.Program(GROUP_SUMS).compile(cpu).kernels
    assert described.attributes.required_group_size == (4, 1, 1)
    assert described.attributes.local_memory_size == 16


def test_the_repr_and_the_table(saxpy_code: nexus.ObjectCode) -> None:
    assert repr(saxpy_code).startswith("<nexus.ObjectCode 'saxpy.c': ")
    shown: Any = saxpy_code  # the stub has no names that only notebooks use
    html = shown._repr_html_()
    assert "saxpy(x, y, a, n)" in html
    assert "<table>" in html


def test_object_code_goes_through_a_file(
    saxpy_code: nexus.ObjectCode, cpu: nexus.Device, tmp_path: Path
) -> None:
    path = tmp_path / "saxpy.nexus"
    saxpy_code.save(path)
    again = nexus.ObjectCode.load(str(path))
    assert again.origin == "file"
    assert (again.code, again.kernels, again.flags) == (
        saxpy_code.code,
        saxpy_code.kernels,
        saxpy_code.flags,
    )
    assert list(tmp_path.iterdir()) == [path]
    assert cpu.load_library(again).get_kernel("saxpy").name == "saxpy"


def test_a_saved_file_loads_as_a_library(
    saxpy_code: nexus.ObjectCode, cpu: nexus.Device, tmp_path: Path
) -> None:
    path = tmp_path / "saxpy.nexus"
    saxpy_code.save(path)
    assert cpu.load_library(path).get_kernel("saxpy").name == "saxpy"
    assert cpu.load_library(path.read_bytes()).get_kernel("saxpy").name == "saxpy"


def test_object_code_goes_to_another_process_by_pickle(
    saxpy_code: nexus.ObjectCode, tmp_path: Path
) -> None:
    path = tmp_path / "code.pickle"
    path.write_bytes(pickle.dumps(saxpy_code))
    done = run_python("-c", LOADING, path, check=True)
    assert done.stdout == "file saxpy\n"


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere\.nexus") as error:
        nexus.ObjectCode.load(tmp_path / "nowhere.nexus")
    assert isinstance(error.value, nexus.NexusError)
    assert error.value.filename == str(tmp_path / "nowhere.nexus")


def test_a_missing_folder_is_named(saxpy_code: nexus.ObjectCode, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        saxpy_code.save(tmp_path / "nowhere" / "k.nexus")


def test_a_folder_is_no_file(saxpy_code: nexus.ObjectCode, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="which is a folder"):
        saxpy_code.save(tmp_path)
    with pytest.raises(ValueError, match="which is a folder"):
        nexus.ObjectCode.load(tmp_path)


def test_a_file_that_was_cut_short_or_changed_is_refused(
    saxpy_code: nexus.ObjectCode, cpu: nexus.Device, tmp_path: Path
) -> None:
    path = tmp_path / "cut.nexus"
    saxpy_code.save(path)
    whole = path.read_bytes()
    cuts = [whole[:size] for size in (0, 1, 20, len(whole) // 2, len(whole) - 1)]
    changed = bytearray(whole)
    changed[len(whole) // 2] ^= 1
    for wrong in (*cuts, whole + b"x", bytes(changed)):
        path.write_bytes(wrong)
        with pytest.raises(nexus.NexusError) as error:
            nexus.ObjectCode.load(path)
        assert error.value.status == nexus.status.NXS_InvalidBinary
        with pytest.raises(nexus.NexusError):
            cpu.load_library(path)


@pytest.mark.parametrize("path", [None, 3, b"k"])
def test_a_path_that_is_none_is_named(saxpy_code: nexus.ObjectCode, path: Any) -> None:
    with pytest.raises(TypeError, match="path has to be a path"):
        saxpy_code.save(path)
    with pytest.raises(TypeError, match="path has to be a path"):
        nexus.ObjectCode.load(path)


def with_head(whole: bytes, change: Any) -> bytes:
    """Object code whose head was changed by change(head), with the right checksum."""
    head_size, code_size = struct.unpack_from("<QQ", whole, 16)
    head = json.loads(whole[32 : 32 + head_size])
    change(head)
    text = json.dumps(head).encode()
    code = whole[32 + head_size : 32 + head_size + code_size]
    made = whole[:16] + struct.pack("<QQ", len(text), code_size) + text + code
    return made + hashlib.sha256(made).digest()


@pytest.mark.parametrize(
    "kernel",
    [
        {"name": 3},
        {"name": "k", "arguments": "none"},
        {"name": "k", "arguments": ["x"]},
        {"name": "k", "arguments": [{"name": 3}]},
        {"name": "k", "arguments": [{"name": "x", "dtype": ["float32"]}]},
        {"name": "k", "arguments": [{"name": "x", "size": "4"}]},
        {"name": "k", "required_group_size": 64},
        {"name": "k", "required_group_size": [64, "1", 1]},
        {"name": "k", "max_group_size": "many"},
        {"name": "k", "local_memory": -1},
        "k",
        None,
        [[[[]]]],
    ],
    ids=json.dumps,
)
def test_kernels_that_are_described_wrongly_are_refused(
    saxpy_code: nexus.ObjectCode, tmp_path: Path, kernel: Any
) -> None:
    path = tmp_path / "k.nexus"
    saxpy_code.save(path)
    path.write_bytes(
        with_head(path.read_bytes(), lambda head: head.update(Kernels=json.dumps([kernel])))
    )
    with pytest.raises(nexus.NexusError, match="kernels in their head") as error:
        nexus.ObjectCode.load(path)
    assert error.value.status == nexus.status.NXS_InvalidBinary


def test_flags_that_are_no_texts_are_refused(saxpy_code: nexus.ObjectCode, tmp_path: Path) -> None:
    path = tmp_path / "k.nexus"
    saxpy_code.save(path)
    path.write_bytes(with_head(path.read_bytes(), lambda head: head.update(Flags="[1]")))
    with pytest.raises(nexus.NexusError, match="flags in their head"):
        nexus.ObjectCode.load(path)


def test_what_another_version_says_besides_is_no_error(
    saxpy_code: nexus.ObjectCode, tmp_path: Path
) -> None:
    path = tmp_path / "k.nexus"
    saxpy_code.save(path)
    kernels = '[{"name": "k", "colour": {"of": "tomorrow"}, "arguments": [{"name": "x"}]}]'
    path.write_bytes(with_head(path.read_bytes(), lambda head: head.update(Kernels=kernels)))
    (kernel,) = nexus.ObjectCode.load(path).kernels
    assert kernel.arguments is not None
    assert (kernel.name, kernel.arguments[0].name) == ("k", "x")


def test_lists_within_each_other_are_refused(saxpy_code: nexus.ObjectCode, tmp_path: Path) -> None:
    path = tmp_path / "k.nexus"
    saxpy_code.save(path)
    deep = "[" * 100_000 + "]" * 100_000
    path.write_bytes(with_head(path.read_bytes(), lambda head: head.update(Kernels=deep)))
    with pytest.raises(nexus.NexusError, match="not JSON"):
        nexus.ObjectCode.load(path)


@pytest.mark.parametrize("kind", ["a pipe", "a device", "a socket"])
def test_what_may_have_no_end_is_not_read(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's path has at most 107 bytes
    path = Path("/dev/zero") if kind == "a device" else tmp_path / "k.nexus"
    with contextlib.ExitStack() as stack:
        if kind == "a pipe":
            os.mkfifo(path)
        elif kind == "a socket":
            stack.enter_context(socket.socket(socket.AF_UNIX)).bind(path.name)
        with pytest.raises(nexus.NexusError, match="a pipe, a socket or a device") as error:
            nexus.ObjectCode.load(path)
    assert str(path) in str(error.value)
    assert error.value.status == nexus.status.NXS_InvalidBinary


def test_a_file_of_more_than_a_gibibyte_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "k.nexus"
    with path.open("wb") as file:
        file.truncate((1 << 30) + 1)  # a hole, which takes no room
    with pytest.raises(nexus.NexusError, match="more than 1073741824 bytes") as error:
        nexus.ObjectCode.load(path)
    assert error.value.status == nexus.status.NXS_InvalidBinary
