# SPDX-License-Identifier: Apache-2.0
"""Streams, events, graphs and failures of the simulated driver."""

from __future__ import annotations

import array
import ctypes

import pytest
import simulated
from simulated import Driver

NO_TIMING = 2
HOST_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


def ints(*values: int) -> bytes:
    return array.array("i", values).tobytes()


@pytest.fixture
def store(cuda: Driver, cubin: bytes) -> ctypes.c_void_p:
    """Returns a kernel that writes a number to an address."""
    return cuda.function(cuda.load(cubin), "store")


def other_stream(cuda: Driver) -> ctypes.c_void_p:
    return cuda.pointer("cuStreamCreateWithPriority", 1, 0)


# ---- Streams and events ----


def test_an_event_that_was_never_recorded_is_done(cuda: Driver) -> None:
    assert cuda.result("cuEventQuery", cuda.pointer("cuEventCreate", 0)) == simulated.SUCCESS


def test_events_without_timing_have_no_time_between_them(cuda: Driver, stream: object) -> None:
    events = [cuda.pointer("cuEventCreate", NO_TIMING) for _ in range(2)]
    for event in events:
        cuda.call("cuEventRecord", event, stream)
    result = cuda.result("cuEventElapsedTime", ctypes.byref(ctypes.c_float()), *events)
    assert result == simulated.INVALID_HANDLE


def test_events_tell_the_time_between_them_when_both_are_done(
    cuda: Driver, stream: object, store: ctypes.c_void_p
) -> None:
    events = [cuda.pointer("cuEventCreate", 0) for _ in range(2)]
    cuda.call("cuEventRecord", events[0], stream)
    cuda.hold("store")
    cuda.launch(store, cuda.allocate(4), ctypes.c_int(1), stream=stream)
    cuda.call("cuEventRecord", events[1], stream)
    out = ctypes.c_float(-1)
    assert cuda.result("cuEventElapsedTime", ctypes.byref(out), *events) == simulated.NOT_READY
    cuda.release()
    cuda.call("cuEventSynchronize", events[1])
    cuda.call("cuEventElapsedTime", ctypes.byref(out), *events)
    assert out.value >= 0


def test_the_null_stream_waits_for_blocking_streams(cuda: Driver, store: ctypes.c_void_p) -> None:
    out, blocking = cuda.allocate(4), cuda.pointer("cuStreamCreateWithPriority", 0, 0)
    cuda.hold("store")
    cuda.launch(store, out, ctypes.c_int(1), stream=blocking)
    cuda.call("cuMemsetD32_v2", out, 2, ctypes.c_size_t(1))
    assert cuda.result("cuStreamQuery", None) == simulated.NOT_READY
    cuda.release()
    assert cuda.read(out, 4) == ints(2)


def test_a_host_function_runs_in_order_and_may_not_call_the_driver(
    cuda: Driver, stream: object
) -> None:
    answers: list[int] = []
    count = ctypes.c_int()

    def note(_user: int) -> None:
        answers.append(cuda.result("cuDeviceGetCount", ctypes.byref(count)))

    function = HOST_FUNCTION(note)
    cuda.call("cuLaunchHostFunc", stream, function, None)
    cuda.call("cuStreamSynchronize", stream)
    assert answers == [simulated.NOT_PERMITTED]


def test_memory_of_the_host_is_read_at_once_unless_it_is_page_locked(
    cuda: Driver, stream: object, store: ctypes.c_void_p
) -> None:
    pageable = ctypes.create_string_buffer(ints(1), 4)
    locked = cuda.pointer("cuMemHostAlloc", ctypes.c_size_t(4), 0)
    sources = [ctypes.addressof(pageable), locked.value or 0]
    ctypes.memmove(sources[1], ints(1), 4)
    memory = [cuda.allocate(4) for _ in range(3)]
    cuda.hold("store")
    cuda.launch(store, memory[2], ctypes.c_int(1), stream=stream)
    for target, source in zip(memory[:2], sources, strict=True):
        place = ctypes.c_void_p(source)
        cuda.call("cuMemcpyHtoDAsync_v2", target, place, ctypes.c_size_t(4), stream)
        ctypes.memmove(source, ints(2), 4)
    cuda.release()
    cuda.call("cuStreamSynchronize", stream)
    assert [cuda.read(each, 4) for each in memory[:2]] == [ints(1), ints(2)]


def test_handles_are_refused_once_they_are_destroyed(cuda: Driver, stream: object) -> None:
    cuda.call("cuStreamDestroy_v2", stream)
    assert cuda.result("cuStreamQuery", stream) == simulated.INVALID_HANDLE
    assert cuda.misuse() == ["a handle that is stale or invented"]


