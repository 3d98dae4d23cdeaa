# SPDX-License-Identifier: Apache-2.0
"""Files that are not libraries for the device, and kernels that a library does not have."""

from __future__ import annotations

import errno
import os
import struct
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from workbench import Case, Workbench, by_name, check_refused, refused

import nexus
from nexus import status

INVALID = status.NXS_InvalidBinary

# Fields of the header of an ELF file, and their offsets.
ELF_CLASS, ELF_ORDER = 4, 5
ELF_TYPE, ELF_MACHINE = 16, 18  # 16 bits each
PROGRAM_HEADERS, PROGRAM_HEADER_SIZE, PROGRAM_HEADER_COUNT = 32, 54, 56


@pytest.mark.smoke
@pytest.mark.parametrize("spelling", [str, Path, os.fsencode], ids=["str", "Path", "bytes of it"])
def test_a_missing_file_is_not_found(
    bench: Workbench, tmp_path: Path, spelling: Callable[[Path], Any]
) -> None:
    path = tmp_path / "nowhere.so"
    if spelling is os.fsencode:  # bytes are a library, and no path
        check_refused(
            bench,
            refused("", lambda b: b.device.load_library(spelling(path)), nexus.NexusError,
                    status=INVALID),
        )  # fmt: skip
        return
    check_refused(
        bench,
        refused("", lambda b: b.device.load_library(spelling(path)), FileNotFoundError, str(path)),
    )
    with pytest.raises(nexus.NexusError) as caught:
        bench.device.load_library(spelling(path))
    assert isinstance(caught.value, FileNotFoundError)
    assert (caught.value.filename, caught.value.errno) == (str(path), errno.ENOENT)


