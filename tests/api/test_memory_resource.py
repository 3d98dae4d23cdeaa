# SPDX-License-Identifier: Apache-2.0
"""Allocators of the program: failures, the end of the process, other libraries' pools, pools."""

from __future__ import annotations

import gc
import os
import sys
from typing import Any, ClassVar

import numpy as np
import pytest
from python_process import run_python

import nexus

PAGE = 4096


@pytest.fixture
def device() -> Any:
    """The CPU; without a resource of the test afterwards."""
    cpu = nexus.get_device("cpu")
    yield cpu
    cpu.memory_resource = None


class Returns(nexus.MemoryResource):
    """Returns what it is given, or raises it."""

    def __init__(self, result: Any) -> None:
        self.result, self.freed = result, list[int]()

    def allocate(self, size: int, /) -> Any:
        if isinstance(self.result, BaseException):
            raise self.result
        return self.result

    def deallocate(self, address: int, size: int, /) -> None:
        self.freed.append(address)


def test_the_default_is_the_backends_own_memory(device: nexus.Device) -> None:
    own = device.memory_resource
    assert isinstance(own, nexus.DeviceMemoryResource)
    assert isinstance(own, nexus.MemoryResource)
    assert repr(own) == "<nexus.DeviceMemoryResource of cpu:0>"
    own.reset_peak()
    used, address = own.used, own.allocate(1000)
    assert (own.used, device.memory_used, own.peak) == (used + 1000, used + 1000, used + 1000)
    own.deallocate(address, 1000)
    own.trim()
    assert own.used == used <= own.reserved
    with pytest.raises(nexus.NexusError, match=r"address is .* deallocated before"):
        own.deallocate(address, 1000)
    resource = Returns(0)
    device.memory_resource = resource
    assert device.memory_resource is resource
    device.memory_resource = own
    assert isinstance(device.memory_resource, nexus.DeviceMemoryResource)


@pytest.mark.parametrize("kind", [MemoryError, ValueError, RuntimeError])
def test_what_allocate_raises_is_the_cause(device: nexus.Device, kind: type[Exception]) -> None:
    why = kind("no more, sorry")
    device.memory_resource = Returns(why)
    for make in (
        lambda: device.create_buffer(100),
        lambda: nexus.zeros(4, device=device),
        lambda: device.copy_buffer(nexus.create_buffer(100)),
        lambda: device.create_buffer(np.zeros(4)),
        lambda: device.create_memory_pool(Returns(why)).allocate(100),
    ):
        with pytest.raises(nexus.NexusError, match=f"{kind.__name__}: no more, sorry") as raised:
            make()
        assert raised.value.status == nexus.status.NXS_MemObjectAllocationFailure
        assert raised.value.__cause__ is why
    device.memory_resource = None
    device.create_buffer(100).close()


