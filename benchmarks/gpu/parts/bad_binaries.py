# SPDX-License-Identifier: Apache-2.0
"""Bytes that are not code for the device are refused with a reason; good code loads after that."""

from __future__ import annotations

import random

from cubins import KERNELS, compiled_by_nvcc, cubin
from gpu_cases import Bench, case
from part_tools import architecture, refusal, still_works

PTX_OF_TOMORROW = b"""
.version 99.9
.target sm_50
.address_size 64
.visible .entry nothing() { ret; }
"""


def _each_is_refused(bench: Bench, images: list[bytes]) -> str:
    """Checks that loading is refused, or getting a kernel if the driver loads lazily."""
    device = bench.device
    texts = [
        refusal(lambda image=image: device.load_library(image).get_kernel("add_one"))  # type: ignore[misc]
        for image in images
    ]
    still_works(device)
    return f"{len(texts)} refused, such as: {texts[-1]}"


def _cuts(image: bytes) -> list[bytes]:
    return [image[: len(image) * part // 8] for part in range(1, 8)] + [image[:64], image[:4]]


@case(endangers=True)
def a_truncated_cubin_is_refused(bench: Bench) -> str:
    return _each_is_refused(bench, _cuts(cubin("mistakes.cu", architecture(bench.device))))


@case(endangers=True)
def a_truncated_fatbin_is_refused(bench: Bench) -> str:
    image = compiled_by_nvcc(KERNELS / "mistakes.cu", architecture(bench.device), "fatbin")
    device = bench.device
    assert device.load_library(image).get_kernel("add_one").name == "add_one"
    return _each_is_refused(bench, _cuts(image))


@case(endangers=True)
def a_cubin_for_another_architecture_is_refused(bench: Bench) -> str:
    mine = architecture(bench.device)
    others = [each for each in (75, 80, 90, 100, 120) if each // 10 != mine // 10]
    return _each_is_refused(bench, [cubin("mistakes.cu", each) for each in others])


@case(endangers=True)
def ptx_newer_than_the_driver_is_refused(bench: Bench) -> str:
    return _each_is_refused(bench, [PTX_OF_TOMORROW])


@case(endangers=True)
def ptx_that_is_wrong_is_refused(bench: Bench) -> str:
    good = compiled_by_nvcc(KERNELS / "mistakes.cu", architecture(bench.device), "ptx")
    cut = good[: len(good) // 2]
    return _each_is_refused(bench, [cut, good.replace(b"ret;", b"rett;")])


@case(endangers=True)
def a_cubin_with_bytes_changed_does_no_harm(bench: Bench) -> str:
    """It may load, since the driver checks no checksum, but is never launched."""
    image = bytearray(cubin("mistakes.cu", architecture(bench.device)))
    noise, device, refused = random.Random(2), bench.device, 0
    for _ in range(50):
        changed = bytearray(image)
        changed[noise.randrange(len(changed))] ^= 1 << noise.randrange(8)
        try:
            device.load_library(bytes(changed)).get_kernels()
        except RuntimeError:
            refused += 1
    still_works(device)
    return f"{refused} of 50 refused"


@case()
def code_for_the_gpu_loads_by_its_content(bench: Bench) -> str:
    """A cubin, PTX and a fatbin, in files whose name does not report the format."""
    device, mine = bench.device, architecture(bench.device)
    for kind in ("cubin", "ptx", "fatbin"):
        file = bench.output / "code.bin"
        file.write_bytes(compiled_by_nvcc(KERNELS / "mistakes.cu", mine, kind))
        still_works(device, device.load_library(str(file)))
        file.unlink()
    return "cubin, PTX, fatbin"
