# SPDX-License-Identifier: Apache-2.0
"""Makes the pictures of the site in docs/built/pictures. Needs Nexus, its CPU backend, matplotlib.

A page names a picture in a comment on a line of its own, which the site replaces:
`<!-- picture: heat.png The plate after 500 steps. -->`
"""

from __future__ import annotations

import math
import re
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Callable
from graphlib import TopologicalSorter
from html import escape
from itertools import pairwise
from pathlib import Path

import numpy as np
from matplotlib import cbook, figure, image

import nexus
from nexus import _plots, algorithms
from nexus._trace import _file, _timeline

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "built" / "pictures"
EXAMPLES = ROOT / "examples"

ARROW = re.compile(r"(\S+) --> (\S+)")
BOX, LETTER, ROW, MARGIN = 26, 7.3, 58, 14  # pixels: a box's height, a letter, a row of boxes
POINT = 16  # pixels: the width that an arrow takes in the rows that it crosses

# A name, or a point of an edge in a row between its ends: the edge and the row.
Node = str | tuple[str, str, int]


def example(name: str, *arguments: Path) -> None:
    """Runs a program of examples/ on the CPU."""
    subprocess.run([sys.executable, EXAMPLES / name, *arguments], check=True)


def command(*words: str) -> None:
    """Runs the command `nexus`."""
    subprocess.run([sys.executable, "-m", "nexus.cli", *words], check=True, stdout=subprocess.PIPE)


def save(drawn: figure.Figure, path: Path) -> None:
    """Writes a figure to a file."""
    path.write_bytes(_plots.saved(drawn, path.suffix[1:]))


def on_white(svg: str) -> str:
    """Returns the picture with a background, for dark pages: its lines and texts are black."""
    return svg.replace("<svg ", '<svg style="background: white" ', 1)


def blur(path: Path) -> None:
    """Draws matplotlib's photograph before and after examples/blur.py."""
    before = Path(cbook.get_sample_data("grace_hopper.jpg", asfileobj=False))
    with tempfile.TemporaryDirectory() as folder:
        after = Path(folder, "blurred.png")
        example("blur.py", before, after)
        drawn = figure.Figure(figsize=(6, 3.7), layout="constrained")
        for axes, title, file in zip(
            drawn.subplots(1, 2), ("before", "after"), (before, after), strict=True
        ):
            axes.imshow(image.imread(file))
            axes.set_title(title)
            axes.set_axis_off()
        save(drawn, path)


def heat(path: Path) -> None:
    """Has examples/heat.py draw its plate."""
    example("heat.py", path)


def mandelbrot(path: Path) -> None:
    """Draws the counts of examples/kernels/mandelbrot.py."""
    sys.path.insert(0, str(EXAMPLES / "kernels"))  # where the program finds its helpers
    program = runpy.run_path(str(EXAMPLES / "kernels" / "mandelbrot.py"))
    counts = program["mandelbrot"](nexus.get_device("cpu"), 768, 768)
    image.imsave(path, np.log(counts + 1.0), cmap="inferno", origin="lower")


def pi(path: Path) -> None:
    """Draws points as examples/monte_carlo_pi.py counts them, and the estimate."""
    device, count = nexus.get_device("cpu"), 4000
    x, y = (algorithms.random(device, count, "float32", seed=seed).numpy() for seed in (1, 2))
    inside = x * x + y * y < 1
    estimates = 4 * np.cumsum(inside) / np.arange(1, count + 1)
    drawn = figure.Figure(figsize=(8, 3.7), layout="constrained")
    left, right = drawn.subplots(1, 2)
    for which, colour in ((inside, _plots.COLOURS[0]), (~inside, _plots.COLOURS[1])):
        left.scatter(x[which], y[which], s=1, color=colour)
    left.set(aspect="equal", xlim=(0, 1), ylim=(0, 1), title=f"{count} points")
    right.semilogx(estimates, color=_plots.COLOURS[0])
    right.axhline(math.pi, color=_plots.COLOURS[1], linestyle="--")
    right.set(xlabel="points", ylim=(2.6, 3.7), title="estimate of pi")
    save(drawn, path)


def measured(path: Path) -> None:
    """Measures the CPU and draws its roofline."""
    command("bench", "cpu", "--plot", str(path))


def rooflines(path: Path) -> None:
    """Draws the rooflines of three devices from their files."""
    command("db", "plot", "H100 SXM", "MI300X", "RTX 4090", "-o", str(path))


def device(path: Path) -> None:
    """Draws the memory and the limits of the CPU."""
    save(nexus.get_device("cpu").properties.plot(), path)