def test_a_file_in_a_missing_folder_is_not_found(bench: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "no" / "such" / "folder.so"
    check_refused(
        bench, refused("", lambda b: b.device.load_library(path), FileNotFoundError, str(path))
    )


def test_a_folder_is_no_library(bench: Workbench, tmp_path: Path) -> None:
    check_refused(
        bench,
        refused("", lambda b: b.device.load_library(tmp_path), ValueError, str(tmp_path), "folder"),
    )


def text_file(folder: Path) -> Path:
    path = folder / "text.so"
    path.write_text("I am no library.\n")
    return path


def empty_file(folder: Path) -> Path:
    path = folder / "empty.so"
    path.write_bytes(b"")
    return path


def zeros(folder: Path) -> Path:
    path = folder / "zeros.so"
    path.write_bytes(bytes(8192))
    return path


def below_a_file(folder: Path) -> Path:
    return text_file(folder) / "kernel.so"


def endless_link(folder: Path) -> Path:
    path = folder / "link.so"
    path.symlink_to(path)
    return path


def broken_link(folder: Path) -> Path:
    path = folder / "broken.so"
    path.symlink_to(folder / "nowhere.so")
    return path


def long_name(folder: Path) -> Path:
    return folder / ("x" * 300 + ".so")


def named_pipe(folder: Path) -> Path:
    path = folder / "pipe.so"
    os.mkfifo(path)
    return path


FILES = [text_file, empty_file, zeros, below_a_file, endless_link, broken_link, long_name]


@pytest.mark.parametrize("make", [*FILES, named_pipe], ids=lambda make: make.__name__)
def test_what_is_no_library_is_refused(
    bench: Workbench, tmp_path: Path, make: Callable[[Path], Path]
) -> None:
    path = make(tmp_path)
    check_refused(
        bench, refused("", lambda b: b.device.load_library(path), nexus.NexusError, path.name)
    )


@contextmanager
def without_privileges() -> Iterator[None]:
    """As nobody where the user is root, who may read every file."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)


def load_without_privileges(bench: Workbench, path: Path) -> nexus.Library:
    with without_privileges():
        return bench.device.load_library(path)


def test_a_file_that_must_not_be_read_is_refused(bench: Workbench) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        path = text_file(folder)
        path.chmod(0)
        load = partial(load_without_privileges, path=path)
        check_refused(bench, refused("", load, nexus.NexusError, path.name))


@pytest.mark.parametrize(
    "case",
    [
        refused("None", lambda b: b.device.load_library(None),
                TypeError, "source has to be a path", "NoneType (None)"),
        refused("an int", lambda b: b.device.load_library(3),
                TypeError, "source has to be a path", "int (3)"),
        refused("a list", lambda b: b.device.load_library(["kernel.so"]),
                TypeError, "source has to be a path", "list (['kernel.so'])"),
        refused("a zero byte", lambda b: b.device.load_library("kernel\0.so"),
                ValueError, "source is 'kernel\\x00.so'", "NUL"),
        refused("a lone surrogate", lambda b: b.device.load_library("\ud800.so"),
                ValueError, "source is '\\ud800.so'"),
        refused("no text", lambda b: b.device.load_library(""),
                ValueError, "source is ''"),
        refused("no bytes", lambda b: b.device.load_library(b""),
                (ValueError, nexus.NexusError)),
        refused("strided bytes", lambda b: b.device.load_library(np.zeros(64, np.uint8)[::2]),
                ValueError, "source is not C-contiguous"),
        refused("bytes without a library", lambda b: b.device.load_library(b"I am no library."),
                nexus.NexusError, status=INVALID),
    ],
    ids=by_name,
)  # fmt: skip
def test_what_is_no_source_is_refused(bench: Workbench, case: Case) -> None:
    check_refused(bench, case)


# ---- Libraries that are damaged ----------------------------------------------------------------


def check_file_refused(bench: Workbench, path: Path, image: bytes) -> None:
    """The file, and the same bytes in memory, are refused."""
    path.write_bytes(image)
    case = refused(
        "", lambda b: b.device.load_library(path), nexus.NexusError, path.name, status=INVALID
    )
    check_refused(bench, case)
    case = refused("", lambda b: b.device.load_library(image), nexus.NexusError, status=INVALID)
    check_refused(bench, case)


@pytest.mark.parametrize("kept", [1, 3, 4, 15, 16, 51, 52, 63, 64, 65, 119, 120, 1024, 4096])
def test_a_library_that_is_cut_in_its_headers_is_refused(
    cpu_bench: Workbench, tmp_path: Path, kernel_file: Path, kept: int
) -> None:
    check_file_refused(cpu_bench, tmp_path / "short.so", kernel_file.read_bytes()[:kept])


# A place in the header, and the bytes that are put there.
HEADERS: dict[str, tuple[int, bytes]] = {
    "of another processor": (ELF_MACHINE, struct.pack("<H", 243)),  # RISC-V
    "of a processor that there is not": (ELF_MACHINE, struct.pack("<H", 0xFFFF)),
    "of 32 bits": (ELF_CLASS, b"\x01"),
    "of the other byte order": (ELF_ORDER, b"\x02"),
    "of an unknown class": (ELF_CLASS, b"\x09"),
    "without the magic number": (0, b"\x7fELG"),
    "an object file": (ELF_TYPE, struct.pack("<H", 1)),
    "a core dump": (ELF_TYPE, struct.pack("<H", 4)),
    "with its headers beyond the end": (PROGRAM_HEADERS, struct.pack("<Q", 2**40)),
    "with its headers beyond 64 bits": (PROGRAM_HEADERS, struct.pack("<Q", 2**64 - 8)),
    "with more headers than there are": (PROGRAM_HEADER_COUNT, struct.pack("<H", 0xFFFF)),
    "with headers of no size": (PROGRAM_HEADER_SIZE, struct.pack("<H", 0)),
}


@pytest.mark.smoke
@pytest.mark.parametrize("what", HEADERS)
def test_a_library_is_refused_that_is(
    cpu_bench: Workbench, tmp_path: Path, kernel_file: Path, what: str
) -> None:
    at, patch = HEADERS[what]
    image = bytearray(kernel_file.read_bytes())
    if image[:4] != b"\x7fELF":
        pytest.skip("libraries here are no ELF files: run the tests on Linux")
    image[at : at + len(patch)] = patch
    check_file_refused(cpu_bench, tmp_path / "patched.so", bytes(image))


def test_a_library_of_another_processor_names_it(cpu_bench: Workbench, kernel_file: Path) -> None:
    image = bytearray(kernel_file.read_bytes())
    if image[:4] != b"\x7fELF":
        pytest.skip("libraries here are no ELF files: run the tests on Linux")
    at, patch = HEADERS["of another processor"]
    image[at : at + len(patch)] = patch
    case = refused("", lambda b: b.device.load_library(bytes(image)), nexus.NexusError, "RISC-V")
    check_refused(cpu_bench, case)


def test_the_whole_library_is_loaded_again_after_its_parts(
    cpu_bench: Workbench, tmp_path: Path, kernel_file: Path
) -> None:
    path, image = tmp_path / "kernel.so", kernel_file.read_bytes()
    check_file_refused(cpu_bench, path, image[:512])
    path.write_bytes(image)
    assert cpu_bench.device.load_library(path).get_kernel("scale_f32").name == "scale_f32"


# ---- Kernels -----------------------------------------------------------------------------------


@pytest.mark.smoke
@pytest.mark.parametrize(
    ("name", "near"),
    [("scale_f23", "scale_f32"), ("scalef32", "scale_f32"), ("fill_i23", "fill_i32"),
     ("add_f3", "add_f32"), ("SCALE_F32", "")],
)  # fmt: skip
def test_an_unknown_kernel_names_near_ones(bench: Workbench, name: str, near: str) -> None:
    check_refused(
        bench,
        refused("", lambda b: b.library.get_kernel(name), nexus.NexusError, f"'{name}'", near,
                status=status.NXS_InvalidKernelName),
    )  # fmt: skip


@pytest.mark.parametrize(
    "name",
    ["", " ", "scale_f32 ", "x" * 10_000, "ядро", "../scale_f32", "%s%n"],
    ids=["empty", "a space", "a space behind", "10 000 letters", "Cyrillic", "a path", "a format"],
)
def test_what_is_no_kernels_name_is_refused(bench: Workbench, name: str) -> None:
    check_refused(
        bench,
        refused("", lambda b: b.library.get_kernel(name), nexus.NexusError, f"'{name[:64]}",
                status=status.NXS_InvalidKernelName),
    )  # fmt: skip


@pytest.mark.parametrize(
    "case",
    [
        refused("a zero byte", lambda b: b.library.get_kernel("scale_f32\0"),
                nexus.NexusError, "'scale_f32\\0'"),
        refused("a lone surrogate", lambda b: b.library.get_kernel("\udcff"),
                ValueError, "name is '\\udcff'"),
        refused("an int", lambda b: b.library.get_kernel(0),
                TypeError, "name has to be a str", "int (0)"),
        refused("None", lambda b: b.library.get_kernel(None),
                TypeError, "name has to be a str", "NoneType (None)"),
        refused("bytes", lambda b: b.library.get_kernel(b"scale_f32"),
                TypeError, "name has to be a str", "bytes (b'scale_f32')"),
    ],
    ids=by_name,
)  # fmt: skip
def test_what_is_no_text_is_no_kernels_name(bench: Workbench, case: Case) -> None:
    check_refused(bench, case)


# ---- Variables ---------------------------------------------------------------------------------


def not_there(what: str, name: str, *texts: str) -> Case:
    return refused(what, lambda b: b.library.get_global(name), nexus.NexusError, *texts,
                   status=status.NXS_InvalidValue)  # fmt: skip


@pytest.mark.parametrize(
    "case",
    [
        not_there("letters in another order", "gians", "no variable 'gians'", "'gains'?"),
        not_there("a kernel", "scale_f32", "no variable 'scale_f32'", "nor const"),
        not_there("a constant", "fixed", "no variable 'fixed'", "nor const"),
        not_there("of the C library", "environ", "no variable 'environ'"),
        not_there("an empty name", "", "name is empty"),
        not_there("a zero byte", "gains\0", "name is a text with a zero byte"),
        refused("an int", lambda b: b.library.get_global(0), TypeError, "name has to be a str"),
        refused("another dtype", lambda b: b.library.get_global("gains", "flaot32"),
                ValueError, "dtype is 'flaot32'"),
        refused("a dtype that is too wide", lambda b: b.library.get_global("gains", "float64"),
                ValueError, "dtype is 'float64'", "not a multiple"),
    ],
    ids=by_name,
)  # fmt: skip
def test_what_is_no_variable_is_refused(cpu_bench: Workbench, case: Case) -> None:
    check_refused(cpu_bench, case)


def test_a_backend_without_variables_says_so(reference_bench: Workbench) -> None:
    check_refused(
        reference_bench,
        refused("", lambda b: b.library.get_global("gains"), nexus.NexusError, "nxsGetGlobal",
                "optional", status=status.NXS_NotSupported),
    )  # fmt: skip
