# SPDX-License-Identifier: Apache-2.0
"""The memories and caches of a device, one row each."""

from __future__ import annotations

from nexus._units import clock_text, counted, decimal_text, size_text
from nexus.cli._console import Rows
from nexus.cli.page._page import Field, Page, Parts, Path

_BELOW = (
    Field("With the host", ("MemorySubsystem/UnifiedMemory", "UnifiedMemory"),
          lambda shared: "shared" if shared else "apart"),
    Field("Page", ("PageSize",)),
    Field("Limit of the process", ("MemoryLimit",)),
    Field("Alignment of buffers", ("BufferAlignment",)),
    Field("Alignment of slices", ("BufferOffsetAlignment",)),
)  # fmt: skip
# For a device that lists no memories.
_ALONE = (
    Field("Size", ("GlobalMemorySize",)),
    Field("Bandwidth", ("MemoryBandwidth",)),
    Field("Bus", ("MemoryBusWidth",)),
    Field("Clock", ("MemoryClockRate",)),
    Field("Cache line", ("CacheLineSize",)),
    Field("Memory per core", ("CoreMemorySize",)),
    Field("Registers per core", ("CoreRegisterSize",)),
)
# Names that already state the kind.
_PLAIN_KINDS = {"Global": "memory", "Local": "scratchpad", "Registers": "registers"}
_PARTS: Parts = (
    ("Size", size_text),
    ("MaxSize", lambda most: f"at most {size_text(most)}"),
    ("Technology", str),
    ("Count", lambda count: "" if count == 1 else f"{count} of them"),
    ("TotalSize", lambda size: f"{size_text(size)} in all"),
    ("LineSize", lambda size: f"lines of {size_text(size)}"),
    ("Ways", lambda count: f"{count} ways"),
    ("SharedBy", lambda unit: f"shared by {unit}"),
    ("ThreadsSharing", lambda count: f"{counted(count, 'thread')} each"),
    ("Channels", lambda count: counted(count, "channel")),
    ("BusWidth", lambda width: f"{width} bit wide"),
    ("ClockRate", clock_text),
    ("TransferRate", lambda rate: f"{rate:g} MT/s"),
    ("Bandwidth", lambda rate: decimal_text(rate, "B/s")),
    ("BytesPerClock", lambda size: f"{size} B/cycle"),
    ("Latency", lambda cycles: f"{cycles} cycles"),
    ("Banks", lambda count: f"{count} banks"),
    ("ECC", lambda corrects: "ECC" if corrects else "no ECC"),
)


def memory(page: Page) -> Rows:
    """Returns the rows of each memory, and of all memories together."""
    rows: Rows = []
    for path in page.entries("MemorySubsystem", "MemoryTypes"):
        name = str(page.get(*path, "Name"))
        told = page.parts(path, (*_kind(page, path), *_PARTS))
        rows += [(name, told)] if told else []
    return [*(rows or page.fields(*_ALONE)), *page.fields(*_BELOW)]


def _kind(page: Page, path: Path) -> Parts:
    """Returns the kind, if the name does not state it."""
    name, kind = page.get(*path, "Name"), page.get(*path, "Kind")
    is_plain = kind == _PLAIN_KINDS.get(str(name), "cache") or str(kind) in str(name).lower()
    return () if is_plain else (("Kind", str),)