# ---- Graphs ----


class KernelNode(ctypes.Structure):
    """CUDA_KERNEL_NODE_PARAMS."""

    _fields_ = [
        ("function", ctypes.c_void_p),
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared", ctypes.c_uint),
        ("parameters", ctypes.c_void_p),
        ("extra", ctypes.c_void_p),
        ("kernel", ctypes.c_void_p),
        ("context", ctypes.c_void_p),
    ]


def store_node(function: ctypes.c_void_p, out: ctypes.c_void_p, value: int) -> KernelNode:
    number = ctypes.c_int(value)
    places = (ctypes.c_void_p * 2)(ctypes.addressof(out), ctypes.addressof(number))
    one = (ctypes.c_uint * 3)(1, 1, 1)
    node = KernelNode(function, one, one, 0, ctypes.addressof(places))
    node.keeps = (number, places)
    return node


def test_an_update_counts_for_later_launches(
    cuda: Driver, stream: object, store: ctypes.c_void_p
) -> None:
    out, graph = [cuda.allocate(4) for _ in range(2)], cuda.pointer("cuGraphCreate", 0)
    params = store_node(store, out[0], 1)
    node = cuda.pointer(
        "cuGraphAddKernelNode_v2", graph, None, ctypes.c_size_t(0), ctypes.byref(params)
    )
    executable = cuda.pointer("cuGraphInstantiateWithFlags", graph, ctypes.c_uint64(0))
    cuda.hold("store")
    cuda.call("cuGraphLaunch", executable, stream)
    params = store_node(store, out[1], 2)
    cuda.call("cuGraphExecKernelNodeSetParams_v2", executable, node, ctypes.byref(params))
    cuda.call("cuGraphLaunch", executable, stream)
    cuda.release()
    cuda.call("cuStreamSynchronize", stream)
    assert [cuda.read(each, 4) for each in out] == [ints(1), ints(2)]
    cuda.call("cuGraphExecDestroy", executable)
    cuda.call("cuGraphDestroy", graph)


# ---- Conditions of graphs ----

# Counts down a number in memory, and sets the condition to what is left.
COUNT_DOWN = b"""
.version 6.0
.target sm_50
.address_size 64
.extern .func cudaGraphSetConditional(.param .b64 condition, .param .b32 number);
.visible .entry count_down(.param .u64 number, .param .u64 condition)
{
  .reg .pred %none;
  .reg .b32 %left;
  .reg .b64 %at, %which;
  .param .b64 to;
  .param .b32 is;
  ld.param.u64 %at, [number];
  ld.param.u64 %which, [condition];
  ld.volatile.global.u32 %left, [%at];
  setp.eq.u32 %none, %left, 0;
  @%none bra DONE;
  sub.u32 %left, %left, 1;
  st.global.u32 [%at], %left;
DONE:
  st.param.b64 [to], %which;
  st.param.b32 [is], %left;
  call.uni cudaGraphSetConditional, (to, is);
  ret;
}
"""
IF, WHILE = 0, 1


class ConditionalNode(ctypes.Structure):
    """CUgraphNodeParams of such a node."""

    _fields_ = [
        ("type", ctypes.c_int),
        ("reserved0", ctypes.c_int * 3),
        ("condition", ctypes.c_uint64),
        ("kind", ctypes.c_int),
        ("size", ctypes.c_uint),
        ("bodies", ctypes.POINTER(ctypes.c_void_p)),
        ("context", ctypes.c_void_p),
        ("reserved1", ctypes.c_longlong * 26),
    ]


def condition_of(cuda: Driver, graph: object, number: int = 0) -> ctypes.c_uint64:
    made = ctypes.c_uint64()
    context = cuda.pointer("cuCtxGetCurrent")
    cuda.call("cuGraphConditionalHandleCreate", ctypes.byref(made), graph, context, number, 0)
    return made


def conditional(
    cuda: Driver, graph: object, handle: ctypes.c_uint64, form: int, **fields: int
) -> tuple[int, ConditionalNode]:
    """Adds a node; returns the driver's result, and the node with its body."""
    node = ConditionalNode(
        13, condition=handle.value, kind=form, size=1, context=cuda.pointer("cuCtxGetCurrent")
    )
    for name, value in fields.items():
        setattr(node, name, value)
    out = ctypes.c_void_p()
    result = cuda.result("cuGraphAddNode_v2", ctypes.byref(out), graph, None, None,
                         ctypes.c_size_t(0), ctypes.byref(node))  # fmt: skip
    return result, node


