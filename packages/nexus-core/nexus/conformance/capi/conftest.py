# SPDX-License-Identifier: Apache-2.0
"""The fixtures of the tests through the C-API."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import nexus
from nexus.conformance._kernels import Kernels
from nexus.conformance._native import Native
from nexus.conformance.capi.bench import Bench


@pytest.fixture
def bench(native: Native, kernels: Kernels) -> Iterator[Bench]:
    """Objects of the plug-in, let go of at the end of the test."""
    made = Bench(native, kernels)
    yield made
    made.close()


@pytest.fixture
def second_device(native: Native, other_device: nexus.Device) -> int:
    """The id of another device of the backend."""
    index = int(other_device.selector.partition(":")[2])
    made: int = native.get("GetDevice", native.runtime, index)
    return made