def test_ctrl_c_in_allocate_is_raised_itself(device: nexus.Device) -> None:
    device.memory_resource = Returns(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        device.create_buffer(100)


@pytest.mark.parametrize(
    ("result", "words", "freed"),
    [
        (0, "returned the address 0", []),
        (PAGE + 8, "4104, which is not a multiple of 16", [PAGE + 8]),
        (None, "the result of allocate.. has to be .*, not NoneType", []),
        ("16", "the result of allocate.. has to be .*, not str", []),
        (16.0, "the result of allocate.. has to be .*, not float", []),
        (True, "the result of allocate.. has to be .*, not bool", []),
        (-16, "the result of allocate.. is -16", []),
        (1 << 70, "the result of allocate.. is 1180591620717411303424", []),
    ],
)
def test_what_is_no_address_is_told(
    device: nexus.Device, result: Any, words: str, freed: list[int]
) -> None:
    resource = Returns(result)
    device.memory_resource = resource
    with pytest.raises(nexus.NexusError, match=words) as raised:
        device.create_buffer(100)
    assert raised.value.status == nexus.status.NXS_MemObjectAllocationFailure
    assert resource.freed == freed


def test_what_deallocate_raises_goes_to_the_hook(
    device: nexus.Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)

    class Failing(Returns):
        def deallocate(self, address: int, size: int, /) -> None:
            raise ValueError("not mine")

    memory = np.zeros(PAGE, np.uint8)
    resource = Failing(memory.ctypes.data + -memory.ctypes.data % 16)
    device.memory_resource = resource
    device.create_buffer(100).close()
    (seen,) = told
    assert (str(seen.exc_value), seen.object) == ("not mine", resource.deallocate)


@pytest.mark.parametrize(
    "resource", [1, "pool", object(), len, nexus.MemoryResource, Returns, [], np.zeros(4)]
)
def test_what_is_no_resource_is_told(device: nexus.Device, resource: Any) -> None:
    with pytest.raises(TypeError, match=r"resource has to be a nexus\.MemoryResource"):
        device.memory_resource = resource
    with pytest.raises(TypeError, match=r"resource has to be a nexus\.MemoryResource"):
        device.create_memory_pool(resource)


def test_a_class_without_the_methods_makes_no_resource() -> None:
    class Half(nexus.MemoryResource):
        def allocate(self, size: int, /) -> int:
            return size

    with pytest.raises(TypeError, match="abstract"):
        Half()  # type: ignore[abstract]


# ---- Pools ----


def test_a_pool_keeps_blocks_of_512_bytes(device: nexus.Device) -> None:
    device.memory_resource = pool = device.create_memory_pool()
    first = device.create_buffer(1)
    second = device.create_buffer(600)
    assert (pool.used, pool.peak, pool.reserved, pool.allocations) == (1536, 1536, 1536, 2)
    address = second.native_handle
    second.close()
    assert (pool.used, pool.peak, pool.reserved, pool.allocations) == (512, 1536, 1536, 1)
    assert repr(pool) == "<nexus.MemoryPool 512 of 1536 bytes used, on cpu:0>"
    pool.reset_peak()
    assert pool.peak == 512
    again = device.create_buffer(1024)
    assert again.native_handle == address
    small = device.create_buffer(8)  # a block of 1024 would waste half
    assert pool.reserved == 2048
    for buffer in (first, again, small):
        buffer.close()
    pool.trim(1024)
    assert pool.reserved == 1024
    pool.trim()
    assert (pool.used, pool.reserved) == (0, 0)


def test_a_pool_ends_with_its_last_buffer(device: nexus.Device) -> None:
    gc.collect()
    used = device.memory_used
    device.memory_resource = device.create_memory_pool()
    buffer = device.create_buffer(np.arange(4))
    device.memory_resource = None
    assert buffer.numpy().tolist() == [0, 1, 2, 3]
    assert device.memory_used == used + 512
    buffer.close()
    assert device.memory_used == used


def test_a_pool_has_a_maximum(device: nexus.Device) -> None:
    pool = device.create_memory_pool(max_size=2048)
    first, second = pool.allocate(1024), pool.allocate(1)
    with pytest.raises(nexus.NexusError, match="hold 2048 bytes and has 1536 in use") as raised:
        pool.allocate(1024)
    assert raised.value.status == nexus.status.NXS_MemObjectAllocationFailure
    pool.deallocate(first, 1024)
    pool.deallocate(second, 1)
    assert (pool.reserved, pool.used) == (1536, 0)
    pool.deallocate(pool.allocate(2048), 2048)  # in place of the free blocks
    assert pool.reserved == 2048


def test_a_pool_returns_what_exceeds_its_threshold(device: nexus.Device) -> None:
    pool = device.create_memory_pool(release_threshold=1024)
    addresses = [pool.allocate(512) for _ in range(4)]
    for address in addresses:
        pool.deallocate(address, 512)
    assert pool.reserved == 1024


def test_a_pool_empties_itself_before_it_fails(device: nexus.Device) -> None:
    own = device.memory_resource

    class Small:
        used = 0

        def allocate(self, size: int) -> int:
            if self.used + size > 1024:
                raise MemoryError(f"{self.used} used")
            self.used += size
            return own.allocate(size)

        def deallocate(self, address: int, size: int) -> None:
            self.used -= size
            own.deallocate(address, size)

    small = Small()
    pool = device.create_memory_pool(small)
    pool.deallocate(pool.allocate(512), 512)
    address = pool.allocate(1024)
    assert (small.used, pool.reserved) == (1024, 1024)
    with pytest.raises(nexus.NexusError, match="MemoryError: 1024 used"):
        pool.allocate(512)
    assert pool.reserved == 1024
    pool.deallocate(address, 1024)
    del pool
    gc.collect()
    assert small.used == 0


def test_what_is_no_memory_of_a_pool_is_told(device: nexus.Device) -> None:
    pool = device.create_memory_pool()
    address = pool.allocate(64)
    for wrong in (0, address + 16):
        with pytest.raises(nexus.NexusError, match=f"address is {wrong}") as raised:
            pool.deallocate(wrong, 64)
        assert raised.value.status == nexus.status.NXS_InvalidValue
    with pytest.raises(nexus.NexusError, match="size is"):
        pool.allocate((1 << 63) - 1)
    pool.deallocate(address, 64)


# ---- The allocators of other libraries, as in docs/interoperability.md ----


class Stream:
    """Like rmm.pylibrmm.stream.Stream, cupy.cuda.Stream and torch.cuda.Stream."""

    current: ClassVar[list[Stream]] = []

    def __init__(self) -> None:
        self.synchronized = 0

    def synchronize(self) -> None:
        self.synchronized += 1

    def __enter__(self) -> Stream:
        self.current.append(self)
        return self

    def __exit__(self, *error: object) -> None:
        self.current.pop()


class Memory:
    """Host memory, by address, as these libraries' allocators return it."""

    def __init__(self) -> None:
        self.live: dict[int, Any] = {}

    def make(self, size: int) -> int:
        array = np.zeros(size + 256, np.uint8)
        address = array.ctypes.data + -array.ctypes.data % 256
        self.live[address] = array
        return int(address)


class Rmm(Memory):
    """Has the methods of rmm.mr.DeviceMemoryResource."""

    def allocate(self, nbytes: int, stream: Stream = Stream()) -> int:  # noqa: B008
        return self.make(nbytes)

    def deallocate(self, ptr: int, nbytes: int, stream: Stream = Stream()) -> None:  # noqa: B008
        del self.live[ptr]


class CuPy(Memory):
    """Has the method of cupy.cuda.MemoryPool, whose memory ends with its last MemoryPointer."""

    class Pointer:
        def __init__(self, pool: CuPy, size: int) -> None:
            self.pool, self.ptr = pool, pool.make(size)

        def __del__(self) -> None:
            del self.pool.live[self.ptr]

    def malloc(self, size: int) -> Pointer:
        assert Stream.current
        return self.Pointer(self, size)


class Torch(Memory):
    """Has the functions of torch.cuda."""

    def caching_allocator_alloc(self, size: int, device: Any = None, stream: Any = None) -> int:
        assert (device, type(stream)) == (0, Stream)
        return self.make(size)

    def caching_allocator_delete(self, mem_ptr: int) -> None:
        del self.live[mem_ptr]


class OverRmm(nexus.MemoryResource):
    def __init__(self, resource: Any, stream: Any) -> None:
        self.resource, self.stream = resource, stream

    def allocate(self, size: int, /) -> int:
        address: int = self.resource.allocate(size, self.stream)
        self.stream.synchronize()
        return address

    def deallocate(self, address: int, size: int, /) -> None:
        self.resource.deallocate(address, size, self.stream)


class OverCuPy(nexus.MemoryResource):
    def __init__(self, pool: Any, stream: Any) -> None:
        self.pool, self.stream, self.pointers = pool, stream, dict[int, Any]()

    def allocate(self, size: int, /) -> int:
        with self.stream:
            pointer = self.pool.malloc(size)
        self.pointers[pointer.ptr] = pointer
        return int(pointer.ptr)

    def deallocate(self, address: int, size: int, /) -> None:
        del self.pointers[address]


class OverTorch(nexus.MemoryResource):
    def __init__(self, cuda: Any, device: int, stream: Any) -> None:
        self.cuda, self.device, self.stream = cuda, device, stream

    def allocate(self, size: int, /) -> int:
        return int(self.cuda.caching_allocator_alloc(size, self.device, self.stream))

    def deallocate(self, address: int, size: int, /) -> None:
        self.cuda.caching_allocator_delete(address)


@pytest.mark.parametrize("library", ["rmm", "rmm itself", "cupy", "torch"])
def test_other_libraries_allocators(device: nexus.Device, library: str) -> None:
    kinds: dict[str, Any] = {"cupy": CuPy, "torch": Torch}
    memory = kinds.get(library, Rmm)()
    makers: dict[str, Any] = {
        "rmm": lambda: OverRmm(memory, Stream()),
        "rmm itself": lambda: memory,
        "cupy": lambda: OverCuPy(memory, Stream()),
        "torch": lambda: OverTorch(memory, 0, Stream()),
    }
    resource = makers[library]()
    device.memory_resource = resource
    assert device.memory_resource is resource
    buffer = device.create_buffer(np.arange(4, dtype=np.float32))
    assert list(memory.live) == [buffer.native_handle]
    view = np.from_dlpack(buffer)
    buffer[1:3] = 9.0
    assert view.tolist() == [0, 9, 9, 3]
    del view, buffer
    gc.collect()
    assert memory.live == {}


# ---- The end ----

AT_THE_END = """
import atexit, sys, threading
import nexus

class Counted(nexus.MemoryResource):
    def allocate(self, size, /):
        print("allocate", flush=True)
        return own.allocate(size)
    def deallocate(self, address, size, /):
        print("deallocate", flush=True)
        own.deallocate(address, size)

device = nexus.get_device("cpu")
own = device.memory_resource
device.memory_resource = Counted()
kept, dropped = device.create_buffer(64), device.create_buffer(64)
atexit.register(lambda: globals().pop("dropped"))

def churn():
    while True:
        device.create_buffer(64)

if sys.argv[1:] == ["threads"]:
    Counted.allocate = lambda self, size: own.allocate(size)
    Counted.deallocate = lambda self, address, size: own.deallocate(address, size)
    for _ in range(3):
        threading.Thread(target=churn, daemon=True).start()
    threading.Event().wait(0.2)
"""


def test_buffers_that_are_alive_at_the_end_are_left() -> None:
    ended = run_python("-c", AT_THE_END)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.split() == ["allocate", "allocate", "deallocate"]


def test_daemon_threads_may_allocate_at_the_end() -> None:
    ended = run_python("-c", AT_THE_END, "threads")
    assert (ended.returncode, ended.stderr) == (0, "")


AFTER_A_FORK = """
import gc, os
import nexus

device = nexus.get_device("cpu")
log = []

class Log(nexus.MemoryResource):
    def allocate(self, size, /):
        return own.allocate(size)
    def deallocate(self, address, size, /):
        log.append(size)
        own.deallocate(address, size)

own = device.memory_resource
device.memory_resource = Log()
buffer, pool = device.create_buffer(64), device.create_memory_pool()
pool.deallocate(pool.allocate(64), 64)
child = os.fork()
del buffer, pool
gc.collect()
if child == 0:
    os._exit(3 if log else 0)
print(log, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork() here")
def test_the_child_of_a_fork_gives_nothing_back() -> None:
    ended = run_python("-c", AFTER_A_FORK)
    assert ended.stdout == "[64] 0\n", ended.stderr
