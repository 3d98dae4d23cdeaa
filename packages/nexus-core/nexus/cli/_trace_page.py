# SPDX-License-Identifier: Apache-2.0
"""The summary of a trace as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nexus._trace_summary import StreamUse, Summary, Total
from nexus.cli._table import columns, size_text, time_text

Cell = tuple[str, Callable[[Total], str]]

_TIMES: list[Cell] = [
    ("count", lambda each: str(each.count)),
    ("total", lambda each: time_text(each.total)),
    ("mean", lambda each: time_text(each.mean)),
    ("longest", lambda each: time_text(each.longest)),
    ("share", lambda each: f"{each.share:.1%}"),
]
_RATES: list[Cell] = [
    *_TIMES[:-1],
    ("bytes", lambda each: size_text(each.copied)),
    ("rate", lambda each: f"{each.rate / 1e9:.2f} GB/s"),
]


def page(summary: Summary, top: int) -> list[str]:
    """The tables that have rows, of at most so many rows."""
    lines = [
        *_table("work of devices", summary.kernels, _TIMES, top),
        *_table("copies", summary.copies, _RATES, top),
        *_table("waits for events", summary.waits, _TIMES, top),
        *_streams(summary.streams, top),
        *_table("calls of plug-ins", summary.calls, _TIMES, top),
        *_table("ranges of the program", summary.ranges, _TIMES, top),
        *_list("not finished at the end", summary.unfinished, top),
        *_list("errors", [_error(each) for each in summary.errors], top),
    ]
    return lines or ["The trace holds no work."]


def _table(title: str, totals: Sequence[Total], cells: Sequence[Cell], top: int) -> list[str]:
    if not totals:
        return []
    rows = [[title, *(name for name, _ in cells)]]
    rows += [[each.name, *(text(each) for _, text in cells)] for each in totals[:top]]
    return [*_aligned(rows), *_more(len(totals), top), ""]


def _streams(streams: Sequence[StreamUse], top: int) -> list[str]:
    if not streams:
        return []
    rows = [["streams", "count", "busy", "idle"]]
    rows += [
        [f"{each.device}, {each.stream}", str(each.count), time_text(each.busy), f"{each.idle:.1%}"]
        for each in streams[:top]
    ]
    told = sorted({f"{each.device}: {each.times}" for each in streams})
    return [*_aligned(rows), *_more(len(streams), top), *(f"  {each}" for each in told), ""]


def _list(title: str, texts: Sequence[str], top: int) -> list[str]:
    if not texts:
        return []
    return [title, *(f"  {text}" for text in texts[:top]), *_more(len(texts), top), ""]


def _more(count: int, top: int) -> list[str]:
    return [f"  and {count - top} more"] if count > top else []


def _error(details: dict[str, object]) -> str:
    status = str(details["status"])
    if "cause" in details:
        return f"{status}: {details['cause']}"
    return f"{details.get('function', '')}: {status}"


def _aligned(rows: list[list[str]]) -> list[str]:
    """Names to the left, numbers to the right; the first row is the heading."""
    widths = [max(len(row[at]) for row in rows) for at in range(1, len(rows[0]))]
    return columns(
        [
            [row[0], *(cell.rjust(width) for cell, width in zip(row[1:], widths, strict=True))]
            for row in rows
        ],
        indent="",
    )
