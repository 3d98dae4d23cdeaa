# SPDX-License-Identifier: Apache-2.0
"""Draws a trace as a timeline in SVG, which needs no script."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import NamedTuple

from nexus._trace._file import Slice, Trace
from nexus._units import size_text, time_text

_WIDTH, _LABELS, _LANE, _GAP = 960, 170, 18, 6  # pixels
_LETTER = 6.7  # pixels, of the monospace font in its size
_MOST_TRACKS = 30
_MOST_LANES = 8  # of nested slices in a track
_NARROW, _LEAST_GAP = 1.0, 0.5  # pixels; narrower slices with less between them are drawn as one
_TICKS = 8
_MOST_LETTERS = 200  # of a line of a tooltip

# Colours that colour-blind people can tell apart, dark enough for white text.
_COLOURS = {
    "kernel": "#0b5394", "schedule": "#00747c", "copy": "#c04f15", "fill": "#1e7b34",
    "map": "#8a6d00", "wait": "#777777", "range": "#555555", "call": "#7b2d8b",
}  # fmt: skip
_OTHER = "#b3123e"


@dataclass
class _Box:
    """A slice, or several narrow ones of a category, drawn as one rectangle."""

    slices: list[Slice]
    left: float
    right: float
    is_narrow: bool


class _Track(NamedTuple):
    """A thread or stream: slices in lanes, each nested in a slice of the lane above."""

    name: str
    lanes: list[list[_Box]]


def window(trace: Trace) -> tuple[float, float]:
    """Returns the times that are drawn, in microseconds: those of the devices' work, or of all
    slices if there is no work."""
    drawn = trace.work or [*trace.ranges, *trace.calls]
    if not drawn:
        return 0.0, 0.0
    return min(each.begin for each in drawn), max(each.end for each in drawn)


def svg(trace: Trace) -> str:
    """Returns the picture; an empty text if the trace has nothing to draw.

    The picture begins with the first work of a device and ends with the last. A slice has its
    name, times and details as a tooltip.
    """
    begin, end = window(trace)
    if end <= begin:
        return ""
    groups, left_out = _groups(trace, begin, end)
    parts: list[str] = []
    y = float(_LANE)
    for process, tracks in groups:
        parts.append(_text(0, y, _cut(process, (_WIDTH - 10) / _LETTER), 'font-weight="bold"'))
        y += _LANE
        for track in tracks:
            parts.append(_text(8, y, _cut(track.name, (_LABELS - 16) / _LETTER)))
            for lane in track.lanes:
                parts += (_box(each, y, begin) for each in lane)
                y += _LANE
            y += _GAP
    if left_out:
        parts.append(_text(8, y, f"and {left_out} more tracks"))
        y += _LANE
    axis = _axis(end - begin, y)
    legend = _legend({each.category for each in _slices(trace)}, y + 2 * _LANE)
    height = y + 3 * _LANE
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height:.0f}" '
        f'viewBox="0 0 {_WIDTH} {height:.0f}" font-family="monospace" font-size="11" '
        'fill="currentColor">'
    )
    return "\n".join([head, *axis, *parts, *legend, "</svg>"])


def _slices(trace: Trace) -> Iterator[Slice]:
    yield from trace.ranges
    yield from trace.calls
    yield from trace.work


def _groups(trace: Trace, begin: float, end: float) -> tuple[list[tuple[str, list[_Track]]], int]:
    """Returns the tracks by process, the program's first, and the number of those left out."""
    by_track: dict[tuple[int, int], list[Slice]] = defaultdict(list)
    for each in _slices(trace):
        if each.end >= begin and each.begin <= end:
            by_track[each.track].append(each)
    of_devices = {each.track[0] for each in trace.work}
    ordered = sorted(by_track, key=lambda track: (track[0] in of_devices, track))
    scale = (_WIDTH - _LABELS) / (end - begin)
    groups = [
        (
            trace.processes.get(process, f"process {process}"),
            [
                _Track(trace.tracks.get(track, ""), _lanes(by_track[track], begin, end, scale))
                for track in tracks
            ],
        )
        for process, tracks in groupby(ordered[:_MOST_TRACKS], key=lambda track: track[0])
    ]
    return groups, max(len(ordered) - _MOST_TRACKS, 0)


