# SPDX-License-Identifier: Apache-2.0
"""The page of `nexus info cpu:0`: everything known about a device of this machine."""

from __future__ import annotations

from pathlib import PurePath

from rich.console import RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

import nexus
from nexus._units import count_text, size_text
from nexus.cli._console import Rows, heading, section, sentence, table
from nexus.cli.page._citations import Marker, Numbers, Star
from nexus.cli.page._page import Field, Page, Path
from nexus.cli.page._sections import device_sections, rest

_PLACE = (
    Field("Location", ("Location",)),
    Field("PCI address", ("PCIAddress",)),
    Field("PCI numbers", ("PCIVendorID",), lambda number: f"vendor {number:#06x}"),
    Field("", ("PCIDeviceID",), lambda number: f"device {number:#06x}"),
    Field("NUMA node", ("NumaNode",)),
    Field("UUID", ("UUID",)),
)
_SOFTWARE = (
    Field("Version", ("Version",)),
    Field("Driver", ("DriverVersion",)),
    Field("Compute capability", ("ComputeCapability",)),
)
_CHIP = (
    Field("First sold", ("ReleaseYear",)),
    Field("Process", ("FabricationProcess",)),
    Field("Transistors", ("TransistorCount",), count_text),
    Field("Die", ("DieSize",)),
)
_NOW = (
    Field("Clock", ("CurrentClock",)),
    Field("Memory clock", ("CurrentMemoryClock",)),
    Field("Temperature", ("Temperature",)),
    Field("Power", ("PowerDraw",)),
    Field("Fan", ("FanSpeed",)),
    Field("Memory bus busy", ("MemoryBusUtilization",)),
    Field("Memory errors", ("CorrectedMemoryErrors",), lambda number: f"{number} corrected"),
    Field("", ("UncorrectedMemoryErrors",), lambda number: f"{number} not corrected"),
    Field("PCI Express link", ("CurrentLinkGeneration",), lambda number: f"generation {number}"),
    Field("", ("CurrentLinkWidth",), lambda number: f"{number} lanes"),
)
# Values that other rows already show in another form.
_TOLD_OTHERWISE = frozenset(
    {
        "Keys", "ID", "Sources", "Variants", "DeviceNames", "Aliases", "Description", "Count",
        "Type", "SubUnits", "MajorVersion", "MinorVersion", "GlobalMemorySize", "CoreMemorySize",
        "CoreRegisterSize", "CacheLineSize", "MaxThreadsPerThreadgroup", "MemoryUtilization",
        "MemoryBandwidth", "MemoryBusWidth", "MemoryClockRate",
    }
)  # fmt: skip
# Long values for programs.
_ONLY_IN_JSON: tuple[Path, ...] = (
    ("MemorySubsystem", "SupportedMemoryTypes"),
    ("Extensions", "CUDA", "Attributes"),
)


def page_of(device: nexus.Device, *, sources: bool) -> list[RenderableType]:
    """Returns the page in parts for nexus.cli._console.show.

    Args:
        sources: numbers the sources of values and lists them; otherwise a star marks values of
            the device file.
    """
    numbers, star = Numbers(), Star()
    marker: Marker = numbers if sources else star
    page = Page(device.get_info(), marker)
    headline = _headline(page, device.selector)
    sections = [
        *device_sections(page),
        *section("Now", live_rows(page)),
        *section("Chip", page.fields(*_CHIP)),
        *section("Software", page.fields(*_SOFTWARE)),
        *section("Location", page.fields(*_PLACE)),
        *section("More", rest(page, _is_of_interest)),
    ]
    file = PurePath(_file_of(device)).name
    if sources:
        sections += section("Sources", *numbers.citations())
        return [*headline, _origin(file, "a number"), *sections]
    return [*headline, _origin(file if star.is_used else "", "*"), *sections]


def _origin(file: str, mark: str) -> Text:
    """Returns the line that names the sources of the page's values."""
    if not file:
        return sentence("All values are the device's own.")
    hint = " (--sources lists its documents)" if mark == "*" else ""
    text = f"Values with {mark} come from {file}{hint}, the others from the device itself."
    return sentence(text)


def _headline(page: Page, selector: str) -> list[RenderableType]:
    name = page.cell(("Name",)) or selector
    parts = [page.cell((key,)) for key in ("Vendor", "Type", "Architecture")]
    numbers = [
        f"{key.lower()} {page.get(key)}"
        for key in ("Family", "Model", "Stepping")
        if page.get(key) is not None
    ]
    second = ", ".join(filter(None, [*parts, *numbers]))
    description = page.cell(("Description",))
    told = [description] if description else []
    return [table([(heading(name), selector)], indented=False), second, *told]


def live_rows(page: Page) -> Rows:
    """Returns the rows of live values, such as the memory in use and the temperature."""
    busy = page.get("CoreUtilization")
    rows: Rows = [] if busy is None else [("Cores busy", _bar(busy, f"{busy} %"))]
    return [*rows, *_memory_now(page), *page.fields(*_NOW)]


def _memory_now(page: Page) -> Rows:
    used, free = page.get("GlobalMemoryUsed"), page.get("GlobalMemoryFree")
    size = page.get("GlobalMemorySize")
    if used is None and free is not None and size is not None:
        used = size - free
    if used is None:
        return [] if free is None else [("Memory free", size_text(free))]
    if size is None and free is not None:
        size = used + free
    if not size:
        return [("Memory used", size_text(used))]
    return [("Memory used", _bar(100 * used / size, f"{size_text(used)} of {size_text(size)}"))]


def _bar(percent: float, text: str) -> Table:
    bar = ProgressBar(completed=percent, width=20, complete_style="bold", finished_style="bold")
    return table([(bar, text)], indented=False)


def _file_of(device: nexus.Device) -> str:
    try:
        return nexus.lookup_device_info(device).source(["Architecture"]).file
    except ValueError:  # the device has none
        return ""


def _is_of_interest(path: Path) -> bool:
    return path[0] not in _TOLD_OTHERWISE and not any(
        path[: len(whole)] == whole for whole in _ONLY_IN_JSON
    )