def count_down_node(
    function: ctypes.c_void_p, number: ctypes.c_void_p, condition: ctypes.c_uint64
) -> KernelNode:
    places = (ctypes.c_void_p * 2)(ctypes.addressof(number), ctypes.addressof(condition))
    one = (ctypes.c_uint * 3)(1, 1, 1)
    node = KernelNode(function, one, one, 0, ctypes.addressof(places))
    node.keeps = (number, condition, places)
    return node


@pytest.mark.parametrize(
    ("kind", "start", "left"), [(WHILE, 5, 0), (WHILE, 0, 5), (IF, 5, 4), (IF, 0, 5)]
)
def test_a_condition_decides_whether_a_body_runs(
    cuda: Driver, stream: object, kind: int, start: int, left: int
) -> None:
    function = cuda.function(cuda.load(COUNT_DOWN), "count_down")
    number, graph = cuda.allocate(4), cuda.pointer("cuGraphCreate", 0)
    condition = condition_of(cuda, graph, start)
    result, node = conditional(cuda, graph, condition, kind)
    assert result == simulated.SUCCESS
    params = count_down_node(function, number, condition)
    body = ctypes.c_void_p(node.bodies[0])
    cuda.pointer("cuGraphAddKernelNode_v2", body, None, ctypes.c_size_t(0), ctypes.byref(params))
    executable = cuda.pointer("cuGraphInstantiateWithFlags", graph, ctypes.c_uint64(0))
    cuda.write(number, ints(5))
    cuda.call("cuGraphLaunch", executable, stream)
    cuda.call("cuStreamSynchronize", stream)
    assert cuda.read(number, 4) == ints(left)
    cuda.call("cuGraphExecDestroy", executable)
    cuda.call("cuGraphDestroy", graph)
    assert cuda.live("graphs") == 0


@pytest.mark.parametrize("fields", [{"size": 2}, {"kind": 3}, {"context": 0}, {"condition": 1}])
def test_a_conditional_node_that_can_t_be_is_refused(cuda: Driver, fields: dict[str, int]) -> None:
    graph = cuda.pointer("cuGraphCreate", 0)
    assert conditional(cuda, graph, condition_of(cuda, graph), IF, **fields)[0] != simulated.SUCCESS
    cuda.call("cuGraphDestroy", graph)
    cuda.misuse()


def test_a_condition_has_one_node_of_its_graph(cuda: Driver) -> None:
    graph, other = (cuda.pointer("cuGraphCreate", 0) for _ in range(2))
    condition = condition_of(cuda, graph)
    assert conditional(cuda, other, condition, IF)[0] == simulated.INVALID_VALUE
    assert conditional(cuda, graph, condition, IF)[0] == simulated.SUCCESS
    assert conditional(cuda, graph, condition, IF)[0] == simulated.INVALID_VALUE
    for each in (graph, other):
        cuda.call("cuGraphDestroy", each)


# ---- Captures ----


def captured(cuda: Driver, stream: ctypes.c_void_p) -> ctypes.c_void_p:
    """Ends a capture; returns the graph."""
    graph = ctypes.c_void_p()
    cuda.call("cuStreamEndCapture", stream, ctypes.byref(graph))
    return graph


def told(cuda: Driver, function: str, of: ctypes.c_void_p) -> int:
    """Returns the number that a function tells of an object."""
    number = ctypes.c_int()
    cuda.call(function, of, ctypes.byref(number))
    return number.value


def nodes_of(cuda: Driver, graph: ctypes.c_void_p) -> list[ctypes.c_void_p]:
    count = ctypes.c_size_t()
    cuda.call("cuGraphGetNodes", graph, None, ctypes.byref(count))
    nodes = (ctypes.c_void_p * count.value)()
    cuda.call("cuGraphGetNodes", graph, nodes, ctypes.byref(count))
    return [ctypes.c_void_p(node) for node in nodes]


def types_of(cuda: Driver, graph: ctypes.c_void_p) -> list[int]:
    """Returns the types of a graph's nodes."""
    return [told(cuda, "cuGraphNodeGetType", node) for node in nodes_of(cuda, graph)]


