# SPDX-License-Identifier: Apache-2.0
"""Finds the edges in a photograph with a Sobel filter, two commands in one schedule.

    pip install pillow scipy scikit-learn
    python examples/edge_detect.py [PHOTO] [-o edges.png]

Without PHOTO it takes scikit-learn's photograph of a temple. It compares the result with
scipy.ndimage and exits with 1 if they differ.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image
from scipy import ndimage

import nexus

KERNELS = Path(__file__).with_name("edge_detect_kernels.c")
BRIGHTNESS = np.array([0.299, 0.587, 0.114])  # of red, green and blue, as in the kernel

Pixels = npt.NDArray[np.uint8]
Plane = npt.NDArray[np.float32]
Lengths = npt.NDArray[np.float64]


def find_edges(device: nexus.Device, photo: Pixels) -> Plane:
    """Returns the gradient's length at each pixel of an RGB photo of shape (height, width, 3)."""
    height, width, _ = photo.shape
    kernels = device.compile(KERNELS)
    rgb = device.create_buffer(photo)
    grey = device.create_buffer((height, width), dtype="float32")
    edges = device.create_buffer((height, width), dtype="float32")

    schedule = device.create_schedule()
    for name, source, target in (("grey", rgb, grey), ("sobel", grey, edges)):
        command = schedule.create_command(kernels.get_kernel(name))
        command.set_buffer(0, source)
        command.set_buffer(1, target)
        command.set_arg(2, np.int32(width))
        command.set_arg(3, np.int32(height))
        command.finalize((64, 4), (width, height))
    schedule.run()

    result = np.empty((height, width), dtype=np.float32)
    edges.copy(result)
    return result


def reference(photo: Pixels) -> Lengths:
    """Returns the same by scipy, in double precision."""
    grey = photo @ BRIGHTNESS / 255.0
    down, across = (ndimage.sobel(grey, axis=axis, mode="nearest") for axis in (0, 1))
    length: Lengths = np.hypot(down, across)
    return length


def read_photo(path: Path | None) -> Pixels:
    """Returns the file's pixels as RGB, or scikit-learn's photograph of a temple."""
    if path is None:
        from sklearn.datasets import load_sample_image

        return np.ascontiguousarray(load_sample_image("china.jpg"))
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"))


def main() -> int:
    """Reads, filters, checks, writes; returns the exit status."""
    parser = argparse.ArgumentParser(description="Find the edges in a photograph.")
    parser.add_argument("photo", nargs="?", type=Path, help="default: a photo of scikit-learn")
    parser.add_argument("-o", "--output", type=Path, default=Path("edges.png"))
    options = parser.parse_args()

    try:
        photo = read_photo(options.photo)
    except OSError as error:
        parser.error(f"the photo can't be read: {error}")
    device = nexus.get_device("cpu")
    edges = find_edges(device, photo)

    expected = reference(photo)
    difference = float(np.abs(edges - expected).max())
    if difference > 1e-5:
        print(f"The edges differ from scipy's by up to {difference:.2g}.", file=sys.stderr)
        return 1

    brightest = float(np.max(edges)) or 1.0
    Image.fromarray(np.rint(edges * (255.0 / brightest)).astype(np.uint8)).save(options.output)
    height, width = edges.shape
    print(
        f"{width} x {height} pixels on {device.get_property_str('Name')}: as scipy.ndimage has it "
        f"(largest difference {difference:.1g}). Wrote {options.output}."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
