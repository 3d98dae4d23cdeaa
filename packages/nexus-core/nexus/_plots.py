# SPDX-License-Identifier: Apache-2.0
"""Figures made with matplotlib, which is imported when one is drawn."""

from __future__ import annotations

import importlib
import io
import warnings
from typing import TYPE_CHECKING, Any

from nexus._errors import NexusError
from nexus._units import decimal_text, lengths_text, size_text
from nexus.property import Property

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from nexus._property_view import PropertyView

    Row = tuple[str, float, str]  # a label, the length of its bar, and the text behind the bar

# Colours that colour-blind people can tell apart, dark enough for text on white.
COLOURS = (
    "#0b5394", "#c04f15", "#1e7b34", "#7b2d8b", "#8a6d00", "#b3123e", "#00747c", "#555555",
)  # fmt: skip
GREY = "#444444"

_WIDTH, _ROW, _AROUND = 10.0, 0.24, 0.9  # inches: the figure, a bar, and the titles
_BYTES = ("GlobalMemorySize", "CoreMemorySize", "CoreRegisterSize")  # if no memories are listed


def matplotlib(module: str = "matplotlib") -> Any:
    """Returns a module of matplotlib.

    Raises:
        NexusError: matplotlib can't be imported; the text has the command that installs it.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise NexusError(
            f"Plots need matplotlib, which can't be imported ({error}): "
            'pip install "nexus-core[plot]".'
        ) from error


def settings() -> Any:
    """Returns a context in which equal figures become equal files, with their text as text."""
    return matplotlib().rc_context(
        {"svg.fonttype": "none", "svg.hashsalt": "nexus", "font.size": 9}
    )


def saved(figure: Any, file_format: str) -> bytes:
    """Returns the bytes of a file.

    Args:
        file_format: 'svg' or 'png'.
    """
    file = io.BytesIO()
    metadata = {"Date": None} if file_format == "svg" else {"Software": None}
    with settings(), warnings.catch_warnings():
        # Names may be in any script; what the font lacks becomes a box.
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        figure.savefig(file, format=file_format, dpi=200, metadata=metadata)
    return file.getvalue()


def device(properties: PropertyView) -> Any:
    """Returns a figure of a device's memory and limits.

    Raises:
        NexusError: matplotlib can't be imported, or there is neither memory nor a limit.
    """
    base: Any = matplotlib("matplotlib.figure").Figure
    bytes_, counts = list(_memories(properties)), []
    for name, value in _limits(properties):
        known = Property.__members__.get(name)
        if known is not None and known.unit == "B":
            bytes_.append(_row(name, value, size_text(value[0])))
        elif known is not None and not known.unit:
            counts.append(_row(name, value, lengths_text(value)))
    panels = [each for each in (("Memory", bytes_), ("Limits", counts)) if each[1]]
    if not panels:
        raise NexusError(f"{properties!r} have neither memory nor limits: plot those of a device.")

    class Shown(base):  # type: ignore[misc]
        """Shows itself in a notebook, without pyplot and its list of open figures."""

        def _repr_svg_(self) -> str:
            picture = saved(self, "svg").decode()
            return picture[picture.find("<svg") :]

    height = _AROUND + _ROW * max(len(rows) for _, rows in panels)
    with settings():
        figure = Shown(figsize=(_WIDTH * len(panels) / 2, height), layout="constrained")
        figure.suptitle(
            _heading(properties), x=0.01, ha="left", fontweight="bold", parse_math=False
        )
        for axes, (title, rows) in zip(
            figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True
        ):
            _draw_bars(axes, title, rows)
    return figure


def _heading(properties: PropertyView) -> str:
    name = _clean(str(properties.get("Name", "")))
    size, used = properties.get("GlobalMemorySize"), properties.get("MemoryUsed")
    if isinstance(size, int) and isinstance(used, int):
        return f"{name}: {size_text(used)} of {size_text(size)} of memory in use"
    return name


def _memories(properties: PropertyView) -> Iterator[Row]:
    """Returns the memories and caches with a size; without such, the sizes of the device."""
    told = properties.get("MemorySubsystem")
    listed = told.get("MemoryTypes") if isinstance(told, dict) else None
    entries = [each for each in listed if isinstance(each, dict)] if listed else []
    rows = []
    for each in entries:
        size = _lengths(each.get("Size"))
        if size:
            note = [size_text(size[0]), *_bandwidth(each)]
            rows.append(_row(str(each.get("Name", "")), size, ", ".join(note)))
    if rows:
        yield from rows
        return
    for key in _BYTES:
        size = _lengths(properties.get(key))
        if size:
            yield _row(key, size, size_text(size[0]))


def _bandwidth(entry: Mapping[str, Any]) -> list[str]:
    rate = _lengths(entry.get("Bandwidth"))
    return [decimal_text(rate[0], "B/s")] if rate else []


def _limits(properties: PropertyView) -> Iterator[tuple[str, list[int]]]:
    """Returns the limits with their lengths in x, y and z, or their only value."""
    told = properties.get("Limits")
    found = dict(told) if isinstance(told, dict) else {}
    found |= {key: properties.get(key) for key in properties if key.startswith("Max")}
    for name, value in sorted(found.items()):
        lengths = _lengths(value)
        if lengths:
            yield name, lengths


def _lengths(value: object) -> list[int]:
    """Returns a positive integer, or a list of such, as a list; [] if it is something else."""
    values: list[Any] = list(value) if isinstance(value, (list, tuple)) else [value]
    whole = all(isinstance(each, int) and each > 0 for each in values)
    return values if whole else []


def _row(name: str, lengths: Sequence[int], text: str) -> Row:
    return _clean(name), float(max(lengths)), text


def _clean(text: str) -> str:
    return "".join(each if each.isprintable() else "?" for each in text)


def _draw_bars(axes: Any, title: str, rows: Sequence[Row]) -> None:
    labels, lengths, texts = zip(*rows, strict=True)
    axes.set_title(f"{title}, on a logarithmic scale", loc="left", fontsize=9)
    axes.set_xscale("log")
    axes.set_xlim(min(lengths) / 10, max(lengths) * 10)
    bars = axes.barh(range(len(rows)), lengths, height=0.7, color=COLOURS[0])
    axes.bar_label(bars, texts, padding=3, fontsize=8, color=GREY, parse_math=False)
    axes.set_yticks(range(len(rows)), labels, parse_math=False)
    axes.invert_yaxis()
    axes.xaxis.set_visible(False)
    axes.tick_params(axis="y", length=0, labelcolor=GREY)
    for side in ("top", "right", "bottom"):
        axes.spines[side].set_visible(False)
    axes.spines["left"].set_color("#999999")
