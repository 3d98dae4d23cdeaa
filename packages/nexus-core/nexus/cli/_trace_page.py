# SPDX-License-Identifier: Apache-2.0
"""The tables of `nexus trace`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.console import RenderableType

from nexus._trace._summary import StreamUse, Summary, Total
from nexus._units import size_text, time_text
from nexus.cli._console import heading, table

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


def page(summary: Summary, top: int) -> list[RenderableType]:
    """Returns the tables that are not empty, with at most `top` rows each."""
    parts = [
        *_table("work of devices", summary.kernels, _TIMES, top),
        *_table("copies", summary.copies, _RATES, top),
        *_table("waits for events", summary.waits, _TIMES, top),
        *_streams(summary.streams, top),
        *_table("calls of plug-ins", summary.calls, _TIMES, top),
        *_table("ranges of the program", summary.ranges, _TIMES, top),
        *_list("not finished at the end", summary.unfinished, top),
        *_list("errors", [_error(each) for each in summary.errors], top),
    ]
    return parts or ["The trace contains no work."]


def _table(
    title: str, totals: Sequence[Total], cells: Sequence[Cell], top: int
) -> list[RenderableType]:
    rows = [[each.name, *(text(each) for _, text in cells)] for each in totals[:top]]
    return _numbers([title, *(name for name, _ in cells)], rows, len(totals), top)


def _streams(streams: Sequence[StreamUse], top: int) -> list[RenderableType]:
    rows = [
        [f"{each.device}, {each.stream}", str(each.count), time_text(each.busy), f"{each.idle:.1%}"]
        for each in streams[:top]
    ]
    told = sorted({f"  {each.device}: {each.times}" for each in streams})
    return _numbers(["streams", "count", "busy", "idle"], rows, len(streams), top, *told)


def _numbers(
    head: list[str], rows: list[list[str]], count: int, top: int, *below: str
) -> list[RenderableType]:
    if not rows:
        return []
    return [table(rows, head, indented=False, numbers=True), *_more(count, top), *below, ""]


def _list(title: str, texts: Sequence[str], top: int) -> list[RenderableType]:
    if not texts:
        return []
    return [heading(title), *(f"  {text}" for text in texts[:top]), *_more(len(texts), top), ""]


def _more(count: int, top: int) -> list[str]:
    return [f"  and {count - top} more"] if count > top else []


def _error(details: dict[str, object]) -> str:
    status = str(details["status"])
    if "cause" in details:
        return f"{status}: {details['cause']}"
    return f"{details.get('function', '')}: {status}"
