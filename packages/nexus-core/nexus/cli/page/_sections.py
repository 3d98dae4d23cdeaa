# SPDX-License-Identifier: Apache-2.0
"""The sections of a page about a device: cores, limits, kernels, power, links and the rest."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import RenderableType

from nexus._units import clock_text, counted, decimal_text, lengths_text, list_text, value_text
from nexus.cli._console import Rows, section
from nexus.cli.page._memory_section import memory
from nexus.cli.page._page import Field, Page, Parts, Path, joined
from nexus.cli.page._rates_section import rates

_CORES = (
    Field("Cores", ("CoreSubsystem/Count", "CoreCount", "Count")),
    Field("Threads", ("CoreSubsystem/ThreadCount", "ThreadCount")),
    Field("Threads per core", ("CoreSubsystem/ThreadsPerCore", "ThreadsPerCore")),
    Field("Sockets", ("SocketCount",)),
    Field("NUMA nodes", ("NumaNodeCount",)),
    Field("Usable here", ("UsableThreadCount",), lambda count: counted(count, "thread")),
    Field("Processor time", ("ProcessorTimeLimit",), lambda most: f"at most {most:g} threads'"),
    Field("SIMD width", ("CoreSubsystem/SIMDSize", "SIMDSize"), lambda n: f"{n} x 32 bit"),
    Field("SIMD widths", ("CoreSubsystem/SIMDSizes",), list_text),
    Field("Base clock", ("CoreSubsystem/BaseClock", "BaseClock")),
    Field("Highest clock", ("CoreSubsystem/MaxClock", "CoreClockRate")),
)
_LIMITS = tuple(
    Field(label, (f"Limits/{key}", key), text)
    for label, key, text in (
        ("Work items per group", "MaxThreadsPerBlock", str),
        ("Group in x, y, z", "MaxGroupSize", lengths_text),
        ("Groups in x, y, z", "MaxGridSize", lengths_text),
        ("Group's local memory", "MaxThreadgroupMemorySize", None),
        ("Work items per core", "MaxThreadsPerCore", str),
        ("Subgroups per core", "MaxSubgroupsPerCore", str),
        ("Groups per core", "MaxThreadgroupsPerCore", str),
        ("Groups per cluster", "MaxClusterSize", str),
        ("Registers per item", "MaxRegistersPerThread", str),
        ("Registers per group", "MaxRegistersPerBlock", str),
        ("Arguments", "MaxArguments", str),
        ("Bytes of arguments", "MaxArgumentSize", None),
        ("Constant memory", "MaxConstantMemorySize", None),
        ("Memory per item", "MaxPrivateMemorySize", None),
        ("Buffer", "MaxBufferSize", None),
    )
)
_KERNELS = (
    Field("Languages", ("Languages",)),
    Field("Compiler", ("Compiler",)),
    Field("LLVM target", ("KernelModel/LLVMTarget",)),
    Field("Triple", ("KernelModel/Triple",)),
    Field("Processor", ("KernelModel/Processor",)),
    Field("Data types", ("DataTypes",)),
)
_FEATURES = (
    Field("Vectors", ("VectorExtensions",)),
    Field("Matrices", ("MatrixExtensions",)),
)
_POWER = (
    Field("Highest", ("Power/MaxPower", "MaxPower")),
    Field("Lowest limit", ("Power/MinPower",)),
    Field("Limit", ("PowerLimit",)),
    Field("Highest temperature", ("Power/MaxTemperature",)),
)
_HARDWARE = {
    "Matrix": "Matrices",
    "RayTracing": "Ray tracing",
    "VideoEncode": "Video encoding",
    "VideoDecode": "Video decoding",
    "NeuralEngine": "Neural networks",
}
_UNIT: Parts = (
    ("SIMDSize", lambda lanes: f"{lanes} x 32 bit"),
    ("ThreadsPerCore", lambda count: f"{counted(count, 'thread')} each"),
    ("BaseClock", lambda clock: f"base {clock_text(clock)}"),
    ("MaxClock", lambda clock: f"up to {clock_text(clock)}"),
    ("TotalCount", lambda count: f"{count} in all"),
    ("Architecture", str),
)
_EXPRESS: Parts = (
    ("Generation", lambda number: f"generation {number}"),
    ("Lanes", lambda count: counted(count, "lane")),
    ("Bandwidth", lambda rate: decimal_text(rate, "B/s")),
)
_LINK: Parts = (
    ("Generation", lambda number: f"generation {number}"),
    ("Count", lambda count: counted(count, "link")),
    ("Bandwidth", lambda rate: decimal_text(rate, "B/s")),
)


def device_sections(page: Page) -> list[RenderableType]:
    """Returns all sections that are not empty, in the order of a page."""
    return [
        *section("Cores", _cores(page)),
        *section("Memory", memory(page)),
        *section("Limits", page.fields(*_LIMITS)),
        *section("Kernels", [*page.fields(*_KERNELS), *_models(page)]),
        *section("Features", _features(page)),
        *section("Special hardware", _hardware(page)),
        *section("Peak rates", *rates(page)),
        *section("Power", page.fields(*_POWER)),
        *section("Links", _links(page)),
    ]


def _cores(page: Page) -> Rows:
    """Returns the cores, the parts that contain them and the parts that they contain."""
    kind = Field("Core type", ("CoreSubsystem/SubUnitType", "SubUnitType"))
    said = [page.get("CoreSubsystem", "SubUnitType"), page.get("SubUnitType")]
    is_plain = all(word in (None, "Core") for word in said)
    rows = [*(() if is_plain else page.fields(kind)), *page.fields(*_CORES)]
    parents = list(page.entries("CoreSubsystem", "ParentUnits"))
    if parents:
        rows.append(("Located in", ", ".join(_unit(page, path) for path in parents)))
    return [*rows, *_units(page)]


def rest(page: Page, wanted: Callable[[Path], bool]) -> Rows:
    """Returns the values that no section shows, such as a vendor's own properties."""
    rows: Rows = []
    for path in list(page.untold()):
        if wanted(path) and not page.is_computed(path):
            rows.append((page.words(path), page.cell(path, lambda v: value_text("", v))))
    return rows