def timeline(path: Path) -> None:
    """Draws the trace of examples/two_streams.py."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "trace.json")
        command("trace", "-o", str(file), str(EXAMPLES / "two_streams.py"))
        drawn = on_white(_timeline.svg(_file.read_trace(file)))
    for name, short in ((sys.executable, "python"), (f"{EXAMPLES}/", "")):
        drawn = drawn.replace(name, short)
    path.write_text(drawn, encoding="utf-8")


def schedule(path: Path) -> None:
    """Draws the schedule that docs/schedules.md lists."""
    cpu = nexus.get_device("cpu")
    scale = cpu.compile(
        "NEXUS_KERNEL_BOUNDED(scale, (n), (NEXUS_GLOBAL float *, x), (float, a), (int, n)) "
        "{ x[nexus_global_id(0)] *= a; }"
    ).get_kernel("scale")
    x, y = nexus.ones(1024, device=cpu), nexus.zeros(1024, device=cpu)
    doubling, drawn = cpu.create_schedule(), cpu.create_schedule()
    doubling.create_command(scale, [x, 2.0, 1024], grid_size=1024)
    doubling.create_copy_command(y, x)
    drawn.create_fill_command(x, 1)
    drawn.create_schedule_command(doubling)
    drawn.create_signal_command(cpu.create_event())
    path.write_text(on_white(drawn._repr_svg_()), encoding="utf-8")  # type: ignore[attr-defined]


DRAWN: dict[str, Callable[[Path], None]] = {
    "blur.png": blur,
    "heat.png": heat,
    "mandelbrot.png": mandelbrot,
    "pi.png": pi,
    "measured-roofline.svg": measured,
    "rooflines.svg": rooflines,
    "device.svg": device,
    "timeline.svg": timeline,
    "schedule.svg": schedule,
}


def flowchart(text: str) -> str:
    """Returns a flowchart as SVG, in rows from top to bottom.

    Args:
        text: the lines of a Mermaid flowchart whose nodes are names and whose edges are `-->`.

    Raises:
        ValueError: a line is something else, or the edges form a circle.
    """
    first, *lines = (line.strip() for line in text.strip().splitlines())
    edges = [(found[1], found[2]) for line in lines if (found := ARROW.fullmatch(line))]
    if first != "flowchart TD" or len(edges) != len(lines):
        raise ValueError(f"a flowchart has 'flowchart TD' and lines such as 'a --> b':\n{text}")
    rows, paths = _ordered(edges)
    widths = {
        each: LETTER * len(each) + 20 if isinstance(each, str) else POINT
        for row in rows for each in row
    }  # fmt: skip
    totals = [sum(widths[each] + MARGIN for each in row) + MARGIN for row in rows]
    middles: dict[Node, tuple[float, float]] = {}
    for number, (row, total) in enumerate(zip(rows, totals, strict=True)):
        x = (max(totals) - total) / 2 + MARGIN
        for each in row:
            middles[each] = (x + widths[each] / 2, MARGIN + number * ROW + BOX / 2)
            x += widths[each] + MARGIN
    parts = [_arrow([middles[each] for each in path]) for path in paths]
    for each, (x, y) in middles.items():
        if isinstance(each, str):
            parts.append(
                f'<rect x="{x - widths[each] / 2:.1f}" y="{y - BOX / 2}" width="{widths[each]:.1f}"'
                f' height="{BOX}" rx="4" fill="#e8f0f8" stroke="#0b5394"/>'
                f'<text x="{x:.1f}" y="{y + 4}" text-anchor="middle">{escape(each)}</text>'
            )
    width, height = math.ceil(max(totals)), len(rows) * ROW - (ROW - BOX) + 2 * MARGIN
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="monospace" font-size="12">'
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" '
        'markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="#555"/></marker></defs>'
    )
    return on_white("\n".join([head, *parts, "</svg>"]))


def _ordered(edges: list[tuple[str, str]]) -> tuple[list[list[Node]], list[list[Node]]]:
    """Returns the nodes of each row, and each edge's path with a node in each row."""
    before: dict[str, set[str]] = {}
    for start, end in edges:
        before.setdefault(start, set())
        before.setdefault(end, set()).add(start)
    level: dict[str, int] = {}
    for name in TopologicalSorter(before).static_order():
        level[name] = max((level[each] + 1 for each in before[name]), default=0)
    paths: list[list[Node]] = [
        [start, *((start, end, row) for row in range(level[start] + 1, level[end])), end]
        for start, end in edges
    ]
    rows: list[list[Node]] = [[] for _ in range(max(level.values()) + 1)]
    for name, number in level.items():
        rows[number].append(name)
    for path in paths:
        for point in path[1:-1]:
            rows[int(point[2])].append(point)
    beside: dict[Node, list[Node]] = {each: [] for row in rows for each in row}
    for one, other in (pair for path in paths for pair in pairwise(path)):
        beside[one].append(other)
        beside[other].append(one)
    place = {each: (at + 0.5) / len(row) for row in rows for at, each in enumerate(row)}
    for turn in range(20):  # each node moves between its neighbours, downwards and upwards in turn
        for row in rows if turn % 2 == 0 else reversed(rows):
            row.sort(key=lambda each: sum(place[n] for n in beside[each]) / len(beside[each]))
            place |= {each: (at + 0.5) / len(row) for at, each in enumerate(row)}
    return rows, paths


def _arrow(points: list[tuple[float, float]]) -> str:
    """Returns an arrow through the points, the first and last of which are middles of boxes."""
    (x, y), *between, (last_x, last_y) = points
    path = f"M{x:.1f} {y + BOX / 2:.1f}"
    y += BOX / 2
    for to_x, to_y in [*between, (last_x, last_y - BOX / 2)]:
        half = (y + to_y) / 2
        path += f"C{x:.1f} {half:.1f} {to_x:.1f} {half:.1f} {to_x:.1f} {to_y:.1f}"
        x, y = to_x, to_y
    return f'<path d="{path}" fill="none" stroke="#555" marker-end="url(#tip)"/>'


def main() -> None:
    """Makes all pictures anew."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name, draw in DRAWN.items():
        draw(PICTURES / name)
        print(f"Drew {(PICTURES / name).relative_to(ROOT)}.")


if __name__ == "__main__":
    main()
