# SPDX-License-Identifier: Apache-2.0
"""Calls of kernels, kernel(...) and kernel[...](...), that are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from workbench import COUNT, Case, Workbench, by_name, check_refused, refused

import nexus


def call(bench: Any, *arguments: Any, **named: Any) -> None:
    """kernel(...) with a grid that fits."""
    bench.kernel(*arguments, **{"grid": COUNT, **named})


def read_only() -> Any:
    """An array that must not be written."""
    made = np.zeros(COUNT, np.float32)
    made.flags.writeable = False
    return made


CALLS = [
    refused("no grid", lambda b: b.kernel(b.data, 2.0, b.out), TypeError, "work items", "grid="),
    refused("no arguments", call, TypeError, "3 arguments", "0 were given", "missing: argument 0"),
    refused("one too few", lambda b: call(b, b.data, 2.0), TypeError,
            "missing: argument 2 ('out')"),
    refused("one too many", lambda b: call(b, b.data, 2.0, b.out, 1), TypeError, "4 were given"),
    refused("an unknown name", lambda b: call(b, b.data, 2.0, b.out, fcator=1), ValueError,
            "'fcator'", "mean 'factor'?"),
    refused("given twice", lambda b: call(b, b.data, 2.0, x=b.data, out=b.out), TypeError,
            "argument 0", "given twice"),
    refused("no buffer", lambda b: call(b, None, 2.0, b.out), TypeError, "argument 0"),
    refused("a list for a buffer", lambda b: call(b, [1.0], 2.0, b.out), TypeError, "argument 0"),
    refused("a number for a buffer", lambda b: call(b, 1.0, 2.0, b.out), TypeError, "argument 0"),
    refused("a buffer for a number", lambda b: call(b, b.data, b.data, b.out), ValueError,
            "argument 1"),
    refused("text for a number", lambda b: call(b, b.data, "2", b.out), TypeError, "argument 1"),
    refused("an array for a number", lambda b: call(b, b.data, nexus.In(b.numbers), b.out),
            (TypeError, nexus.NexusError), "argument 1"),
    refused("a buffer of another dtype", lambda b: call(b, b.data.view("int32"), 2.0, b.out),
            nexus.NexusValueError, "argument 0", "buffer has elements of int32",
            "astype('float32')", "view('float32')"),
    refused("an array of another dtype", lambda b: call(b, np.zeros(COUNT), 2.0, b.out),
            nexus.NexusValueError, "argument 0", "array has elements of float64",
            "astype('float32')."),
    refused("an array with gaps of another dtype",
            lambda b: call(b, np.zeros(2 * COUNT)[::2], 2.0, b.out), nexus.NexusValueError,
            "argument 0", "array has elements of float64", "astype('float32')."),
    refused("a view with gaps", lambda b: call(b, b.data[::2], 2.0, b.out),
            (ValueError, nexus.NexusError), "ascontiguous()"),
    refused("an array to write that is read-only",
            lambda b: call(b, b.data, 2.0, nexus.Out(read_only())), (TypeError, ValueError),
            "argument 2", "read-only"),
    refused("a number to write", lambda b: call(b, b.data, 2.0, nexus.Out(1.0)), TypeError,
            "argument 2", "float (1.0)"),
    refused("a list to read", lambda b: call(b, nexus.In([1.0]), 2.0, b.out), TypeError,
            "argument 0", "list ([1.0])"),
    refused("a buffer in nexus.In", lambda b: nexus.In(b.data), TypeError, "array has to be"),
    refused("nexus.In in nexus.Out", lambda b: nexus.Out(nexus.In(b.numbers)), TypeError,
            "array has to be"),
    refused("kernel[()]", lambda b: b.kernel[()], ValueError, "kernel[...]"),
    refused("kernel[None]", lambda b: b.kernel[None], TypeError, "grid has to be"),
    refused("kernel[1, 2, 3]", lambda b: b.kernel[1, 2, 3], ValueError, "kernel[(64, 64), (8, 8)]"),
    refused("a negative grid", lambda b: b.kernel[-1], ValueError, "grid is -1"),
    refused("a group of no items", lambda b: b.kernel[COUNT, 0], ValueError, "group is 0"),
    refused("a group of text", lambda b: b.kernel[COUNT, "4"], TypeError, "group has to be"),
    refused("a grid given twice", lambda b: b.kernel[COUNT](b.data, 2.0, b.out, 4), TypeError,
            "4 were given"),
    refused("a name that the kernel has not, of a command",
            lambda b: b.device.create_schedule().create_command(b.kernel, {"y": b.data}),
            ValueError, "'y'", "x, factor, out"),
]  # fmt: skip


@pytest.mark.parametrize("case", CALLS, ids=by_name)
def test_a_call_is_refused(bench: Workbench, case: Case) -> None:
    check_refused(bench, case)
