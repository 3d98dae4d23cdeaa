# SPDX-License-Identifier: Apache-2.0
"""Arrays and streams that Nexus shares with CuPy, torch, numba, jax and cuda.core on one GPU."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from typing import Any

import numpy as np

import nexus
from gpu_cases import Bench, NotThere, case
from part_tools import SOON, VALUES, add_one, attribute, peer, recorded

HOST = np.arange(VALUES, dtype=np.int32)


def _ours(bench: Bench) -> nexus.Buffer:
    return bench.device.create_buffer(HOST)


def _shares(bench: Bench, buffer: nexus.Buffer, address: int, read: Any) -> str:
    """Checks that the other library sees at the same address what our kernel writes."""
    add_one(bench.device, buffer).run(timeout=SOON)
    assert np.array_equal(np.asarray(read()), HOST + 1), "the other library sees other values"
    return f"{VALUES} values at 0x{address:x}"


def _imported(array: Any, bench: Bench) -> nexus.Buffer:
    """Makes our buffer over another library's memory."""
    try:
        return nexus.from_dlpack(array, device=bench.device)
    except (BufferError, nexus.NexusError) as error:
        raise NotThere(f"nexus.from_dlpack of memory of the GPU: {error}") from error


def _exportable(buffer: nexus.Buffer) -> nexus.Buffer:
    """Returns the buffer after checking that DLPack reports it on the GPU."""
    try:
        kind, _ = buffer.__dlpack_device__()
    except BufferError as error:
        raise NotThere(f"DLPack of memory of the GPU: {error}") from error
    assert kind == 2, f"__dlpack_device__ says {kind}, and CUDA's is 2"
    return buffer


@case()
def the_cuda_array_interface_of_a_buffer_is_right(bench: Bench) -> str:
    buffer = _ours(bench)
    interface = attribute(buffer, "__cuda_array_interface__")
    assert interface["typestr"] == "<i4", interface
    assert tuple(interface["shape"]) == (VALUES,), interface
    address, read_only = interface["data"]
    assert address, interface
    assert not read_only, interface
    assert interface["version"] >= 2, interface
    return str(interface)


@case()
def cupy_shares_a_buffer_by_the_cuda_array_interface(bench: Bench) -> str:
    cupy, buffer = peer("cupy"), _ours(bench)
    attribute(buffer, "__cuda_array_interface__")
    array = cupy.asarray(buffer)
    return _shares(bench, buffer, array.data.ptr, array.get)


@case()
def numba_shares_a_buffer_by_the_cuda_array_interface(bench: Bench) -> str:
    cuda, buffer = peer("numba.cuda"), _ours(bench)
    attribute(buffer, "__cuda_array_interface__")
    array = cuda.as_cuda_array(buffer)
    return _shares(bench, buffer, array.device_ctypes_pointer.value, array.copy_to_host)


