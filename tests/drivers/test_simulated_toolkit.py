# SPDX-License-Identifier: Apache-2.0
"""The simulated compiler, linker and NVML, and memory between processes."""

from __future__ import annotations

import array
import ctypes

import pytest
import simulated
from simulated import Driver
from simulated_cubin import CompileError, Nvrtc

PTX, LTO_IR, CUBIN = 2, 3, 1  # nvJitLinkInputType
HELPER = "__device__ int twice(int x) { return 2 * x; }"
CALLER = """
__device__ int twice(int x);
extern "C" __global__ void store(int *out, int value) { *out = twice(value); }
"""


# ---- NVRTC ----


def test_a_missing_header_is_told_as_nvrtc_does(nvrtc: Nvrtc) -> None:
    with pytest.raises(CompileError, match=r'cannot open source file "nothing\.h"'):
        nvrtc.compile('#include "nothing.h"', "f.cu")


def test_an_unknown_option_is_refused(nvrtc: Nvrtc) -> None:
    with pytest.raises(CompileError, match="answers 5:"):
        nvrtc.compile("", "f.cu", "--no-such-option")


def test_a_template_is_found_by_its_lowered_name(nvrtc: Nvrtc) -> None:
    library, program, name = nvrtc.library, ctypes.c_void_p(), ctypes.c_char_p()
    source = b"template <class T> __global__ void scale(T *x) { *x *= 2; }"
    library.nvrtcCreateProgram(ctypes.byref(program), source, b"f.cu", 0, None, None)
    assert library.nvrtcAddNameExpression(program, b"scale<float>") == 0
    assert library.nvrtcCompileProgram(program, 0, None) == 0
    assert library.nvrtcGetLoweredName(program, b"scale<float>", ctypes.byref(name)) == 0
    assert name.value == b"_Z5scaleIfEvPT_"
    assert library.nvrtcDestroyProgram(ctypes.byref(program)) == 0


# ---- nvJitLink ----


def link(*pieces: tuple[int, bytes]) -> bytes:
    """Links pieces and returns the cubin."""
    library = ctypes.CDLL(str(simulated.folder() / "libnvJitLink.so.12"))
    handle, size = ctypes.c_void_p(), ctypes.c_size_t()
    options = (ctypes.c_char_p * 1)(b"-arch=sm_90")
    assert library.nvJitLinkCreate(ctypes.byref(handle), 1, options) == 0
    for kind, data in pieces:
        length = ctypes.c_size_t(len(data))
        assert library.nvJitLinkAddData(handle, kind, data, length, b"piece") == 0
    assert library.nvJitLinkComplete(handle) == 0
    assert library.nvJitLinkGetLinkedCubinSize(handle, ctypes.byref(size)) == 0
    cubin = ctypes.create_string_buffer(size.value)
    assert library.nvJitLinkGetLinkedCubin(handle, cubin) == 0
    assert library.nvJitLinkDestroy(ctypes.byref(handle)) == 0
    return cubin.raw


@pytest.mark.parametrize(
    ("kind", "form", "options"),
    [
        (CUBIN, "CUBIN", ["--gpu-architecture=sm_90", "--relocatable-device-code=true"]),
        (PTX, "PTX", ["--gpu-architecture=compute_90", "--relocatable-device-code=true"]),
        (LTO_IR, "LTOIR", ["--gpu-architecture=compute_90", "-dlto"]),
    ],
)
def test_pieces_become_a_program(
    cuda: Driver, nvrtc: Nvrtc, kind: int, form: str, options: list[str]
) -> None:
    pieces = [(kind, nvrtc.compile(text, "f.cu", *options, kind=form)) for text in (HELPER, CALLER)]
    out = cuda.allocate(4)
    store = cuda.function(cuda.load(link(*pieces)), "store")
    assert cuda.launch(store, out, ctypes.c_int(21)) == simulated.SUCCESS
    assert cuda.read(out, 4) == array.array("i", [42]).tobytes()


# ---- NVML ----


@pytest.fixture
def nvml() -> ctypes.CDLL:
    """Returns NVML, initialized."""
    library = ctypes.CDLL(str(simulated.folder() / "libnvidia-ml.so.1"))
    assert library.nvmlInit_v2() == 0
    return library


def test_a_device_is_found_by_the_drivers_uuid(started: Driver, nvml: ctypes.CDLL) -> None:
    uuid = (ctypes.c_ubyte * 16)()
    started.call("cuDeviceGetUuid_v2", uuid, 1)
    text = bytes(uuid).hex()
    name = "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
    device, number = ctypes.c_void_p(), ctypes.c_uint()
    found = nvml.nvmlDeviceGetHandleByUUID(f"GPU-{name}".encode(), ctypes.byref(device))
    assert found == 0
    assert nvml.nvmlDeviceGetTemperature(device, 0, ctypes.byref(number)) == 0
    assert number.value > 0


def test_nvml_does_not_find_a_device_that_is_not_there(nvml: ctypes.CDLL) -> None:
    out = ctypes.c_void_p()
    assert nvml.nvmlDeviceGetHandleByPciBusId_v2(b"0000:FF:00.0", ctypes.byref(out)) == 6


# ---- Between processes ----


def test_memory_is_not_opened_in_the_process_that_shares_it(cuda: Driver) -> None:
    class Handle(ctypes.Structure):
        _fields_ = (("reserved", ctypes.c_char * 64),)

    handle, out = Handle(), ctypes.c_void_p()
    cuda.call("cuIpcGetMemHandle", ctypes.byref(handle), cuda.allocate(4))
    result = cuda.result("cuIpcOpenMemHandle_v2", ctypes.byref(out), handle, 1)
    assert result == simulated.INVALID_CONTEXT
