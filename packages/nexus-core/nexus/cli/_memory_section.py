# SPDX-License-Identifier: Apache-2.0
"""The memories and caches of a device as a table of levels."""

from __future__ import annotations

from collections.abc import Iterable

from nexus.cli._console import width, wrapped
from nexus.cli._page import Field, Page, Parts, Path, table
from nexus.cli._table import size_text
from nexus.cli._units import clock_text, decimal_text

# What the table has columns for, where the terminal is wide enough for them.
_COLUMNS = {
    "Size": "size", "Count": "count", "TotalSize": "in all", "LineSize": "line", "Ways": "ways",
    "SharedBy": "shared by",
}  # fmt: skip
# Which goes below the row first where it is not.
_NARROWER = ("TotalSize", "Count", "Ways", "LineSize", "SharedBy")
_BELOW = (
    Field("With the host", ("MemorySubsystem/UnifiedMemory", "UnifiedMemory"),
          lambda shared: "shared" if shared else "apart"),
    Field("Page", ("PageSize",)),
    Field("Limit of the process", ("MemoryLimit",)),
    Field("Alignment of buffers", ("BufferAlignment",)),
    Field("Alignment of slices", ("BufferOffsetAlignment",)),
)  # fmt: skip
# Of a device that tells no levels.
_ALONE = (
    Field("Size", ("GlobalMemorySize",)),
    Field("Bandwidth", ("MemoryBandwidth",)),
    Field("Bus", ("MemoryBusWidth",)),
    Field("Clock", ("MemoryClockRate",)),
    Field("Cache line", ("CacheLineSize",)),
    Field("Memory of a core", ("CoreMemorySize",)),
    Field("Registers of a core", ("CoreRegisterSize",)),
)
# What a name says of the kind by itself.
_PLAIN_KINDS = {"Global": "memory", "Local": "scratchpad", "Registers": "registers"}
_MORE: Parts = (
    ("Technology", str),
    ("Count", lambda count: f"{count} of them"),
    ("TotalSize", lambda size: f"{size_text(size)} in all"),
    ("LineSize", lambda size: f"lines of {size_text(size)}"),
    ("Ways", lambda count: f"{count} ways"),
    ("SharedBy", lambda unit: f"shared by {unit}"),
    ("ThreadsSharing", lambda count: f"shared by {_threads(count)}"),
    ("Channels", lambda count: f"{count} channel{'' if count == 1 else 's'}"),
    ("BusWidth", lambda width: f"{width} bit wide"),
    ("ClockRate", clock_text),
    ("TransferRate", lambda rate: f"{rate:g} MT/s"),
    ("Bandwidth", lambda rate: decimal_text(rate, "B/s")),
    ("BytesPerClock", lambda size: f"{size} B/cycle"),
    ("Latency", lambda cycles: f"{cycles} cycles"),
    ("Banks", lambda count: f"{count} banks"),
    ("ECC", lambda corrects: "ECC" if corrects else "no ECC"),
)


def _told(page: Page, path: Path) -> bool:
    """Whether more than the Name is known of a memory."""
    page.get(*path, "Name")
    return len(page.get(*path)) > 1


def memory(page: Page) -> list[str]:
    """A row for each memory, with what fits no column below it, and what is said of all."""
    paths = [path for path in page.entries("MemorySubsystem", "MemoryTypes") if _told(page, path)]
    keys, rows = _rows(page, paths) if paths else (_COLUMNS, [])
    lines = rows[:1]
    for path, row in zip(paths, rows[1:], strict=True):
        lines.append(row)
        below = tuple(part for part in _MORE if part[0] not in _told_by(keys))
        more = page.parts(path, (*_kind(page, path), *below))
        if more:
            lines += wrapped(more, "      ")
    shown = [line for line in lines if line.strip()] or page.fields(_ALONE)
    return [*shown, *page.fields(_BELOW)]


def _rows(page: Page, paths: list[Path]) -> tuple[dict[str, str], list[str]]:
    """The columns, without those for which the terminal is too narrow, and the lines."""
    keys = dict(_COLUMNS)
    for narrower in (None, *_NARROWER):
        keys.pop(narrower or "", None)
        rows = table([("", *keys.values()), *(_row(page, path, keys) for path in paths)])
        if max(map(len, rows)) <= width():
            break
    return keys, rows


def _told_by(keys: Iterable[str]) -> set[str]:
    return {*keys, *(["ThreadsSharing"] if "SharedBy" in keys else [])}


def _row(page: Page, path: Path, keys: Iterable[str]) -> tuple[str, ...]:
    name = str(page.get(*path, "Name"))
    return (name, *(_cell(page, path, key) for key in keys))


def _cell(page: Page, path: Path, key: str) -> str:
    if key == "Size":
        most = page.cell((*path, "MaxSize"), lambda most: f"≤ {size_text(most)}")
        return ", ".join(filter(None, (page.cell((*path, key), size_text), most)))
    if key == "SharedBy":
        threads = page.get(*path, "ThreadsSharing")
        shown = page.cell((*path, key))
        if shown and (threads is None or threads == 1):
            return shown
        return ", ".join(filter(None, (shown, page.cell((*path, "ThreadsSharing"), _threads))))
    return page.cell((*path, key))


def _threads(count: int) -> str:
    return f"{count} thread{'' if count == 1 else 's'}"


def _kind(page: Page, path: Path) -> Parts:
    """The kind, where the name does not say it."""
    name, kind = page.get(*path, "Name"), page.get(*path, "Kind")
    is_plain = kind == _PLAIN_KINDS.get(str(name), "cache") or str(kind) in str(name).lower()
    return () if is_plain else (("Kind", str),)
