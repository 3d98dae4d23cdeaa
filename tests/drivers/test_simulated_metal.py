# SPDX-License-Identifier: Apache-2.0
"""The double of Metal: its Objective-C runtime, devices, buffers, libraries and pipelines."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import simulated
from metal_objects import COMPLETED, OUT_OF_MEMORY, PRIVATE, SHARED, SOURCE, Block, Metal, settle
from simulated import Size

# ---- The runtime ----


def ends(program: str) -> str:
    """Returns what a program prints that the double has to end."""
    start = (
        "import sys, ctypes; sys.path[:0] = ['{0}', '{0}/drivers']\n"
        "from test_simulated_metal import Metal\n"
        "metal = Metal()\n"
    ).format(Path(__file__).resolve().parents[1])
    done = subprocess.run(
        [sys.executable, "-c", start + program], capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    return done.stderr


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("metal.send(metal.queue, 'fly')", "-[MTLCommandQueue fly]: unknown selector"),
        (
            "gone = metal.send(metal.device, 'newSharedEvent')\n"
            "metal.do(gone, 'release')\nmetal.send(gone, 'signaledValue')",
            "-[MTLSharedEvent signaledValue], but it is gone",
        ),
        (
            "gone = metal.send(metal.device, 'newSharedEvent')\n"
            "metal.do(gone, 'release')\nmetal.library.objc_release(ctypes.c_void_p(gone))",
            "release of MTLSharedEvent, which is gone",
        ),
        (
            "metal.do(metal.string('x'), 'release')\n"
            "metal.library.objc_autoreleasePoolPop(ctypes.c_void_p(metal.pool))",
            "NSString was released before its pool was popped",
        ),
        (
            "metal.library.objc_autoreleasePoolPop(ctypes.c_void_p(17))",
            "a pool was popped that is not the newest of its thread",
        ),
        (
            "commands = metal.commands()\nmetal.send(commands, 'blitCommandEncoder')\n"
            "metal.do(commands, 'commit')",
            "commit before the endEncoding of its encoder",
        ),
        (
            "commands = metal.commands()\nmetal.run(commands)\nmetal.do(commands, 'commit')",
            "commit of an MTLCommandBuffer that was committed",
        ),
        (
            "metal.do(metal.commands(), 'waitUntilCompleted')",
            "a wait for an MTLCommandBuffer that was not committed",
        ),
        (
            "encoder = metal.send(metal.commands(), 'blitCommandEncoder')\n"
            "metal.library.objc_autoreleasePoolPop(ctypes.c_void_p(metal.pool))",
            "MTLBlitCommandEncoder is gone before its endEncoding",
        ),
    ],
)
def test_misuse_of_objects_ends_the_process(program: str, says: str) -> None:
    assert says in ends(program)


def test_nil_answers_zero(metal: Metal) -> None:
    assert metal.send(None, "length") is None
    assert metal.send(None, "GPUStartTime", returns=ctypes.c_double) == 0


def test_a_selector_is_one_pointer(metal: Metal) -> None:
    register = metal.library.sel_registerName
    assert register(b"commit") == register(b"commit") != register(b"commits")


def test_an_object_lives_as_long_as_somebody_retains_it(metal: Metal) -> None:
    event = metal.send(metal.device, "newSharedEvent")
    metal.send(event, "retain")
    metal.do(event, "release")
    assert metal.live("MTLSharedEvent") == 1
    assert metal.send(event, "retainCount") == 1
    metal.do(event, "release")
    assert metal.live("MTLSharedEvent") == 0


def test_a_pool_releases_what_was_autoreleased_since_it_was_pushed(metal: Metal) -> None:
    before = metal.live("NSString")
    inner = metal.library.objc_autoreleasePoolPush()
    metal.string("x")
    assert metal.live("NSString") == before + 1
    metal.library.objc_autoreleasePoolPop(ctypes.c_void_p(inner))
    assert metal.live("NSString") == before


def test_each_thread_has_pools_of_its_own(metal: Metal) -> None:
    def leak() -> None:
        metal.library.objc_autoreleasePoolPush()
        metal.keep(metal.send(metal.string("in its pool"), "retain"))

    def without() -> None:
        metal.made.append(metal.string("in none"))

    for each in (leak, without):
        thread = threading.Thread(target=each)
        thread.start()
        thread.join()
    settle(metal, lambda: len(metal.misuse()) == 2)
    assert metal.misuse() == [
        "a thread ended with an autorelease pool that was not popped",
        "NSString was autoreleased without a pool",
    ]
    # The thread took what was in its pool with it.
    metal.made.append(metal.made[0])
    metal.forget()


def test_methods_are_as_old_as_the_system_says(metal: Metal) -> None:
    options = metal.keep(metal.send(metal.named("MTLCompileOptions"), "new"))
    name = ctypes.c_void_p(metal.library.sel_registerName(b"setMathMode:"))
    assert not metal.send(options, "respondsToSelector:", name, returns=ctypes.c_bool)
    metal.set("driver", 15)
    assert metal.send(options, "respondsToSelector:", name, returns=ctypes.c_bool)
    metal.set("driver", 13)


# ---- Devices ----


def test_devices_say_what_they_are(metal: Metal) -> None:
    assert len(metal.devices) == 2
    names = {metal.send(each, "registryID") for each in metal.devices}
    assert len(names) == 2
    size = metal.send(metal.device, "maxThreadsPerThreadgroup", returns=Size)
    assert (size.width, size.height, size.depth) == (1024, 1024, 1024)
    assert metal.send(metal.device, "hasUnifiedMemory", returns=ctypes.c_bool)
    families = [
        number
        for number in (1001, 1007, 1008, 2002, 3003, 5001, 5002)
        if metal.send(
            metal.device, "supportsFamily:", ctypes.c_int64(number), returns=ctypes.c_bool
        )
    ]
    assert families == [1001, 1007, 2002, 3003, 5001]


def test_settings_describe_the_machine() -> None:
    program = (
        "print(len(metal.devices), metal.send(metal.device, 'hasUnifiedMemory', "
        "returns=ctypes.c_bool), metal.buffer(4096 * 3), metal.misuse())\n"
        "metal.send(metal.device, 'newBufferWithBytesNoCopy:length:options:deallocator:', "
        "1 << 14, 4096, 0, None)\nprint(metal.misuse())\nsys.exit(1)"
    )
    start = "import sys, ctypes; sys.path[:0] = ['{0}', '{0}/drivers']\n".format(
        Path(__file__).resolve().parents[1]
    )
    settings = simulated.metal_environment(devices=3, unified=0, page=16384)
    done = subprocess.run(
        [sys.executable, "-c",
         f"{start}from test_simulated_metal import Metal\nmetal = Metal()\n{program}"],
        env={**os.environ, **settings}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    first, second = done.stdout.splitlines()
    assert first.startswith("3 False ")
    assert "not whole pages of shared memory" in second


def test_the_child_of_a_fork_has_no_metal(metal: Metal) -> None:
    child = os.fork()
    if child == 0:
        devices = metal.library.MTLCopyAllDevices()
        os._exit(metal.send(devices, "count") or 0)
    assert os.waitpid(child, 0)[1] == 0


# ---- Buffers ----


def test_private_memory_has_no_contents(metal: Metal) -> None:
    assert metal.send(metal.buffer(64), "contents") is not None
    private = metal.buffer(64, PRIVATE)
    assert metal.send(private, "contents") is None
    assert metal.send(private, "storageMode") == 2


def test_memory_is_counted_and_has_an_end(metal: Metal) -> None:
    longest = metal.send(metal.device, "maxBufferLength")
    assert longest < 1 << 30
    selector = "newBufferWithLength:options:"
    assert metal.send(metal.device, selector, longest + 1, SHARED) is None
    used = metal.memory_used(0)
    first = metal.send(metal.device, selector, longest, PRIVATE)
    assert metal.send(metal.device, selector, longest, PRIVATE) is None
    assert metal.memory_used(0) == used + longest
    assert metal.send(metal.device, "currentAllocatedSize") == used + longest
    metal.do(first, "release")
    assert metal.memory_used(0) == used


def test_a_buffer_of_nothing_is_misuse(metal: Metal) -> None:
    assert metal.send(metal.device, "newBufferWithLength:options:", 0, SHARED) is None
    assert metal.misuse() == ["newBufferWithLength:options: with the length 0 and the options 0"]
    metal.forget()


def test_memory_of_the_host_is_used_in_place(metal: Metal) -> None:
    ended: list[tuple[int, int]] = []
    kinds = (ctypes.c_void_p, ctypes.c_uint64)
    block = Block(metal, lambda _block, *told: ended.append(told), *kinds)
    memory = ctypes.create_string_buffer(3 * 4096)
    place = (ctypes.addressof(memory) + 4095) // 4096 * 4096
    selector = "newBufferWithBytesNoCopy:length:options:deallocator:"
    buffer = metal.send(metal.device, selector, place, 4096, SHARED, block.pointer)
    assert metal.send(buffer, "contents") == place
    commands = metal.commands()
    metal.fill(commands, buffer, 4096, 7)
    assert metal.run(commands) == COMPLETED
    assert ctypes.string_at(place, 4096) == b"\x07" * 4096
    metal.do(buffer, "release")
    settle(metal, lambda: ended != [])
    assert ended == [(place, 4096)]
    for start, size in ((place + 64, 4096), (place, 100)):
        assert metal.send(metal.device, selector, start, size, SHARED, None) is None
    assert len(metal.misuse()) == 2
    metal.forget()


# ---- Libraries and pipelines ----


def test_a_pipeline_tells_of_its_kernel(metal: Metal) -> None:
    def reflect(name: str) -> list[tuple[object, ...]]:
        reflection = ctypes.c_void_p()
        selector = "newComputePipelineStateWithFunction:options:reflection:error:"
        function = metal.kernel(name)
        metal.keep(metal.send(metal.device, selector, function, 1, ctypes.byref(reflection), None))
        numbers = ("type", "index", "access", "bufferDataSize", "bufferDataType")
        return [
            (
                metal.text(metal.send(each, "name")),
                *(metal.send(each, number, returns=ctypes.c_uint64) for number in numbers),
            )
            for each in metal.items(metal.send(reflection.value, "bindings"))
        ]

    assert reflect("add") == [("x", 0, 0, 0, 4, 29), ("out", 0, 1, 1, 4, 29), ("y", 0, 2, 0, 4, 29)]
    assert reflect("neighbours") == [("x", 0, 3, 1, 4, 29), ("tile", 1, 1, 1, 4, 29)]
    assert reflect("described") == [("p", 0, 0, 0, 8, 1), ("out", 0, 5, 1, 4, 3)]
    pipeline = metal.pipeline("neighbours")
    assert metal.send(pipeline, "maxTotalThreadsPerThreadgroup") == 64
    assert metal.send(pipeline, "threadExecutionWidth") == 32
    assert metal.send(pipeline, "staticThreadgroupMemoryLength") == 64
    assert metal.send(metal.pipeline("add"), "maxTotalThreadsPerThreadgroup") == 1024


def names_in(metal: Metal, library: int) -> list[str]:
    """Returns the names of a library's kernels."""
    return [metal.text(each) for each in metal.items(metal.send(library, "functionNames"))]


