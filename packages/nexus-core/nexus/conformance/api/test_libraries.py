# SPDX-License-Identifier: Apache-2.0
"""Libraries: from files and bytes, truncated, changed, loaded many times, and their kernels."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import nexus
from nexus.conformance.api.workbench import COUNT, LONG, Workbench, attempted, refused, values


def works(work: Workbench, library: nexus.Library) -> bool:
    """Returns whether the library's fill_i32 fills."""
    out, schedule = work.ints(), work.device.create_schedule()
    schedule.create_command(library.get_kernel("fill_i32"), (out, np.int32(9)), None, COUNT)
    schedule.run(timeout=LONG)
    return values(out) == {9}


def loads(work: Workbench, source: bytes | Path) -> bool:
    """Returns whether a library can be loaded and fills."""
    return works(work, work.device.load_library(source))


@pytest.fixture
def code(work: Workbench) -> bytes:
    """Returns a library's bytes."""
    return work.kernels.code("elements")


@pytest.mark.needs("LibraryFromMemory")
@pytest.mark.parametrize("form", [bytes, bytearray, memoryview])
def test_a_library_from_its_bytes(work: Workbench, code: bytes, form: type) -> None:
    given = form(code)
    library = work.device.load_library(given)
    if isinstance(given, bytearray):
        given[:] = bytes(len(given))  # the caller may change it after the call
    assert works(work, library)


def test_bytes_are_a_capability(work: Workbench, capabilities: frozenset[str], code: bytes) -> None:
    if "LibraryFromMemory" not in capabilities:
        error = refused(lambda: work.device.load_library(code))
        assert error.status == nexus.status.NXS_NotSupported