def _units(page: Page) -> Rows:
    """Returns the units: those without parts in one row, the others in rows of their own."""
    plain: list[tuple[str, str]] = []
    rows: Rows = []
    for path in page.entries("CoreSubsystem", "Units"):
        name, count = page.get(*path, "Name"), page.get(*path, "Count")
        if count is not None and set(page.get(*path)) == {"Name", "Count"}:
            plain.append((f"{count} {name}", page.mark(*path, "Count")))
        else:
            rows.append(("" if rows else "Units", _unit(page, path)))
    if plain:
        rows.append(("" if rows else "Units", joined(plain)))
    return rows


def _unit(page: Page, path: Path) -> str:
    """Returns a text such as '4 Tensor Core', and the parts of one."""
    name = str(page.get(*path, "Name"))
    count = page.get(*path, "Count")
    head = name if count is None else f"{count} {name}{page.mark(*path, 'Count')}"
    inner = [page.parts(path, _UNIT), *(_unit(page, each) for each in page.entries(*path, "Units"))]
    told = ", ".join(filter(None, inner))
    return f"{head} ({told})" if told else head


def _features(page: Page) -> Rows:
    """Returns the features for vectors, those for matrices, and the others."""
    rows = page.fields(*_FEATURES)
    told = {*_texts(page.get("VectorExtensions")), *_texts(page.get("MatrixExtensions"))}

    def others(listed: list[str] | str) -> str:
        names = listed.split(",") if isinstance(listed, str) else listed
        return list_text([name for name in names if name not in told]) or "none"

    label = "Others" if rows else "All"
    return [*rows, *page.fields(Field(label, ("KernelModel/Features", "Features"), others))]


def _texts(value: object) -> list[str]:
    """Returns the texts in a list, which may hold other things too."""
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def _models(page: Page) -> Rows:
    plain: list[tuple[str, str]] = []
    rows: Rows = []
    for path in page.entries("KernelModel", "Models"):
        name = str(page.get(*path, "Name"))
        told = page.parts(
            path,
            (
                ("Version", str),
                ("MinToolkit", lambda version: f"compilers from {version}"),
                ("MaxToolkit", lambda version: f"to {version}"),
            ),
        )
        if told:
            rows.append((name, told))
        else:
            plain.append((name, page.mark(*path)))
    if plain:
        rows.append(("Models", joined(plain)))
    return rows


def _hardware(page: Page) -> Rows:
    rows: Rows = []
    for key, label in _HARDWARE.items():
        told = page.parts(
            ("SpecializedHardware", key),
            (
                ("Name", str),
                ("Generation", lambda number: f"generation {number}"),
                ("PerCore", lambda count: f"{count} a core"),
                ("Count", lambda count: f"{count} in all"),
                ("DataTypes", list_text),
                ("Codecs", list_text),
            ),
        )
        rows += [(label, told)] if told else []
    return rows


def _links(page: Page) -> Rows:
    told = page.parts(("PCIExpress",), _EXPRESS)
    rows: Rows = [("PCI Express", told)] if told else []
    for path in page.entries("MultiDeviceLinks"):
        rows.append((str(page.get(*path, "Name")), page.parts(path, _LINK)))
    return rows