def test_a_library_has_the_kernels_of_its_source(metal: Metal) -> None:
    assert sorted(names_in(metal, metal.code)) == [
        "add",
        "backwards",
        "count",
        "described",
        "fault",
        "neighbours",
        "places",
    ]
    assert metal.send(metal.code, "newFunctionWithName:", metal.string("none")) is None


def test_a_wrong_program_is_refused_with_the_compilers_words(metal: Metal) -> None:
    with pytest.raises(ValueError, match=r"program_source:2:\d+: error: .*nothing"):
        metal.build(
            "#include <metal_stdlib>\nkernel void k(device int *x [[buffer(0)]]) { nothing; }"
        )
    with pytest.raises(ValueError, match=r"program_source:1:\d+: fatal error: .*missing.h"):
        metal.build('#include "missing.h"')


def test_macros_of_the_options_are_defined(metal: Metal) -> None:
    options = metal.keep(metal.send(metal.named("MTLCompileOptions"), "new"))
    macros = metal.send(
        metal.named("NSDictionary"), "dictionaryWithObject:forKey:", metal.string("named"),
        metal.string("NAME"),
    )  # fmt: skip
    metal.do(options, "setPreprocessorMacros:", macros)
    source = metal.string("kernel void NAME() {}")
    selector = "newLibraryWithSource:options:error:"
    made = metal.keep(metal.send(metal.device, selector, source, options, None))
    assert [metal.text(each) for each in metal.items(metal.send(made, "functionNames"))] == [
        "named"
    ]