def test_captured_work_is_done_by_launches_only(
    cuda: Driver, stream: ctypes.c_void_p, store: ctypes.c_void_p
) -> None:
    memory, copy = cuda.allocate(4), cuda.allocate(4)
    cuda.write(memory, ints(1))
    cuda.call("cuStreamBeginCapture_v2", stream, 2)
    assert told(cuda, "cuStreamIsCapturing", stream) == 1
    cuda.call("cuMemsetD32Async", memory, 2, ctypes.c_size_t(1), stream)
    cuda.launch(store, memory, ctypes.c_int(3), stream=stream)
    cuda.call("cuMemcpyDtoDAsync_v2", copy, memory, ctypes.c_size_t(4), stream)
    part = captured(cuda, stream)
    assert told(cuda, "cuStreamIsCapturing", stream) == 0
    assert types_of(cuda, part) == [2, 0, 1]
    assert cuda.read(memory, 4) == ints(1)
    whole = cuda.pointer("cuGraphCreate", 0)
    cuda.pointer("cuGraphAddChildGraphNode", whole, None, ctypes.c_size_t(0), part)
    assert types_of(cuda, whole) == [4]
    for graph in (part, whole):
        cuda.write(copy, ints(0))
        executable = cuda.pointer("cuGraphInstantiateWithFlags", graph, ctypes.c_uint64(0))
        cuda.call("cuGraphLaunch", executable, stream)
        cuda.call("cuStreamSynchronize", stream)
        assert cuda.read(copy, 4) == ints(3)
        cuda.call("cuGraphExecDestroy", executable)
        cuda.call("cuGraphDestroy", graph)


def test_a_launch_of_a_graph_is_captured_as_a_child(cuda: Driver, stream: ctypes.c_void_p) -> None:
    memory = cuda.allocate(4)
    cuda.write(memory, ints(1))
    graphs: list[ctypes.c_void_p] = []
    executables: list[ctypes.c_void_p] = []
    for _ in range(2):
        cuda.call("cuStreamBeginCapture_v2", stream, 2)
        if executables:
            cuda.call("cuGraphLaunch", executables[0], stream)
        else:
            cuda.call("cuMemsetD32Async", memory, 2, ctypes.c_size_t(1), stream)
        graphs.append(captured(cuda, stream))
        made = cuda.pointer("cuGraphInstantiateWithFlags", graphs[-1], ctypes.c_uint64(0))
        executables.append(made)
    assert types_of(cuda, graphs[1]) == [4]
    (node,) = nodes_of(cuda, graphs[1])
    child = ctypes.c_void_p()
    cuda.call("cuGraphChildGraphNodeGetGraph", node, ctypes.byref(child))
    assert types_of(cuda, child) == [2]
    (inner,) = nodes_of(cuda, child)
    assert cuda.result("cuGraphChildGraphNodeGetGraph", inner, ctypes.byref(child)) == 1
    assert cuda.read(memory, 4) == ints(1)
    cuda.call("cuGraphLaunch", executables[1], stream)
    cuda.call("cuStreamSynchronize", stream)
    assert cuda.read(memory, 4) == ints(2)
    for graph, executable in zip(graphs, executables, strict=True):
        cuda.call("cuGraphExecDestroy", executable)
        cuda.call("cuGraphDestroy", graph)


def test_a_forbidden_call_makes_a_capture_invalid(cuda: Driver, stream: ctypes.c_void_p) -> None:
    memory = cuda.allocate(4)
    before = cuda.live("nodes")
    cuda.call("cuStreamBeginCapture_v2", stream, 2)
    cuda.call("cuMemsetD32Async", memory, 2, ctypes.c_size_t(1), stream)
    for function in ("cuStreamQuery", "cuStreamSynchronize"):
        assert cuda.result(function, stream) == 900
    assert told(cuda, "cuStreamIsCapturing", stream) == 2
    assert cuda.result("cuStreamEndCapture", stream, ctypes.byref(ctypes.c_void_p())) == 901
    assert cuda.live("nodes") == before
    cuda.call("cuStreamSynchronize", stream)
    assert cuda.result("cuStreamEndCapture", stream, ctypes.byref(ctypes.c_void_p())) == 401


def test_a_capture_that_allocates_is_no_part_of_a_graph(
    cuda: Driver, stream: ctypes.c_void_p
) -> None:
    cuda.call("cuStreamBeginCapture_v2", stream, 2)
    memory = cuda.pointer("cuMemAllocAsync", ctypes.c_size_t(64), stream)
    part, whole = captured(cuda, stream), cuda.pointer("cuGraphCreate", 0)
    assert types_of(cuda, part) == [10]
    node = ctypes.byref(ctypes.c_void_p())
    arguments = node, whole, None, ctypes.c_size_t(0), part
    assert cuda.result("cuGraphAddChildGraphNode", *arguments) == 801
    cuda.call("cuMemFree_v2", memory)
    for graph in (part, whole):
        cuda.call("cuGraphDestroy", graph)