@pytest.mark.parametrize("name", ["kernels.bin", "with space é.bin"])
def test_a_library_from_its_file(work: Workbench, code: bytes, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(code)
    assert works(work, work.device.load_library(path))
    library = work.device.load_library(str(path))
    path.unlink()
    assert works(work, library)


@pytest.mark.promise("failure-no-trace")
def test_a_file_that_is_missing_is_said_so(work: Workbench, tmp_path: Path) -> None:
    before = work.live("libraries")
    with pytest.raises(FileNotFoundError, match="nothing") as error:
        work.device.load_library(tmp_path / "nothing.bin")
    assert isinstance(error.value, nexus.NexusError)
    with pytest.raises((nexus.NexusError, OSError)):
        work.device.load_library(tmp_path)
    assert work.live("libraries") == before


@pytest.mark.promise("failure-no-trace", "failure-at-once")
@pytest.mark.parametrize("part", [0.0, 0.01, 0.25, 0.5, 0.9, 0.999])
def test_a_library_that_was_cut_short_is_refused_or_works(
    work: Workbench, code: bytes, tmp_path: Path, part: float
) -> None:
    cut = code[: int(part * len(code))]
    before = work.live("libraries")
    path = tmp_path / "cut.bin"
    path.write_bytes(cut)
    for source in (cut, path):
        found = attempted(partial(loads, work, source))
        assert not isinstance(found, nexus.NexusTimeoutError)
        if not isinstance(found, Exception):  # nothing that is needed was cut off
            assert part > 0.5
    assert work.live("libraries") == before


@pytest.mark.promise("failure-no-trace")
def test_bytes_that_are_no_library_are_refused(work: Workbench) -> None:
    generator = random.Random(5)
    for size in (1, 16, 1000, 100_000):
        error = refused(partial(work.device.load_library, generator.randbytes(size)))
        assert error.status in (nexus.status.NXS_InvalidBinary, nexus.status.NXS_NotSupported)


def test_one_library_is_loaded_many_times(work: Workbench, code: bytes) -> None:
    libraries = [work.device.load_library(code) for _ in range(10)]
    for library in libraries[::2]:
        library.close()
    assert all(works(work, library) for library in libraries[1::2])
    assert len({each.get_property_int("ID") for each in libraries[1::2]}) == 5


@pytest.mark.promise("failure-cause")
def test_a_kernel_that_is_not_there_is_named_with_near_ones(work: Workbench) -> None:
    error = refused(lambda: work.library("elements").get_kernel("fil_i32"))
    assert error.status == nexus.status.NXS_InvalidKernelName
    assert "fil_i32" in str(error)
    kept = work.load("elements").get_kernel("scale_f32")
    x = work.device.create_buffer(np.arange(4, dtype=np.float32))
    out, schedule = work.device.create_buffer((4,)), work.device.create_schedule()
    schedule.create_command(kept, (x, np.float32(2.5), out), None, 4)
    schedule.run(timeout=LONG)
    assert out.numpy().tolist() == [0, 2.5, 5, 7.5]


# ---- Variables ----


def looked_up(library: nexus.Library) -> list[int]:
    """Returns what a kernel of the library reads in its table."""
    out = nexus.zeros(4, "int32", device=library.device)
    library.get_kernel("look_up")(out, grid=4)
    found: list[int] = out.numpy().tolist()
    return found


@pytest.mark.needs("Globals")
@pytest.mark.promise("share-variable")
def test_kernels_read_what_is_written_to_a_variable(work: Workbench) -> None:
    library = work.load("constants")
    table = library.get_global("table", "int32")
    assert (table.shape, table.dtype, table.device) == ((4,), "int32", work.device)
    assert table.numpy().tolist() == looked_up(library) == [1, 2, 3, 4]
    table[1:3] = [20, 30]
    assert looked_up(library) == [1, 20, 30, 4]
    schedule = work.device.create_schedule()
    schedule.create_fill_command(table, 7)
    schedule.create_fill_command(table[:1], 0)
    schedule.run(timeout=LONG)
    assert looked_up(library) == [0, 7, 7, 7]
    assert library.get_global("table").numpy().view("int32").tolist() == [0, 7, 7, 7]
    assert looked_up(work.load("constants")) == [1, 2, 3, 4]


@pytest.mark.needs("Globals")
@pytest.mark.promise("share-variable")
def test_a_variable_s_buffer_outlives_its_library(work: Workbench) -> None:
    library = work.load("constants")
    table = library.get_global("table", "int32")
    library.close()
    with pytest.raises(nexus.NexusError, match="closed"):
        library.get_global("table")
    del library
    table[...] = [4, 3, 2, 1]
    assert looked_up(work.load("constants")) == [1, 2, 3, 4]
    assert table.numpy().tolist() == [4, 3, 2, 1]


@pytest.mark.needs("Globals")
@pytest.mark.promise("order-variable")
def test_a_copy_to_a_variable_follows_the_kernels_that_read_it(work: Workbench) -> None:
    library = work.load("constants")
    table, out = library.get_global("table", "int32"), work.ints(count=4)
    stream = work.device.create_stream()
    schedule = work.device.create_schedule()
    schedule.create_command(library.get_kernel("look_up"), (out,), None, 4)
    work.spinning().run(stream, blocking=False)
    schedule.run(stream, blocking=False)
    table.copy_from(np.full(4, 9, np.int32))
    stream.synchronize(LONG)
    assert values(out) == {1, 2, 3, 4}
    assert looked_up(library) == [9, 9, 9, 9]


@pytest.mark.needs("Globals")
@pytest.mark.promise("failure-cause")
def test_a_variable_that_is_not_there_is_named(work: Workbench) -> None:
    library = work.library("constants")
    for name in ("tabel", "look_up"):
        error = refused(partial(library.get_global, name))
        assert error.status == nexus.status.NXS_InvalidValue
        assert f"no variable '{name}'" in str(error)


def test_variables_are_a_capability(work: Workbench, capabilities: frozenset[str]) -> None:
    if "Globals" not in capabilities:
        error = refused(lambda: work.library("elements").get_global("table"))
        assert error.status == nexus.status.NXS_NotSupported
        assert "nxsGetGlobal" in str(error)
