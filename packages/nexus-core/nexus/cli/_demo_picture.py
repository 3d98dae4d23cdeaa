# SPDX-License-Identifier: Apache-2.0
"""Shows the Mandelbrot set of `nexus demo` in the terminal, or writes it to a PNG file."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.color import Color
from rich.console import Console, ConsoleOptions
from rich.style import Style
from rich.text import Text

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Counts = npt.NDArray[np.int32]
    Pixels = npt.NDArray[np.uint8]

_MOST_COLUMNS = 96
_RAMP = " .:-=+*#%@"  # from few iterations to many
_HALF = "\N{UPPER HALF BLOCK}"  # a cell of the terminal shows two pixels, one above the other


@dataclass(frozen=True)
class Picture:
    """Iteration counts as a picture: in colours, or in letters if there are no colours.

    Attributes:
        counts: an array of height x width pixels.
        limit: the count of pixels in the set, which are black.
    """

    counts: Counts
    limit: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        height, width = self.counts.shape
        columns = min(options.max_width, _MOST_COLUMNS)
        rows = max(1, columns * height // width // 2)  # a cell is twice as high as wide
        if console.color_system is None or not options.encoding.startswith("utf"):
            return _in_letters(_sample(self.counts, rows, columns), self.limit)
        return _in_colours(colours(_sample(self.counts, 2 * rows, columns), self.limit))

    def save(self, path: str | Path) -> None:
        """Writes the picture to a PNG file.

        Raises:
            OSError: the file can't be written.
        """
        Path(path).write_bytes(png(colours(self.counts, self.limit)))


def colours(counts: Counts, limit: int) -> Pixels:
    """Returns the colours as an array of height x width x (red, green, blue)."""
    import numpy as np

    turn = np.sqrt(counts / limit)[..., None]
    waves = 0.5 - 0.5 * np.cos(2 * np.pi * (turn * [0.9, 1.1, 1.5] + [0.0, 0.05, 0.15]))
    waves[counts >= limit] = 0
    return np.rint(255 * waves).astype(np.uint8)


def png(pixels: Pixels) -> bytes:
    """Returns an array of height x width x (red, green, blue) as the bytes of a PNG file."""
    height, width, _ = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits a channel, RGB
    lines = b"".join(b"\0" + line.tobytes() for line in pixels)  # 0: the line is not filtered
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )


def _sample(counts: Counts, rows: int, columns: int) -> Counts:
    import numpy as np

    height, width = counts.shape
    taken_rows = (np.arange(rows) * 2 + 1) * height // (2 * rows)
    taken_columns = (np.arange(columns) * 2 + 1) * width // (2 * columns)
    return counts[np.ix_(taken_rows, taken_columns)]


def _in_letters(counts: Counts, limit: int) -> Iterator[Text]:
    steps = ((counts / limit) ** 0.5 * (len(_RAMP) - 1)).round().astype(int)
    for line in steps:
        yield Text("".join(_RAMP[step] for step in line))


def _in_colours(pixels: Pixels) -> Iterator[Text]:
    for upper, lower in zip(pixels[::2], pixels[1::2], strict=True):
        line = Text()
        for above, below in zip(upper.tolist(), lower.tolist(), strict=True):
            line.append(_HALF, Style(color=Color.from_rgb(*above), bgcolor=Color.from_rgb(*below)))
        yield line
