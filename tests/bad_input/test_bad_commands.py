# SPDX-License-Identifier: Apache-2.0
"""Commands that are not complete, or have arguments that their kernels don't take."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
from workbench import COUNT, GROUP, LONG, Case, Workbench, by_name, check_refused, refused

import nexus
from nexus import status


def unfinalized(bench: Workbench) -> tuple[nexus.Schedule, nexus.Command]:
    """A schedule whose only command has its arguments, and no sizes."""
    schedule = bench.device.create_schedule()
    command = schedule.create_command(bench.kernel, (bench.data, 2.0, bench.out))
    return schedule, command


@pytest.mark.smoke
@pytest.mark.parametrize("call", ["run", "run without waiting", "prepare"])
def test_a_schedule_with_an_unfinalized_command_is_refused(bench: Workbench, call: str) -> None:
    schedule, command = unfinalized(bench)
    calls = {
        "run": lambda b: schedule.run(timeout=LONG),
        "run without waiting": lambda b: schedule.run(b.stream, blocking=False),
        "prepare": lambda b: schedule.prepare(),
    }
    case = refused(
        call,
        calls[call],
        nexus.NexusError,
        "Command 0",
        "'scale_f32'",
        "finalize",
        status=status.NXS_InvalidCommand,
    )
    check_refused(bench, case)
    command.finalize(GROUP, COUNT)
    schedule.run(timeout=LONG)


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_a_missing_argument_is_refused(bench: Workbench, missing: int) -> None:
    schedule = bench.device.create_schedule()
    command = schedule.create_command(bench.kernel)
    arguments: list[Any] = [bench.data, 2.0, bench.out]
    for index, value in enumerate(arguments):
        if index != missing:
            command.set_arg(index, value)
    case = refused(
        "",
        lambda b: command.finalize(GROUP, COUNT),
        nexus.NexusError,
        f"argument {missing}",
        "the kernel 'scale_f32'",
        "was not given",
        status=status.NXS_InvalidKernelArgs,
    )
    check_refused(bench, case)
    command.set_arg(missing, arguments[missing])
    command.finalize(GROUP, COUNT)
    schedule.run(timeout=LONG)


# Arguments of scale_f32(x, factor, out), wrong in one place.
ARGUMENTS: dict[str, tuple[Any, type[Exception], tuple[str, ...]]] = {
    "none": (lambda b: (), nexus.NexusError, ("argument 0", "was not given")),
    "one too few": (lambda b: (b.data, 2.0), nexus.NexusError, ("argument 2", "was not given")),
    "one too many": (
        lambda b: (b.data, 2.0, b.out, 3.0), ValueError, ("index is 3", "has 3 arguments")),
    "a number for a buffer": (
        lambda b: (1.0, 2.0, b.out), TypeError, ("argument 0", "nexus.Buffer", "float (1.0)")),
    "an array for a buffer": (
        lambda b: (b.numbers, 2.0, b.out), TypeError, ("argument 0", "nexus.Buffer", "ndarray")),
    "None for a buffer": (
        lambda b: (None, 2.0, b.out), TypeError, ("argument 0", "nexus.Buffer", "NoneType")),
    "a buffer for a number": (
        lambda b: (b.data, b.data, b.out), ValueError, ("argument 1", "a scalar, and a buffer")),
    "text for a number": (
        lambda b: (b.data, "2", b.out), TypeError, ("argument 1", "float32", "str ('2')")),
    "None for a number": (
        lambda b: (b.data, None, b.out), TypeError, ("argument 1", "float32", "NoneType")),
    "a bool for a number": (
        lambda b: (b.data, True, b.out), TypeError, ("argument 1", "float32", "bool (True)")),
    "a list for a number": (
        lambda b: (b.data, [2.0], b.out), TypeError, ("argument 1", "float32", "list ([2.0])")),
    "a complex number": (
        lambda b: (b.data, 2j, b.out), TypeError, ("argument 1", "float32", "complex (2j)")),
    "a double": (
        lambda b: (b.data, np.float64(1e300), b.out), ValueError, ("argument 1", "too large")),
    "a C double": (
        lambda b: (b.data, ctypes.c_double(2), b.out), TypeError, ("argument 1", "float32")),
    "an array of one": (
        lambda b: (b.data, np.ones(1, np.float32), b.out), TypeError, ("argument 1", "float32")),
    "doubles for floats": (
        lambda b: (b.data.view("float64"), 2.0, b.out), ValueError,
        ("argument 0", "points to float32", "elements of float64", "astype('float32')")),
    "ints for floats": (
        lambda b: (b.data.view("int32"), 2.0, b.out), ValueError, ("argument 0", "of int32")),
    "a number too large": (
        lambda b: (b.data, 1e39, b.out), ValueError, ("argument 1", "1e+39", "too large")),
    "an int too large": (
        lambda b: (b.data, 10**400, b.out), ValueError, ("argument 1", "too large")),
    "an event": (
        lambda b: (b.event, 2.0, b.out), TypeError, ("argument 0", "nexus.Buffer", "nexus.Event")),
}  # fmt: skip


# Mistakes that show only when the command is finalized.
LATE = {"none", "one too few"}


@pytest.mark.parametrize(
    ("what", "sizes"),
    [
        *(pytest.param(what, (GROUP, COUNT), id=f"{what}, with sizes") for what in ARGUMENTS),
        *(pytest.param(what, (), id=what) for what in ARGUMENTS if what not in LATE),
    ],
)
def test_arguments_that_do_not_fit_the_kernel_are_refused(
    bench: Workbench, what: str, sizes: tuple[int, ...]
) -> None:
    make, error, texts = ARGUMENTS[what]

    def add(b: Workbench) -> nexus.Command:
        return b.schedule.create_command(b.kernel, make(b), *sizes)

    check_refused(bench, refused(what, add, error, *texts))


@pytest.mark.parametrize(
    "case",
    [
        refused("a number", lambda b: b.schedule.create_command(b.kernel, 5),
                TypeError, "args has to be", "int (5)"),
        refused("None", lambda b: b.schedule.create_command(b.kernel, None),
                TypeError, "args has to be", "NoneType (None)"),
        refused("one buffer", lambda b: b.schedule.create_command(b.kernel, b.data),
                TypeError, "args has to be", "nexus.Buffer"),
        refused("an iterator that fails", lambda b: b.schedule.create_command(b.kernel, failing()),
                ZeroDivisionError, "of the test's own"),
        refused("a size without arguments", lambda b: b.schedule.create_command(
                    b.kernel, (b.data, 2.0, b.out), GROUP),
                TypeError, "grid_size is missing"),
    ],
    ids=by_name,
)  # fmt: skip
def test_what_is_no_arguments_is_refused(bench: Workbench, case: Case) -> None:
    check_refused(bench, case)


def failing() -> Any:
    """An iterator of arguments that raises."""
    yield from ()
    raise ZeroDivisionError("An error of the test's own.")


def test_the_first_argument_beyond_64_is_refused(bench: Workbench) -> None:
    arguments = (bench.data, 2.0, bench.out, *[bench.data] * 62)
    check_refused(
        bench,
        refused("", lambda b: b.schedule.create_command(b.kernel, arguments, GROUP, COUNT),
                ValueError, "index is"),
    )  # fmt: skip


def test_65_arguments_of_a_kernel_that_is_not_described_are_refused(cpu_bench: Workbench) -> None:
    plain = cpu_bench.library.get_kernel("plain_scale")
    arguments = (cpu_bench.data, np.float32(2)) + (cpu_bench.data,) * 63
    check_refused(
        cpu_bench,
        refused("", lambda b: b.schedule.create_command(plain, arguments, GROUP, COUNT),
                ValueError, "index is 64"),
    )  # fmt: skip


@pytest.mark.parametrize("value", [1, 2.0, True], ids=repr)
def test_a_bare_number_for_a_kernel_that_is_not_described_is_refused(
    cpu_bench: Workbench, value: Any
) -> None:
    plain = cpu_bench.library.get_kernel("plain_scale")
    check_refused(
        cpu_bench,
        refused("", lambda b: b.schedule.create_command(plain, (b.data, value), GROUP, COUNT),
                TypeError, f"argument 1 is {value!r}", "numpy or ctypes scalar", "dtype="),
    )  # fmt: skip


def test_local_memory_that_the_kernel_has_not_is_refused(bench: Workbench) -> None:
    check_refused(
        bench,
        refused("", lambda b: b.command.set_local_memory(1, 64), ValueError,
                "argument 1", "is a scalar, and local memory was given"),
    )  # fmt: skip


def test_a_misaligned_slice_is_refused(cpu_bench: Workbench) -> None:
    plain = cpu_bench.device.create_buffer(4 * COUNT + 4)

    def misalign(b: Workbench) -> None:
        command = b.bound()
        command.set_buffer(2, plain[1 : 4 * COUNT + 1])
        command.finalize(GROUP, COUNT)

    case = refused("", misalign, nexus.NexusError, "argument 2", "1 bytes",
                   "multiple of the 4 bytes",
                   status=status.NXS_MisalignedSubBufferOffset)  # fmt: skip
    check_refused(cpu_bench, case)


# Commands without a kernel.
@pytest.mark.parametrize(
    "case",
    [
        refused("an argument", lambda b: b.signalling.set_buffer(0, b.data),
                nexus.NexusError, "Signal command", status=status.NXS_InvalidOperation),
        refused("a number", lambda b: b.signalling.set_arg(0, 1.0),
                nexus.NexusError, "command", "kernel", status=status.NXS_InvalidOperation),
        refused("local memory", lambda b: b.signalling.set_local_memory(0, 64),
                nexus.NexusError, "Signal command", status=status.NXS_InvalidOperation),
        refused("sizes", lambda b: b.signalling.finalize(GROUP, COUNT),
                nexus.NexusError, "Signal command", status=status.NXS_InvalidOperation),
        refused("its kernel", lambda b: b.signalling.get_kernel(),
                nexus.NexusError, "command", "kernel", status=status.NXS_InvalidOperation),
        refused("a value for a kernel command", lambda b: b.command.set_value(1),
                nexus.NexusError, "Dispatch command", status=status.NXS_InvalidOperation),
        refused("the event of a kernel command", lambda b: b.command.get_event(),
                nexus.NexusError, "command", "event", status=status.NXS_InvalidOperation),
    ],
    ids=by_name,
)  # fmt: skip
def test_what_another_kind_of_command_has_is_refused(bench: Workbench, case: Case) -> None:
    check_refused(bench, case)


def copying(bench: Workbench) -> nexus.Command:
    return bench.device.create_schedule().create_copy_command(bench.out, bench.data)


def filling(bench: Workbench) -> nexus.Command:
    return bench.device.create_schedule().create_fill_command(bench.out, 1)


@pytest.mark.parametrize(
    "case",
    [
        refused("another size", lambda b: b.schedule.create_copy_command(b.out, b.data[:4]),
                nexus.NexusError, "16 bytes", "64"),
        refused("a number too large", lambda b: b.schedule.create_fill_command(b.out, 1e39),
                ValueError, "value is 1e+39", "float32"),
        refused("text", lambda b: b.schedule.create_fill_command(b.out, "1"),
                TypeError, "value has to be", "str ('1')"),
        refused("an array of another size",
                lambda b: b.schedule.create_copy_command(b.out, np.zeros(3)),
                nexus.NexusError, "24 bytes", "64"),
        refused("two arrays", lambda b: b.schedule.create_copy_command(b.numbers, b.numbers),
                TypeError, "src has to be a nexus.Buffer"),
        refused("another buffer of another size",
                lambda b: copying(b).set_buffer(1, b.data[:4]),
                nexus.NexusError, "buffer has 16 bytes", "destination has 64"),
        refused("a third buffer",
                lambda b: copying(b).set_buffer(2, b.data),
                nexus.NexusError, "index is 2", status=status.NXS_InvalidArgIndex),
        refused("a list", lambda b: copying(b).set_buffer(1, []),
                TypeError, "buffer has to be a nexus.Buffer"),
        refused("another number too large",
                lambda b: filling(b).set_arg(1, 1e39),
                ValueError, "value is 1e+39", "float32"),
        refused("enabled", lambda b: setattr(b.command, "enabled", 2),
                TypeError, "enabled has to be"),
    ],
    ids=by_name,
)  # fmt: skip
def test_copies_and_fills_that_do_not_fit_are_refused(bench: Workbench, case: Case) -> None:
    check_refused(bench, case)


def integers(bench: Workbench, count: int = 1) -> nexus.Buffer:
    return bench.device.create_buffer((count,), "int32")


def signalling(bench: Workbench) -> nexus.Schedule:
    schedule = bench.device.create_schedule()
    schedule.create_signal_command(bench.event)
    return schedule


@pytest.mark.parametrize(
    "case",
    [
        refused("another type", lambda b: b.schedule.create_if_command(b.out, b.schedule),
                nexus.NexusError, "condition is a buffer of float32", "int32"),
        refused("nothing", lambda b: b.schedule.create_switch_command(integers(b, 0), []),
                nexus.NexusError, "selector is empty"),
        refused("a negative count",
                lambda b: b.schedule.create_while_command(integers(b), b.schedule, max_count=-1),
                ValueError, "max_count is -1"),
        refused("a count too large",
                lambda b: b.schedule.create_while_command(integers(b), b.schedule, max_count=2**64),
                ValueError, "max_count is 18446744073709551616"),
        refused("no list", lambda b: b.schedule.create_switch_command(integers(b), b.schedule),
                TypeError, "cases has to be a list of nexus.Schedule"),
        refused("no schedule", lambda b: b.schedule.create_switch_command(integers(b), [None]),
                TypeError, "cases[0] has to be a nexus.Schedule"),
        refused("itself", lambda b: b.schedule.create_if_command(integers(b), b.schedule),
                nexus.NexusError, "then is schedule", "can't run itself",
                status=status.NXS_InvalidOperation),
        refused("a signal", lambda b: b.schedule.create_while_command(integers(b), signalling(b)),
                nexus.NexusError, "Command 0 (signal) of schedule", "a condition runs",
                status=status.NXS_InvalidOperation),
        refused("bodies of another command", lambda b: b.command.get_bodies(),
                nexus.NexusError, "command is not a condition", status=status.NXS_InvalidOperation),
    ],
    ids=by_name,
)  # fmt: skip
def test_conditions_that_can_not_be_are_refused(bench: Workbench, case: Case) -> None:
    check_refused(bench, case)