@case(limit=240)
def a_kernel_of_numba_works_on_a_buffer(bench: Bench) -> str:
    cuda, buffer = peer("numba.cuda"), _ours(bench)
    attribute(buffer, "__cuda_array_interface__")

    def double_each(values: Any) -> None:
        i = cuda.grid(1)
        if i < values.size:
            values[i] *= 2

    double = cuda.jit(double_each)
    double[VALUES // 256, 256](cuda.as_cuda_array(buffer))
    cuda.synchronize()
    assert np.array_equal(buffer.numpy(), HOST * 2)
    return "numba's kernel, our buffer"


@case()
def torch_shares_a_buffer_by_the_cuda_array_interface(bench: Bench) -> str:
    torch, buffer = peer("torch"), _ours(bench)
    attribute(buffer, "__cuda_array_interface__")
    tensor = torch.as_tensor(buffer, device="cuda")
    return _shares(bench, buffer, tensor.data_ptr(), lambda: tensor.cpu().numpy())


@case()
def cupy_shares_a_buffer_by_dlpack(bench: Bench) -> str:
    cupy, buffer = peer("cupy"), _exportable(_ours(bench))
    array = cupy.from_dlpack(buffer)
    return _shares(bench, buffer, array.data.ptr, array.get)


@case()
def torch_shares_a_buffer_by_dlpack(bench: Bench) -> str:
    torch, buffer = peer("torch"), _exportable(_ours(bench))
    tensor = torch.from_dlpack(buffer)
    return _shares(bench, buffer, tensor.data_ptr(), lambda: tensor.cpu().numpy())


@case(limit=180)
def jax_takes_a_buffer_by_dlpack(bench: Bench) -> str:
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
    jax, buffer = peer("jax"), _exportable(_ours(bench))
    array = (
        jax.dlpack.from_dlpack(buffer) if hasattr(jax, "dlpack") else jax.numpy.from_dlpack(buffer)
    )
    assert np.array_equal(np.asarray(array + 1), HOST + 1)
    return str(array.device)


@case()
def nexus_works_on_an_array_of_cupy(bench: Bench) -> str:
    array = peer("cupy").asarray(HOST)
    buffer = _imported(array, bench)
    return _shares(bench, buffer, array.data.ptr, array.get)


@case()
def nexus_works_on_a_tensor_of_torch(bench: Bench) -> str:
    tensor = peer("torch").from_numpy(HOST.copy()).cuda()
    buffer = _imported(tensor, bench)
    return _shares(bench, buffer, tensor.data_ptr(), lambda: tensor.cpu().numpy())


@case()
def a_buffer_is_copied_from_an_array_of_cupy(bench: Bench) -> str:
    array = peer("cupy").asarray(HOST)
    try:
        buffer = bench.device.create_buffer(array)
    except (TypeError, BufferError) as error:
        raise NotThere(f"create_buffer of an array on the GPU: {error}") from error
    array[:] = 0
    assert np.array_equal(buffer.numpy(), HOST)
    return "a copy"


@case()
def an_import_waits_for_the_stream_of_torch(bench: Bench) -> str:
    """Nexus imports the tensor while a stream of torch still computes it."""
    torch = peer("torch")
    tensor = torch.zeros(VALUES, dtype=torch.int32, device="cuda")
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(500_000_000)
        tensor += torch.arange(VALUES, dtype=torch.int32, device="cuda")
        buffer = _imported(tensor, bench)
    add_one(bench.device, buffer).run(timeout=SOON)
    assert np.array_equal(buffer.numpy(), HOST + 1), "Nexus did not wait for the producer"
    return "after a kernel of a quarter of a second"


@case()
def an_export_makes_the_stream_of_torch_wait(bench: Bench) -> str:
    """Torch imports the buffer into its own stream while our kernel still runs."""
    torch, device = peer("torch"), bench.device
    buffer = _exportable(device.create_buffer(np.zeros(VALUES, np.int32)))
    slow = recorded(device, "take_time", (buffer, np.int64(500_000_000)))
    slow.run(device.create_stream(), blocking=False)
    with torch.cuda.stream(torch.cuda.Stream()):
        tensor = torch.from_dlpack(buffer).clone()
        torch.cuda.current_stream().synchronize()
    assert int(tensor[0].cpu()) == 1, "torch did not wait for our kernel"
    return "after a kernel of a quarter of a second"


@case()
def cuda_core_takes_our_stream(bench: Bench) -> str:
    stream = bench.device.create_stream()
    version, handle = attribute(stream, "__cuda_stream__")()
    core = peer("cuda.core")
    device = core.Device(0)
    device.set_current()
    theirs = device.create_stream(stream)
    assert int(theirs.handle) == handle
    theirs.sync()
    return f"protocol {version}, handle 0x{handle:x}"


@case()
def cupy_takes_our_stream(bench: Bench) -> str:
    cupy, stream = peer("cupy"), bench.device.create_stream()
    _, handle = attribute(stream, "__cuda_stream__")()
    take = getattr(cupy.cuda.Stream, "from_external", None)
    theirs = take(stream) if take else cupy.cuda.ExternalStream(handle)
    with theirs:
        array = cupy.arange(VALUES, dtype=np.int32) + 1
    stream.synchronize(timeout=SOON)
    assert np.array_equal(array.get(), HOST + 1)
    return f"handle 0x{handle:x}"


@case()
def torch_takes_our_stream(bench: Bench) -> str:
    torch, stream = peer("torch"), bench.device.create_stream()
    _, handle = attribute(stream, "__cuda_stream__")()
    with torch.cuda.stream(torch.cuda.ExternalStream(handle)):
        tensor = torch.arange(VALUES, dtype=torch.int32, device="cuda") + 1
    stream.synchronize(timeout=SOON)
    assert np.array_equal(tensor.cpu().numpy(), HOST + 1)
    return f"handle 0x{handle:x}"


def _adopted(bench: Bench, foreign: Any) -> nexus.Stream:
    """Makes our stream over another library's: an object with __cuda_stream__, or a handle."""
    device: Any = bench.device
    try:
        stream: nexus.Stream = device.create_stream(foreign=foreign)
    except TypeError as error:
        raise NotThere(f"create_stream(foreign=...): {error}") from error
    except nexus.NexusError as error:
        if error.status != nexus.status.NXS_NotSupported:
            raise
        raise NotThere(f"create_stream(foreign=...): {error}") from error
    return stream


def _works_in(bench: Bench, foreign: Any) -> str:
    stream, buffer = _adopted(bench, foreign), _ours(bench)
    add_one(bench.device, buffer).run(stream, timeout=SOON)
    assert np.array_equal(buffer.numpy(), HOST + 1)
    return f"{type(foreign).__name__}"


@case()
def nexus_works_in_a_stream_of_cupy(bench: Bench) -> str:
    return _works_in(bench, peer("cupy").cuda.Stream(non_blocking=True))


@case()
def nexus_works_in_a_stream_of_torch(bench: Bench) -> str:
    return _works_in(bench, peer("torch").cuda.Stream())


@case()
def nexus_works_in_a_stream_of_cuda_core(bench: Bench) -> str:
    device = peer("cuda.core").Device(0)
    device.set_current()
    return _works_in(bench, device.create_stream())


@case()
def nexus_works_in_a_stream_told_by_its_handle(bench: Bench) -> str:
    theirs = peer("torch").cuda.Stream()
    return f"{_works_in(bench, theirs.cuda_stream)} 0x{theirs.cuda_stream:x}"


@case()
def work_of_both_in_one_stream_is_in_one_order(bench: Bench) -> str:
    """torch, Nexus and torch again, in torch's stream, without a wait between."""
    torch = peer("torch")
    theirs = torch.cuda.Stream()
    stream = _adopted(bench, theirs)
    with torch.cuda.stream(theirs):
        tensor = torch.zeros(VALUES, dtype=torch.int32, device="cuda")
        buffer = _imported(tensor, bench)
        torch.cuda._sleep(200_000_000)
        tensor += 1
        add_one(bench.device, buffer).run(stream, blocking=False)
        tensor *= 10
    theirs.synchronize()
    assert bool((tensor == 20).all()), tensor[:4]
    return "(0 + 1 + 1) * 10"


SIDE = 256  # of the matrices whose products are captured


def _replays(bench: Bench, capture: Any, left: Any, product: Any, fill: Any) -> str:
    """Checks runs of captured work that sets product to left * SIDE + 1.

    capture(schedule) captures it; fill(value) sets left. Our commands run before and after it.
    """
    ours = _imported(product, bench)
    seen = bench.device.create_buffer((SIDE, SIDE), dtype="float32")
    schedule = bench.device.create_schedule()
    schedule.create_fill_command(ours, -1)
    capture(schedule)
    schedule.create_copy_command(seen, ours)
    for turn in range(8):
        fill(turn)
        schedule.run(timeout=SOON)
        assert np.array_equal(seen.numpy(), np.full((SIDE, SIDE), turn * SIDE + 1, np.float32)), (
            f"run {turn} gave {seen.numpy()[0, :4]}"
        )
    schedule.get_commands()[1].enabled = False
    schedule.run(timeout=SOON)
    assert (seen.numpy() == -1).all(), "a disabled command ran"
    return f"8 runs of {len(schedule.get_commands())} commands, of {type(left).__module__}"


@case(limit=180)
def work_of_cupy_becomes_a_command(bench: Bench) -> str:
    cupy = peer("cupy")
    attribute(bench.device.create_schedule(), "capture")
    left, product = (cupy.zeros((SIDE, SIDE), cupy.float32) for _ in range(2))

    def work() -> None:
        cupy.multiply(left, SIDE, out=product)
        cupy.add(product, 1, out=product)

    def capture(schedule: Any) -> None:
        with schedule.capture() as stream, cupy.cuda.ExternalStream(stream.native_handle):
            work()

    def fill(value: int) -> None:
        left.fill(value)
        cupy.cuda.get_current_stream().synchronize()

    work()
    cupy.cuda.get_current_stream().synchronize()
    return _replays(bench, capture, left, product, fill)


@case(limit=180)
def work_of_torch_becomes_a_command(bench: Bench) -> str:
    """In a new stream, and in one of torch; with a product of cuBLAS."""
    torch = peer("torch")
    attribute(bench.device.create_schedule(), "capture")
    left, product = (torch.zeros((SIDE, SIDE), device="cuda") for _ in range(2))
    right = torch.ones((SIDE, SIDE), device="cuda")
    theirs = torch.cuda.Stream()

    def work() -> None:
        torch.mm(left, right, out=product)
        product.add_(1)

    def in_ours(schedule: Any) -> None:
        with schedule.capture() as stream:
            handle = stream.native_handle
            with torch.cuda.stream(torch.cuda.ExternalStream(handle)):
                work()

    def in_theirs(schedule: Any) -> None:
        with schedule.capture(_adopted(bench, theirs)), torch.cuda.stream(theirs):
            work()

    def fill(value: int) -> None:
        left.fill_(value)
        torch.cuda.synchronize()

    with torch.cuda.stream(theirs):
        work()
    torch.cuda.synchronize()
    return "; ".join(
        _replays(bench, capture, left, product, fill) for capture in (in_ours, in_theirs)
    )


@case()
def a_forbidden_call_of_cupy_ends_a_capture_with_the_drivers_error(bench: Bench) -> str:
    cupy, schedule = peer("cupy"), bench.device.create_schedule()
    attribute(schedule, "capture")
    array = cupy.zeros(VALUES, cupy.int32)
    array += 1
    told, refusal = "", None
    try:
        with schedule.capture() as stream:
            theirs = cupy.cuda.ExternalStream(stream.native_handle)
            with theirs:
                array += 1
            try:
                theirs.synchronize()
            except cupy.cuda.runtime.CUDARuntimeError as error:
                told = str(error)
    except nexus.NexusError as error:
        refusal = error
    assert refusal is not None, f"the capture ended well after {told}"
    assert refusal.status == nexus.status.NXS_InvalidOperation, refusal
    assert not schedule.get_commands()
    with schedule.capture() as stream, cupy.cuda.ExternalStream(stream.native_handle):
        array += 1
    schedule.run(timeout=SOON)
    assert (array.get() == 2).all()
    return f"CuPy: {told}; Nexus: {refusal}"


@case()
def nexus_works_on_an_array_of_numba(bench: Bench) -> str:
    array = peer("numba.cuda").to_device(HOST)
    buffer = _imported(array, bench)
    return _shares(bench, buffer, array.device_ctypes_pointer.value, array.copy_to_host)


@case()
def nexus_works_on_memory_told_by_its_address(bench: Bench) -> str:
    tensor = peer("torch").from_numpy(HOST.copy()).cuda()
    make = attribute(bench.device, "create_buffer_from_handle")
    buffer = make(tensor.data_ptr(), (VALUES,), "int32", owner=tensor)
    return _shares(bench, buffer, tensor.data_ptr(), lambda: tensor.cpu().numpy())


@case(limit=240)
def a_kernel_of_triton_runs_from_a_catalog(bench: Bench) -> str:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TRITON_CACHE_DIR"] = f"{folder}/cache"
        triton, torch = peer("triton"), peer("torch")
        from triton_add import make

        name = make(triton, torch).metadata.name
        build = ["catalog", "build", f"{folder}/kernels", "--triton", f"{folder}/cache"]
        subprocess.run([sys.executable, "-m", "nexus.cli", *build], check=True)
        catalog = nexus.load_catalog(f"{folder}/kernels/kernel_catalog.json")
        kernel = bench.device.load_library(catalog, name).get_kernel(name)
    told = kernel.get_info()
    a, b, c = (bench.device.create_buffer(HOST.astype(np.float32)) for _ in range(3))
    scratch = [c] * (len(told["Arguments"]) - 4)  # not used; the program has four arguments
    (items,) = told["GroupSize"]
    kernel(a, b, c, np.int32(VALUES), *scratch, grid=items * (VALUES // 256), group=items,
           local_memory=told.get("LocalMemory", 0))  # fmt: skip
    assert np.array_equal(c.numpy(), HOST.astype(np.float32) * 2)
    return f"triton {triton.__version__}, arguments {[each['Name'] for each in told['Arguments']]}"
