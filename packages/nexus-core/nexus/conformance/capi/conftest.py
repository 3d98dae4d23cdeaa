# SPDX-License-Identifier: Apache-2.0
"""The fixtures of the tests through the C-API."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache

import pytest

import nexus
from nexus.conformance._kernels import Kernels
from nexus.conformance._native import Native
from nexus.conformance.capi.bench import Bench
from nexus.conformance.capi.exporter import Exporter


@pytest.fixture(scope="session")
def shared_handle(native: Native) -> Iterator[Callable[[], bytes]]:
    """Returns the handle of a buffer of another process, which starts at the first call."""
    with ExitStack() as processes:
        yield cache(lambda: processes.enter_context(Exporter(native.selector, 64)).handle)


@pytest.fixture
def bench(native: Native, kernels: Kernels, shared_handle: Callable[[], bytes]) -> Iterator[Bench]:
    """Makes objects of the plug-in, which are released at the end of the test."""
    made = Bench(native, kernels, shared_handle)
    yield made
    made.close()


@pytest.fixture
def second_device(native: Native, other_device: nexus.Device) -> int:
    """Returns the id of another device of the backend."""
    index = int(other_device.selector.partition(":")[2])
    made: int = native.get("GetDevice", native.runtime, index)
    return made