# ---- Failures ----


def test_the_nth_call_fails_on_demand_and_does_nothing(cuda: Driver) -> None:
    cuda.fail("cuMemAlloc", 2, simulated.OUT_OF_MEMORY)
    before = cuda.live("device memory")
    out = ctypes.c_void_p()
    results = [
        cuda.result("cuMemAlloc_v2", ctypes.byref(out), ctypes.c_size_t(8)) for _ in range(3)
    ]
    assert results == [simulated.SUCCESS, simulated.OUT_OF_MEMORY, simulated.SUCCESS]
    assert cuda.live("device memory") == before + 2


def test_an_illegal_address_breaks_the_context(
    cuda: Driver, stream: object, store: ctypes.c_void_p
) -> None:
    out = ctypes.c_void_p(64)
    assert cuda.launch(store, out, ctypes.c_int(1), stream=stream) == simulated.SUCCESS
    assert cuda.result("cuStreamSynchronize", stream) == simulated.ILLEGAL_ADDRESS
    assert cuda.result("cuStreamQuery", None) == simulated.ILLEGAL_ADDRESS
    with pytest.raises(simulated.DriverError) as caught:
        cuda.allocate(4)
    assert caught.value.result == simulated.ILLEGAL_ADDRESS


def test_a_kernel_that_uses_freed_memory_breaks_the_context(
    cuda: Driver, stream: object, store: ctypes.c_void_p
) -> None:
    out = cuda.allocate(4)
    cuda.call("cuMemFree_v2", out)
    cuda.launch(store, out, ctypes.c_int(1), stream=stream)
    assert cuda.result("cuStreamSynchronize", stream) == simulated.ILLEGAL_ADDRESS


def test_a_trap_breaks_the_context(cuda: Driver, stream: object, cubin: bytes) -> None:
    cuda.launch(cuda.function(cuda.load(cubin), "trap"), stream=stream)
    assert cuda.result("cuStreamSynchronize", stream) == simulated.LAUNCH_FAILED


def test_work_fails_on_demand(cuda: Driver, stream: object) -> None:
    cuda.fail("fill", 1, simulated.LAUNCH_FAILED)
    cuda.call("cuMemsetD8Async", cuda.allocate(4), ctypes.c_ubyte(1), ctypes.c_size_t(4), stream)
    assert cuda.result("cuStreamSynchronize", stream) == simulated.LAUNCH_FAILED


def test_a_broken_context_ends_kernels_that_never_would(
    cuda: Driver, stream: object, store: ctypes.c_void_p
) -> None:
    out, other = cuda.allocate(4), other_stream(cuda)
    cuda.hold("store")
    cuda.launch(store, out, ctypes.c_int(1), stream=stream)
    cuda.fail("copy", 1, simulated.LAUNCH_FAILED)
    cuda.call("cuMemcpyDtoDAsync_v2", out, out, ctypes.c_size_t(4), other)
    assert cuda.result("cuStreamSynchronize", stream) == simulated.LAUNCH_FAILED


def test_a_host_function_behind_a_failure_is_not_called(cuda: Driver, stream: object) -> None:
    called: list[object] = []

    def note_call(_user: int) -> None:
        called.append("host function")

    host_function = HOST_FUNCTION(note_call)
    cuda.fail("fill", 1, simulated.LAUNCH_FAILED)
    cuda.call("cuMemsetD8Async", cuda.allocate(4), ctypes.c_ubyte(1), ctypes.c_size_t(4), stream)
    cuda.result("cuLaunchHostFunc", stream, host_function, None)
    assert cuda.result("cuStreamSynchronize", stream) == simulated.LAUNCH_FAILED
    assert called == []


def test_a_context_is_whole_again_when_it_is_retained_anew(started: Driver) -> None:
    context = started.pointer("cuDevicePrimaryCtxRetain", 1)
    started.call("cuCtxPushCurrent_v2", context)
    started.fail("fill", 1, simulated.LAUNCH_FAILED)
    memory = started.allocate(4)
    started.call("cuMemsetD8_v2", memory, ctypes.c_ubyte(1), ctypes.c_size_t(4))
    assert started.result("cuCtxSynchronize") == simulated.LAUNCH_FAILED
    started.call("cuDevicePrimaryCtxRelease_v2", 1)
    assert started.pointer("cuDevicePrimaryCtxRetain", 1).value == context.value
    started.allocate(4)
    started.call("cuCtxPopCurrent_v2", None)
    started.call("cuDevicePrimaryCtxRelease_v2", 1)
