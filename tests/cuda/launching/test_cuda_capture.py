# SPDX-License-Identifier: Apache-2.0
"""Calls of the driver for captured work."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import pytest
import simulated

import nexus
from nexus import NexusError


@pytest.fixture
def context(cuda: simulated.Driver, gpu: nexus.Device) -> Iterator[None]:
    """Makes the device's context current, as another library does."""
    cuda.call("cuCtxPushCurrent_v2", cuda.pointer("cuDevicePrimaryCtxRetain", gpu.native_handle))
    yield
    cuda.pointer("cuCtxPopCurrent_v2")
    cuda.call("cuDevicePrimaryCtxRelease_v2", gpu.native_handle)


@pytest.fixture
def fill(cuda: simulated.Driver, context: None, out: nexus.Buffer) -> Iterator[ctypes.c_void_p]:
    """Yields another library's executable graph, which sets the first number to 2."""
    stream, graph = cuda.pointer("cuStreamCreateWithPriority", 1, 0), ctypes.c_void_p()
    cuda.call("cuStreamBeginCapture_v2", stream, 2)
    memory = ctypes.c_void_p(out.native_handle)
    cuda.call("cuMemsetD32Async", memory, 2, ctypes.c_size_t(1), stream)
    cuda.call("cuStreamEndCapture", stream, ctypes.byref(graph))
    executable = cuda.pointer("cuGraphInstantiateWithFlags", graph, ctypes.c_uint64(0))
    yield executable
    cuda.call("cuGraphExecDestroy", executable)
    cuda.call("cuGraphDestroy", graph)
    cuda.call("cuStreamDestroy_v2", stream)


def launch(cuda: simulated.Driver, graph: ctypes.c_void_p, stream: nexus.Stream) -> None:
    cuda.call("cuGraphLaunch", graph, ctypes.c_void_p(stream.native_handle))


def test_the_nodes_of_child_graphs_are_looked_at(
    cuda: simulated.Driver, gpu: nexus.Device, out: nexus.Buffer, fill: ctypes.c_void_p
) -> None:
    schedule = gpu.create_schedule()
    with schedule.capture() as stream:
        launch(cuda, fill, stream)
    assert cuda.calls("cuGraphChildGraphNodeGetGraph") == 1
    assert cuda.calls("cuGraphNodeGetType") == 2
    assert out.numpy()[0] == 0
    schedule.run()
    assert out.numpy()[0] == 2


def test_a_child_graph_that_the_driver_does_not_show_is_refused(
    cuda: simulated.Driver, gpu: nexus.Device, fill: ctypes.c_void_p
) -> None:
    schedule = gpu.create_schedule()
    cuda.fail("cuGraphChildGraphNodeGetGraph", 1, simulated.INVALID_VALUE)
    with (
        pytest.raises(NexusError, match="asking for the nodes of captured work"),
        schedule.capture() as stream,
    ):
        launch(cuda, fill, stream)
    assert len(schedule.get_commands()) == 0
