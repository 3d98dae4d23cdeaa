# SPDX-License-Identifier: Apache-2.0
"""Indices: of arguments, of devices, of records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from workbench import (
    COUNT,
    GROUP,
    Workbench,
    Wrong,
    by_name,
    check_refused,
    check_wrong,
    refused,
    wrong,
)

import nexus

Bind = Callable[[nexus.Command, Any, Workbench], None]

BINDINGS: dict[str, Bind] = {
    "set_buffer": lambda command, index, b: command.set_buffer(index, b.data),
    "set_arg": lambda command, index, b: command.set_arg(index, np.float32(1)),
    "set_local_memory": lambda command, index, b: command.set_local_memory(index, 64),
}

# An index, what is raised, and what the text tells.
INDICES = [
    wrong("negative", -1, ValueError, "index is -1", "at least 0"),
    wrong("the first beyond", 64, ValueError, "index is 64", "from 0 to 63"),
    wrong("far beyond", 2**31, ValueError, "index is 2147483648", "from 0 to 63"),
    wrong("one that 32 bits would wrap", 2**32, ValueError, "index is 4294967296", "from 0 to 63"),
    wrong("one that 64 bits would wrap", 2**64, ValueError, "index is 18446744073709551616"),
    wrong("huge", 2**70, ValueError, "index is 1180591620717411303424"),
    wrong("hugely negative", -(2**70), ValueError, "index is -1180591620717411303424"),
    wrong("a bool", True, TypeError, "index has to be an int", "bool (True)"),
    wrong("a float", 1.0, TypeError, "index has to be an int", "float (1.0)"),
    wrong("no argument's name", "1", ValueError, "index names '1'", "It has x, factor, out"),
    wrong("part of a name", "factors", ValueError, "index names 'factors'", "mean 'factor'?"),
    wrong("None", None, TypeError, "index has to be an int", "NoneType (None)"),
    wrong("a list", [1], TypeError, "index has to be an int", "list ([1])"),
    wrong("an array", np.zeros(1, np.int32), TypeError, "index has to be an int", "numpy.ndarray"),
]  # fmt: skip


@pytest.mark.parametrize("binding", BINDINGS)
@pytest.mark.parametrize("wrong", INDICES, ids=by_name)
def test_an_index_of_an_argument_is_refused(bench: Workbench, binding: str, wrong: Wrong) -> None:
    check_wrong(bench, wrong, lambda b: BINDINGS[binding](b.command, wrong.value, b))


@pytest.mark.parametrize("binding", BINDINGS)
def test_an_index_that_the_kernel_has_not_is_refused(bench: Workbench, binding: str) -> None:
    command = bench.bound()
    case = refused("", lambda b: BINDINGS[binding](command, 3, b), ValueError,
                   "index is 3", "'scale_f32' has 3 arguments")  # fmt: skip
    check_refused(bench, case)
    command.finalize(GROUP, COUNT)  # what was refused is not in the way
    check_refused(bench, case)


DEVICES = [
    wrong("negative", -1, ValueError, "id is -1", "at least 0"),
    wrong("beyond 64 bits", 2**70, ValueError, "id is 1180591620717411303424"),
    wrong("one more than there are", 1, nexus.NexusError, "is 1"),
    wrong("one that 32 bits would wrap", 2**32, nexus.NexusError, "is 4294967296"),
    wrong("a bool", True, TypeError, "id has to be an int", "bool (True)"),
    wrong("a float", 0.0, TypeError, "id has to be an int", "float (0.0)"),
    wrong("text", "0", TypeError, "id has to be an int", "str ('0')"),
    wrong("None", None, TypeError, "id has to be an int", "NoneType (None)"),
]  # fmt: skip


@pytest.mark.parametrize("wrong", DEVICES, ids=by_name)
def test_an_index_of_a_device_is_refused(bench: Workbench, wrong: Wrong) -> None:
    runtime = bench.device.runtime
    check_wrong(bench, wrong, lambda b: runtime.get_device(wrong.value))
    assert runtime.get_device(0) == bench.device


SELECTORS = [
    wrong("a backend that there is not", "warp", nexus.NexusError, "warp"),
    wrong("a device that there is not", "cpu:99", nexus.NexusError, "99"),
    wrong("a negative device", "cpu:-1", ValueError, "cpu:-1"),
    wrong("a huge device", f"cpu:{2**70}", ValueError, str(2**70)),
    wrong("a fraction", "cpu:0.5", ValueError, "cpu:0.5"),
    wrong("no device", "cpu:", ValueError, "cpu:"),
    wrong("no backend", ":0", ValueError, ":0"),
    wrong("a zero byte", "cpu\0", ValueError, "cpu\\0"),
    wrong("a lone surrogate", "\ud800", ValueError, "selector is '\\ud800'"),
    wrong("an int", 0, TypeError, "selector has to be a str, not int (0)"),
    wrong("bytes", b"cpu", TypeError, "selector has to be a str, not bytes (b'cpu')"),
    wrong("a device", object, TypeError, "selector has to be a str, not type"),
]  # fmt: skip


@pytest.mark.parametrize("wrong", SELECTORS, ids=by_name)
def test_a_selector_is_refused(cpu_bench: Workbench, wrong: Wrong) -> None:
    check_wrong(cpu_bench, wrong, lambda b: nexus.get_device(wrong.value))
    assert nexus.get_device("cpu:0") == cpu_bench.device
