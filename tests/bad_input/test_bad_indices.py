# SPDX-License-Identifier: Apache-2.0
"""Indices: of arguments, of devices, of records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from workbench import Workbench, check_refused, refused

import nexus

Bind = Callable[[nexus.Command, Any, Workbench], None]

BINDINGS: dict[str, Bind] = {
    "set_buffer": lambda command, index, b: command.set_buffer(index, b.data),
    "set_arg": lambda command, index, b: command.set_arg(index, np.float32(1)),
    "set_local_memory": lambda command, index, b: command.set_local_memory(index, 64),
}

# An index, what is raised, and what the text tells.
INDICES: list[tuple[str, Any, type[Exception], tuple[str, ...]]] = [
    ("negative", -1, ValueError, ("index is -1", "at least 0")),
    ("the first beyond", 64, ValueError, ("index is 64", "from 0 to 63")),
    ("far beyond", 2**31, ValueError, ("index is 2147483648", "from 0 to 63")),
    ("one that 32 bits would wrap", 2**32, ValueError, ("index is 4294967296", "from 0 to 63")),
    ("one that 64 bits would wrap", 2**64, ValueError, ("index is 18446744073709551616",)),
    ("huge", 2**70, ValueError, ("index is 1180591620717411303424",)),
    ("hugely negative", -(2**70), ValueError, ("index is -1180591620717411303424",)),
    ("a bool", True, TypeError, ("index has to be an int", "bool (True)")),
    ("a float", 1.0, TypeError, ("index has to be an int", "float (1.0)")),
    ("text", "1", TypeError, ("index has to be an int", "str ('1')")),
    ("a name of an argument", "factor", TypeError, ("index has to be an int", "str ('factor')")),
    ("None", None, TypeError, ("index has to be an int", "NoneType (None)")),
    ("a list", [1], TypeError, ("index has to be an int", "list ([1])")),
    ("an array", np.zeros(1, np.int32), TypeError, ("index has to be an int", "numpy.ndarray")),
]


@pytest.mark.parametrize("binding", BINDINGS)
@pytest.mark.parametrize(
    ("what", "index", "error", "texts"), INDICES, ids=[each[0] for each in INDICES]
)
def test_an_index_of_an_argument_is_refused(
    bench: Workbench,
    binding: str,
    what: str,
    index: Any,
    error: type[Exception],
    texts: tuple[str, ...],
) -> None:
    bind = BINDINGS[binding]
    check_refused(bench, refused(what, lambda b: bind(b.command, index, b), error, *texts))


def test_an_index_that_the_kernel_has_not_is_refused_after_finalize(bench: Workbench) -> None:
    for call in (
        lambda b: b.command.set_buffer(3, b.data),
        lambda b: b.command.set_local_memory(3, 64),
    ):
        check_refused(
            bench, refused("", call, ValueError, "index is 3", "'scale_f32' has 3 arguments")
        )


DEVICES: list[tuple[str, Any, type[Exception], tuple[str, ...]]] = [
    ("negative", -1, ValueError, ("id is -1", "at least 0")),
    ("beyond 64 bits", 2**70, ValueError, ("id is 1180591620717411303424",)),
    ("one more than there are", 1, nexus.NexusError, ("is 1",)),
    ("one that 32 bits would wrap", 2**32, nexus.NexusError, ("is 4294967296",)),
    ("a bool", True, TypeError, ("id has to be an int", "bool (True)")),
    ("a float", 0.0, TypeError, ("id has to be an int", "float (0.0)")),
    ("text", "0", TypeError, ("id has to be an int", "str ('0')")),
    ("None", None, TypeError, ("id has to be an int", "NoneType (None)")),
]


@pytest.mark.parametrize(
    ("what", "index", "error", "texts"), DEVICES, ids=[each[0] for each in DEVICES]
)
def test_an_index_of_a_device_is_refused(
    bench: Workbench, what: str, index: Any, error: type[Exception], texts: tuple[str, ...]
) -> None:
    runtime = bench.device.runtime
    check_refused(bench, refused(what, lambda b: runtime.get_device(index), error, *texts))
    assert runtime.get_device(0) == bench.device


SELECTORS: list[tuple[str, Any, type[Exception] | tuple[type[Exception], ...], str]] = [
    ("a backend that there is not", "warp", nexus.NexusError, "warp"),
    ("a device that there is not", "cpu:99", nexus.NexusError, "99"),
    ("a negative device", "cpu:-1", (ValueError, nexus.NexusError), "cpu:-1"),
    ("a huge device", f"cpu:{2**70}", (ValueError, nexus.NexusError), str(2**70)),
    ("a fraction", "cpu:0.5", (ValueError, nexus.NexusError), "cpu:0.5"),
    ("no device", "cpu:", (ValueError, nexus.NexusError), "cpu:"),
    ("no backend", ":0", (ValueError, nexus.NexusError), ":0"),
    ("a zero byte", "cpu\0", (ValueError, nexus.NexusError), "cpu\\0"),
    ("a lone surrogate", "\ud800", ValueError, "selector is '\\ud800'"),
    ("an int", 0, TypeError, "selector has to be a str, not int (0)"),
    ("bytes", b"cpu", TypeError, "selector has to be a str, not bytes (b'cpu')"),
    ("a device", object, TypeError, "selector has to be a str, not type"),
]


@pytest.mark.parametrize(
    ("what", "selector", "error", "text"), SELECTORS, ids=[each[0] for each in SELECTORS]
)
def test_a_selector_is_refused(
    cpu_bench: Workbench, what: str, selector: Any, error: type[Exception], text: str
) -> None:
    check_refused(cpu_bench, refused(what, lambda b: nexus.get_device(selector), error, text))
    assert nexus.get_device("cpu:0") == cpu_bench.device
