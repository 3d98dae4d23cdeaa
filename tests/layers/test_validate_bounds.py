# SPDX-License-Identifier: Apache-2.0
"""NEXUS_LAYERS=validate: kernels that use memory beyond their buffers."""

from __future__ import annotations

import pytest
from validated import Validated

pytestmark = pytest.mark.unsanitized("kernels fault on purpose", by="address")

HEAD = r'''
PORTABLE = """
NEXUS_KERNEL_BOUNDED(shift, (n), (NEXUS_GLOBAL const float *, x), (NEXUS_GLOBAL float *, y),
                     (int, by), (int, n)) {
  int i = nexus_global_id(0);
  y[i] = x[i + by];
}
NEXUS_KERNEL_BOUNDED(store, (n), (NEXUS_GLOBAL const float *, x), (NEXUS_GLOBAL float *, y),
                     (int, by), (int, n)) {
  int i = nexus_global_id(0);
  y[i + by] = x[i];
}
NEXUS_KERNEL(far, (NEXUS_GLOBAL int *, x), (nexus_int64, at)) { x[at] = 1; }
NEXUS_KERNEL(twice, (NEXUS_GLOBAL int *, x)) {
  x[-2] = 1;
  x[1000] = 1;
}
NEXUS_KERNEL(behind, (NEXUS_GLOBAL int *, x), (NEXUS_LOCAL int *, tile)) {
  int i = nexus_local_id(0);
  tile[i] = i;
  if (nexus_global_id(0) >= 0) nexus_barrier();
  x[i == 5 ? 1000 : i] = tile[7 - i];
}
"""
PLAIN = """
void store(int *x, const int *by, int *size, int *id, void *local, void *barrier) {
  int i = id[0] * size[3] + id[3];
  x[i + *by] = i;
}
"""
device = nexus.get_device("cpu")

def launch(name, arguments, grid, group=None, language="nexus"):
    program = nexus.Program(PORTABLE if language == "nexus" else PLAIN, language=language)
    kernel = device.load_library(program.compile(device)).get_kernel(name)
    schedule = device.create_schedule()
    command = schedule.create_command(kernel)
    for index, argument in enumerate(arguments):
        if isinstance(argument, list):
            command.set_local_memory(index, argument[0])
        else:
            command.set_arg(index, argument)
    command.finalize(group, grid)
    return schedule

def refused(*words, **more):
    try:
        launch(*words, **more).run(device.create_stream())
    except nexus.NexusError as error:
        assert error.status == nexus.status.NXS_InvalidMemObject, error.status
        print(error)
    else:
        raise SystemExit("it ran")

def floats(count):
    return device.create_buffer(np.arange(count, dtype=np.float32))
'''


def test_a_kernel_within_its_buffers_has_no_message(validated: Validated) -> None:
    told = validated(
        HEAD
        + """
for count in (1, 5, 64, 1000, 5000):
    x, y = floats(count), floats(count)
    launch("shift", [x, y, 0, count], count).run()
    assert (y.numpy() == x.numpy()).all()
x = device.create_buffer(np.zeros(8, np.int32))
launch("store", [x, np.int32(0)], 8, language="c").run()
assert x.numpy().tolist() == list(range(8))
"""
    )
    assert told.status == 0, told.stderr
    assert told.lines == []
    assert told.stderr == ""


@pytest.mark.parametrize(("count", "size"), [(1000, 4000), (5, 20), (1024, 4096), (5000, 20000)])
@pytest.mark.parametrize(
    ("kernel", "words"), [("shift", "read byte {} of argument 0 (x)"),
                          ("store", "wrote byte {} of argument 1 (y)")]
)  # fmt: skip
def test_one_element_past_the_end_is_told(
    validated: Validated, kernel: str, words: str, count: int, size: int
) -> None:
    told = validated(
        HEAD + f"refused('{kernel}', [floats({count}), floats({count}), 1, {count}], {count})\n"
    )
    assert told.status == 0, told.stderr
    assert told.ids == ["NXV-0304-out-of-bounds"]
    assert f"the kernel '{kernel}' {words.format(size)}, which has {size} bytes" in told.lines[0]
    assert told.lines[-1].startswith("summary: 1 NXV-0304-out-of-bounds in ")


def test_a_write_before_the_first_byte_is_told(validated: Validated) -> None:
    told = validated(HEAD + "refused('store', [floats(5), floats(5), -1, 5], 5)\n")
    assert told.ids == ["NXV-0304-out-of-bounds"]
    assert "wrote byte -4 of argument 1 (y), which has 20 bytes" in told.lines[0]
    assert "the work item is not known" in told.lines[0]


def test_a_read_before_the_first_page_is_told(validated: Validated) -> None:
    told = validated(HEAD + "refused('shift', [floats(1024), floats(1024), -1, 1024], 1024, 1)\n")
    assert "read byte -4 of argument 0 (x), which has 4096 bytes" in told.lines[0]
    assert "in work item (0, 0, 0)" in told.lines[0]


def test_the_group_of_a_portable_kernel_is_told(validated: Validated) -> None:
    told = validated(HEAD + "refused('shift', [floats(10), floats(10), 1, 10], 10, 4)\n")
    assert "in group (2, 0, 0), one of the work items (8, 0, 0) to (11, 0, 0)" in told.lines[0]


def test_the_item_of_a_plain_kernel_is_told(validated: Validated) -> None:
    told = validated(
        HEAD
        + """
x = device.create_buffer(np.zeros(10, np.int32))
refused("store", [x, np.int32(1)], 10, 4, language="c")
"""
    )
    assert (
        "wrote byte 40 of argument 0, which has 40 bytes, in work item (9, 0, 0)" in (told.lines[0])
    )