def test_a_metallib_is_loaded_and_other_bytes_are_not(metal: Metal) -> None:
    def load(content: bytes) -> tuple[int | None, int]:
        metal.library.dispatch_data_create.restype = ctypes.c_void_p
        size = ctypes.c_size_t(len(content))
        data = metal.keep(metal.library.dispatch_data_create(content, size, None, None))
        error = ctypes.c_void_p()
        made = metal.send(metal.device, "newLibraryWithData:error:", data, ctypes.byref(error))
        code = 0 if made else metal.send(error.value, "code")
        return made, code

    made, _ = load(metal.metallib(SOURCE))
    assert len(names_in(metal, metal.keep(made or 0))) == 7
    assert load(b"no library") == (None, 2)
    assert load(b"MTLB" + b"\0" * 100) == (None, 2)


@pytest.mark.parametrize(
    ("selector", "arguments"),
    [
        ("newCommandQueue", ()),
        ("newSharedEvent", ()),
        ("newBufferWithLength:options:", (64, SHARED)),
    ],
)
def test_what_fails_on_demand_is_nil(metal: Metal, selector: str, arguments: tuple[int]) -> None:
    metal.fail(selector, 1, OUT_OF_MEMORY)
    assert metal.send(metal.device, selector, *arguments) is None
    metal.keep(metal.send(metal.device, selector, *arguments))
    assert metal.calls(selector) == 2


def test_an_error_tells_what_failed_on_demand(metal: Metal) -> None:
    function, error = metal.kernel("add"), ctypes.c_void_p()
    selector = "newComputePipelineStateWithFunction:error:"
    metal.fail(selector, 1, OUT_OF_MEMORY)
    assert metal.send(metal.device, selector, function, ctypes.byref(error)) is None
    assert metal.send(error.value, "code") == OUT_OF_MEMORY
    assert selector in metal.text(metal.send(error.value, "localizedDescription"))
