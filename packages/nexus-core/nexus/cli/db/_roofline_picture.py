# SPDX-License-Identifier: Apache-2.0
"""Draws a roofline with matplotlib, without a display."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nexus._plots import COLOURS, GREY, matplotlib, saved, settings
from nexus._units import decimal_text
from nexus.cli._console import printable
from nexus.cli.page._citations import citation_text

if TYPE_CHECKING:
    from nexus._collections import Citation
    from nexus.cli.db._plot import Roof

_DASHES = ("-", "--", "-.", ":")  # of roofs with the same colour
# Sizes in inches: the picture, the least size of the axes, the title, and a label.
_WIDTH, _HEIGHT, _ABOVE, _LABEL_HEIGHT = 8.0, 3.8, 0.4, 0.38
_CAPTION_LETTERS = 150  # of a line


def draw(roofs: Sequence[Roof], title: str, counted: str, file_format: str) -> bytes:
    """Returns the picture of the roofs as the bytes of a file.

    Args:
        counted: the unit of the operations, FLOP or OP.
        file_format: 'svg' or 'png'.

    Raises:
        NexusError: matplotlib can't be imported.
    """
    figure_module = matplotlib("matplotlib.figure")
    with settings():
        citations = list(dict.fromkeys(each for roof in roofs for each in roof.citations))
        caption = _caption(citations)
        below = 0.65 + 0.125 * len(citations)  # inches: the label of the axis, and the caption
        inside = max(_HEIGHT, _LABEL_HEIGHT * len(roofs))
        height = inside + _ABOVE + below
        figure = figure_module.Figure(figsize=(_WIDTH, height))
        axes = figure.add_axes((0.1, below / height, 0.66, inside / height))
        _draw_axes(axes, roofs, counted)
        _draw_roofs(axes, roofs, counted, citations, _LABEL_HEIGHT / inside)
        axes.set_title(printable(title), loc="left", fontweight="bold", parse_math=False)
        figure.text(
            0.02, 0.08 / height, caption,
            fontsize=6.5, color=GREY, va="bottom", parse_math=False,
        )  # fmt: skip
        return saved(figure, file_format)


def limits(roofs: Sequence[Roof]) -> tuple[float, float, float, float]:
    """Returns the limits of the axes: lowest and highest operations/byte and operations/s."""
    ridges = [roof.rate / roof.bandwidth for roof in roofs]
    left = 10.0 ** math.floor(math.log10(min(ridges)) - 1)
    right = 10.0 ** math.ceil(math.log10(max(ridges)) + 0.7)
    bottom = min(roof.bandwidth for roof in roofs) * left
    return left, right, bottom, max(roof.rate for roof in roofs) * 2.5


def heights(wanted: Sequence[float], step: float) -> list[float]:
    """Returns heights as near as possible to the wanted ones, but at least step apart.

    They lie between step / 2 and 1 - step / 2.

    Args:
        wanted: at most 1 / step heights, the highest first.
    """
    # Without the steps they only have to fall: neighbours that rise share their mean.
    blocks: list[tuple[float, int]] = []
    for index, height in enumerate(wanted):
        mean, count = height + index * step, 1
        while blocks and blocks[-1][0] < mean:
            above, more = blocks.pop()
            mean, count = (mean * count + above * more) / (count + more), count + more
        blocks.append((mean, count))
    means = [mean for mean, count in blocks for _ in range(count)]
    low, high = step * (len(means) - 0.5), 1 - step / 2
    return [min(max(mean, low), high) - index * step for index, mean in enumerate(means)]


def _draw_axes(axes: Any, roofs: Sequence[Roof], counted: str) -> None:
    ticker = matplotlib("matplotlib.ticker")
    left, right, bottom, top = limits(roofs)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    axes.set_xlabel(f"Arithmetic intensity ({counted}/byte)")
    axes.set_ylabel(f"Performance ({counted}/s)")
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: decimal_text(value, "")))
    axes.grid(True, which="major", color="#d9d9d9", linewidth=0.7)
    axes.grid(True, which="minor", color="#f0f0f0", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.tick_params(which="both", color="#999999", labelcolor=GREY)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color("#999999")


def _draw_roofs(
    axes: Any, roofs: Sequence[Roof], counted: str, citations: list[Citation], step: float
) -> None:
    """Draws the lines, with name, peak rate, bandwidth and sources to the right of each.

    Args:
        step: the least distance between two labels, as a fraction of the height of the axes.
    """
    left, right, bottom, top = limits(roofs)
    span = math.log10(top / bottom)
    ordered = sorted(enumerate(roofs), key=lambda each: each[1].rate, reverse=True)
    wanted = [math.log10(roof.rate / bottom) / span for _, roof in ordered]
    placed = heights(wanted, step)
    drawn = styles(roofs)
    for (index, roof), at_line, at_label in zip(ordered, wanted, placed, strict=True):
        colour, dashes = drawn[index]
        ridge = roof.rate / roof.bandwidth
        axes.plot(
            [left, ridge, right],
            [roof.bandwidth * left, roof.rate, roof.rate],
            color=colour,
            linestyle=dashes,
            linewidth=2,
            solid_joinstyle="round",
        )
        axes.plot([ridge], [roof.rate], marker="o", markersize=4, color=colour)
        axes.plot(
            [1.0, 1.02, 1.03],
            [at_line, at_label, at_label],
            transform=axes.transAxes,
            color=colour,
            linewidth=0.8,
            clip_on=False,
        )
        axes.text(
            1.035, at_label, _label(roof, counted, citations), transform=axes.transAxes,
            color=colour, va="center", fontsize=8, linespacing=1.15, parse_math=False,
        )  # fmt: skip


def styles(roofs: Sequence[Roof]) -> list[tuple[str, str]]:
    """Returns the colour and the dashes of each roof; the roofs of a group share the colour."""
    groups = list(dict.fromkeys(roof.group or roof.name for roof in roofs))
    used: Counter[str] = Counter()
    found = []
    for roof in roofs:
        colour = COLOURS[groups.index(roof.group or roof.name) % len(COLOURS)]
        found.append((colour, _DASHES[used[colour] % len(_DASHES)]))
        used[colour] += 1
    return found


def _label(roof: Roof, counted: str, citations: list[Citation]) -> str:
    numbers = sorted(citations.index(each) + 1 for each in roof.citations)
    marks = f" [{','.join(map(str, numbers))}]" if numbers else ""
    rate = decimal_text(roof.rate, f"{counted}/s")
    return f"{printable(roof.name)}{marks}\n{rate}, {decimal_text(roof.bandwidth, 'B/s')}"


def _caption(citations: Sequence[Citation]) -> str:
    lines = []
    for number, citation in enumerate(citations, 1):
        text = f"[{number}] {citation_text(citation._replace(address=''))}"
        lines.append(text if len(text) <= _CAPTION_LETTERS else f"{text[:_CAPTION_LETTERS]}...")
    return printable("\n".join(lines))