@pytest.mark.parametrize("signal_stack", ["", "1"])
def test_the_item_behind_a_barrier_is_told_and_later_groups_run(
    validated: Validated, signal_stack: str
) -> None:
    told = validated(
        HEAD
        + """
x = device.create_buffer(np.zeros(8, np.int32))
for turn in range(3):
    refused("behind", [x, [32]], 8, 8)
y = device.create_buffer(np.zeros(1001, np.int32))
launch("behind", [y, [32]], 8, 8).run()
assert y.numpy()[:8].tolist() == [7, 6, 5, 4, 3, 0, 1, 0], y.numpy()[:8]
assert y.numpy()[1000] == 2
""",
        PYTHONFAULTHANDLER=signal_stack,
    )
    assert told.status == 0, told.stderr
    assert "wrote byte 4000 of argument 0 (x), which has 32 bytes" in told.lines[0]
    assert "in work item (5, 0, 0)" in told.lines[0]


@pytest.mark.parametrize(
    ("at", "words"),
    [(-(1 << 40), "wrote the address 0x"), (1 << 46, "an unknown address")],
)
def test_an_address_far_from_any_buffer_is_told(validated: Validated, at: int, words: str) -> None:
    told = validated(
        HEAD
        + f"""
x = device.create_buffer(np.zeros(4, np.int32))
refused("far", [x, np.int64({at})], 1)
"""
    )
    assert told.status == 0, told.stderr
    assert words in told.lines[0]
    assert "in work item (0, 0, 0)" in told.lines[0]


def test_the_byte_is_counted_from_where_a_slice_begins(validated: Validated) -> None:
    told = validated(HEAD + "refused('shift', [floats(100)[60:], floats(100), 0, 41], 41, 1)\n")
    assert "read byte 160 of argument 0 (x), which has 160 bytes" in told.lines[0]


def test_memory_of_the_program_is_said_to_be_unguarded(validated: Validated) -> None:
    told = validated(
        HEAD
        + """
x = nexus.from_dlpack(np.zeros(4, np.float32))
launch("shift", [x, floats(4), 0, 4], 4).run()
"""
    )
    assert told.status == 0, told.stderr
    assert told.ids == []
    assert "argument 0 (x) of the kernel 'shift' is a buffer of 16 bytes" in told.stderr


def test_bytes_that_others_overwrite_are_told_when_the_buffer_is_closed(
    validated: Validated,
) -> None:
    told = validated(
        HEAD
        + """
import ctypes
x = floats(5)
ctypes.memset(np.asarray(x).ctypes.data - 8, 0, 4)
x.close()
"""
    )
    assert told.ids == ["NXV-0304-out-of-bounds"]
    assert "byte -8 of a buffer of 20 bytes, before its first byte, was over" in told.lines[0]


@pytest.mark.parametrize(
    ("kernel", "arrays", "words"),
    [
        ("shift", "x, y", "read byte 20 of argument 0 (x)"),
        ("store", "nexus.In(x), nexus.InOut(y)", "wrote byte 20 of argument 1 (y)"),
    ],
)
def test_arrays_that_a_call_gets_are_checked(
    validated: Validated, kernel: str, arrays: str, words: str
) -> None:
    told = validated(
        HEAD
        + f"""
x, y = np.ones(5, np.float32), np.zeros(5, np.float32)
kernel = device.compile(PORTABLE).get_kernel("{kernel}")
kernel({arrays}, 0, 5, grid=5)
assert (y == 1).all()
try:
    kernel({arrays}, 1, 5, grid=5)
except nexus.NexusError:
    print("refused")
"""
    )
    assert told.status == 0, told.stderr
    assert told.ids == ["NXV-0304-out-of-bounds"]
    assert words in told.lines[0]
    assert "program.py:" in told.lines[0]
    assert "guard pages" not in told.stderr


def test_a_kernel_that_faulted_has_one_message(validated: Validated) -> None:
    told = validated(HEAD + "refused('twice', [device.create_buffer(np.zeros(5, np.int32))], 1)\n")
    assert told.ids == ["NXV-0304-out-of-bounds"]
    assert "wrote byte 4000 of argument 0 (x)" in told.lines[0]


def test_the_guards_are_left_out_where_the_user_says_so(validated: Validated) -> None:
    told = validated(
        HEAD + "assert np.asarray(floats(5)).ctypes.data % 64 == 0\n", NEXUS_CPU_GUARD="0"
    )
    assert told.status == 0, told.stderr


@pytest.mark.unsanitized("limits address space")
def test_guards_that_find_no_address_space_are_refused_in_words(validated: Validated) -> None:
    told = validated(
        HEAD
        + """
import resource
floats(5)
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
try:
    kept = [floats(5) for _ in range(100)]
except nexus.NexusError as error:
    assert error.status == nexus.status.NXS_MemObjectAllocationFailure
    assert "set NEXUS_CPU_GUARD=0" in str(error), str(error)
else:
    raise SystemExit("there was enough")
"""
    )
    assert told.status == 0, told.stderr


@pytest.mark.unsanitized("ends by a signal")
def test_a_fault_outside_of_kernels_ends_the_process_as_ever(validated: Validated) -> None:
    told = validated(
        HEAD
        + """
launch("shift", [floats(4), floats(4), 0, 4], 4).run()
import ctypes
ctypes.string_at(8)
"""
    )
    assert told.status == -11