def _lanes(slices: list[Slice], begin: float, end: float, scale: float) -> list[list[_Box]]:
    lanes: list[list[_Box]] = []
    open_ends: list[float] = []  # the ends of the slices that contain the next one
    for each in sorted(slices, key=lambda each: (each.begin, -each.end)):
        while open_ends and open_ends[-1] <= each.begin + 1e-6:
            open_ends.pop()
        depth = len(open_ends)
        open_ends.append(each.end)
        if depth >= _MOST_LANES:
            continue
        if depth == len(lanes):
            lanes.append([])
        left = _LABELS + (max(each.begin, begin) - begin) * scale
        right = _LABELS + (min(each.end, end) - begin) * scale
        box = _Box([each], left, right, is_narrow=right - left < _NARROW)
        last = lanes[depth][-1] if lanes[depth] else box
        if last is not box and _are_one(last, box):
            last.slices.append(each)
            last.right = max(last.right, right)
        else:
            lanes[depth].append(box)
    return lanes


def _are_one(last: _Box, box: _Box) -> bool:
    """Returns whether two boxes of a lane can't be told apart, so that few rectangles are drawn."""
    are_narrow = last.is_narrow and box.is_narrow and box.left - last.right < _LEAST_GAP
    return are_narrow and last.slices[0].category == box.slices[0].category


def _box(box: _Box, y: float, begin: float) -> str:
    first = box.slices[0]
    width = max(box.right - box.left, 0.5)
    colour = _COLOURS.get(first.category, _OTHER)
    rectangle = (
        f'<rect x="{box.left:.2f}" y="{y:.0f}" width="{width:.2f}" height="{_LANE - 2}" '
        f'fill="{colour}" stroke="white" stroke-width="{0.5 if width > 2 else 0}"/>'
    )
    text = ""
    if len(box.slices) == 1 and width > 4 * _LETTER:
        name = _cut(first.name, (width - 6) / _LETTER)
        text = _text(box.left + 3, y, name, 'fill="white"')
    return f"<g><title>{_clean(_tooltip(box, begin))}</title>{rectangle}{text}</g>"


def _tooltip(box: _Box, begin: float) -> str:
    first = box.slices[0]
    if len(box.slices) > 1:
        names = dict.fromkeys(each.name for each in box.slices)
        total = sum(each.duration for each in box.slices)
        some = ", ".join(list(names)[:5])
        return f"{len(box.slices)} times {first.category}: {some}\n{time_text(total / 1e6)} in all"
    lines = [first.name, f"{time_text(first.duration / 1e6)} {first.category}"]
    lines.append(f"at {time_text(max(first.begin - begin, 0) / 1e6)}")
    for key, value in first.details.items():
        shown = size_text(value) if key in ("bytes", "copied") and _is_number(value) else value
        lines.append(f"{key}: {shown}"[:_MOST_LETTERS])
    return "\n".join(lines)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float))


def _axis(span: float, y: float) -> Iterator[str]:
    """Returns lines at round times, with their labels below."""
    step = _round_step(span / _TICKS)
    for number in range(int(span / step) + 1):
        x = _LABELS + number * step * (_WIDTH - _LABELS) / span
        anchor = "end" if x > _WIDTH - 30 else "middle"
        yield f'<path d="M{x:.1f} {_LANE}V{y:.0f}" stroke="currentColor" stroke-opacity="0.15"/>'
        yield _text(x, y, _tick(number * step, span), f'text-anchor="{anchor}"')


def _round_step(least: float) -> float:
    """Returns the smallest of 1, 2 and 5 times a power of ten that is at least `least`."""
    power = 10.0 ** (len(f"{int(least)}") - 1) if least >= 1 else 10.0**-3
    while True:
        for factor in (1, 2, 5):
            if factor * power >= least:
                return factor * power
        power *= 10


def _tick(microseconds: float, span: float) -> str:
    """Returns a time in the unit that fits the whole span."""
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if span >= size:
            return f"{microseconds / size:g} {unit}"
    return f"{microseconds:g} us"


def _legend(categories: set[str], y: float) -> Iterator[str]:
    x = float(_LABELS)
    for name in [*_COLOURS, *sorted(categories - _COLOURS.keys())]:
        if name in categories:
            colour = _COLOURS.get(name, _OTHER)
            yield f'<rect x="{x:.0f}" y="{y + 3:.0f}" width="11" height="11" fill="{colour}"/>'
            yield _text(x + 16, y, _cut(name, 20))
            x += 34 + _LETTER * min(len(name), 20)


def _text(x: float, y: float, words: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y + 12:.0f}" {more}>{_clean(words)}</text>'


def _cut(words: str, letters: float) -> str:
    most = int(letters)
    return words if len(words) <= most else words[: max(most - 1, 0)] + "…"


def _clean(words: str) -> str:
    """Escapes the text, and replaces characters that SVG does not allow."""
    shown = (each if each == "\n" or each.isprintable() else "?" for each in words)
    return escape("".join(shown))
