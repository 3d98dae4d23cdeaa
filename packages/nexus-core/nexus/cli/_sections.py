# SPDX-License-Identifier: Apache-2.0
"""The sections of a page about a device: cores, limits, kernels, power, links and the rest."""

from __future__ import annotations

from collections.abc import Callable

from nexus.cli._console import heading
from nexus.cli._memory_section import memory
from nexus.cli._page import Field, Page, Parts, Path, joined, labelled
from nexus.cli._rates_section import rates
from nexus.cli._units import clock_text, decimal_text, lengths_text, list_text, value_text

_CORES = (
    Field("Cores", ("CoreSubsystem/Count", "CoreCount", "Count")),
    Field("Threads", ("CoreSubsystem/ThreadCount", "ThreadCount")),
    Field("Threads a core", ("CoreSubsystem/ThreadsPerCore", "ThreadsPerCore")),
    Field("Sockets", ("SocketCount",)),
    Field("NUMA nodes", ("NumaNodeCount",)),
    Field("Usable here", ("UsableThreadCount",), lambda count: _counted(count, "thread")),
    Field("Processor time", ("ProcessorTimeLimit",), lambda most: f"at most {most:g} threads'"),
    Field("SIMD width", ("CoreSubsystem/SIMDSize", "SIMDSize"), lambda n: f"{n} x 32 bit"),
    Field("SIMD widths", ("CoreSubsystem/SIMDSizes",), list_text),
    Field("Base clock", ("CoreSubsystem/BaseClock", "BaseClock")),
    Field("Highest clock", ("CoreSubsystem/MaxClock", "CoreClockRate")),
)
_LIMITS = (
    ("Work items a group", "MaxThreadsPerBlock", str),
    ("Group in x, y, z", "MaxGroupSize", lengths_text),
    ("Groups in x, y, z", "MaxGridSize", lengths_text),
    ("Local memory a group", "MaxThreadgroupMemorySize", None),
    ("Work items a core", "MaxThreadsPerCore", str),
    ("Subgroups a core", "MaxSubgroupsPerCore", str),
    ("Groups a core", "MaxThreadgroupsPerCore", str),
    ("Groups a cluster", "MaxClusterSize", str),
    ("Registers an item", "MaxRegistersPerThread", str),
    ("Registers a group", "MaxRegistersPerBlock", str),
    ("Arguments", "MaxArguments", str),
    ("Bytes of arguments", "MaxArgumentSize", None),
    ("Constant memory", "MaxConstantMemorySize", None),
    ("Memory of an item", "MaxPrivateMemorySize", None),
    ("Buffer", "MaxBufferSize", None),
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
    ("ThreadsPerCore", lambda count: f"{_counted(count, 'thread')} each"),
    ("BaseClock", lambda clock: f"base {clock_text(clock)}"),
    ("MaxClock", lambda clock: f"up to {clock_text(clock)}"),
    ("TotalCount", lambda count: f"{count} in all"),
    ("Architecture", str),
)
_EXPRESS: Parts = (
    ("Generation", lambda number: f"generation {number}"),
    ("Lanes", lambda count: _counted(count, "lane")),
    ("Bandwidth", lambda rate: decimal_text(rate, "B/s")),
)
_LINK: Parts = (
    ("Generation", lambda number: f"generation {number}"),
    ("Count", lambda count: _counted(count, "link")),
    ("Bandwidth", lambda rate: decimal_text(rate, "B/s")),
)


def device_sections(page: Page) -> list[str]:
    """All sections that a device has something for, in the order of a page."""
    sections = (
        ("Cores", _cores(page)),
        ("Memory", memory(page)),
        ("Limits", _limits(page)),
        ("Kernels", [*page.fields(_KERNELS), *_models(page)]),
        ("Features", _features(page)),
        ("Special hardware", _hardware(page)),
        ("Peak rates", rates(page)),
        ("Power", page.fields(_POWER)),
        ("Links", _links(page)),
    )
    return [line for title, lines in sections for line in section(title, lines)]


def section(title: str, lines: list[str]) -> list[str]:
    """An empty line, the title and the lines; nothing where there are no lines."""
    return ["", heading(title), *lines] if lines else []


def _cores(page: Page) -> list[str]:
    """The cores, what they lie in and what they are made of."""
    kind = Field("A core is", ("CoreSubsystem/SubUnitType", "SubUnitType"))
    said = [page.get("CoreSubsystem", "SubUnitType"), page.get("SubUnitType")]
    is_plain = all(word in (None, "Core") for word in said)
    lines = [*(() if is_plain else page.field(kind)), *page.fields(_CORES)]
    parents = list(page.entries("CoreSubsystem", "ParentUnits"))
    if parents:
        lines += labelled("They lie in", ", ".join(_unit(page, path) for path in parents))
    return [*lines, *_units(page)]


def rest(page: Page, wanted: Callable[[Path], bool]) -> list[str]:
    """What no section told, such as a vendor's own properties."""
    lines = []
    for path in list(page.untold()):
        if wanted(path) and not page.is_computed(path):
            lines += labelled(page.words(path), page.cell(path, lambda v: value_text("", v)))
    return lines


def _limits(page: Page) -> list[str]:
    return page.fields(Field(label, (f"Limits/{key}", key), text) for label, key, text in _LIMITS)


def _units(page: Page) -> list[str]:
    """Those without parts of their own after each other, those with some on lines of their own."""
    plain: list[tuple[str, str]] = []
    lines: list[str] = []
    for path in page.entries("CoreSubsystem", "Units"):
        name, count = page.get(*path, "Name"), page.get(*path, "Count")
        if count is not None and set(page.get(*path)) == {"Name", "Count"}:
            plain.append((f"{count} {name}", page.mark(*path, "Count")))
        else:
            lines += labelled("" if lines else "Units", _unit(page, path))
    return [*lines, *(labelled("" if lines else "Units", joined(plain)) if plain else ())]


def _unit(page: Page, path: Path) -> str:
    """Such as '4 Tensor Core', and what one is made of."""
    name = str(page.get(*path, "Name"))
    count = page.get(*path, "Count")
    head = name if count is None else f"{count} {name}{page.mark(*path, 'Count')}"
    inner = [page.parts(path, _UNIT), *(_unit(page, each) for each in page.entries(*path, "Units"))]
    told = ", ".join(filter(None, inner))
    return f"{head} ({told})" if told else head


def _features(page: Page) -> list[str]:
    """Those for vectors, those for matrices, and the others."""
    lines = page.fields(_FEATURES)
    told = {*_texts(page.get("VectorExtensions")), *_texts(page.get("MatrixExtensions"))}

    def others(listed: list[str] | str) -> str:
        names = listed.split(",") if isinstance(listed, str) else listed
        return list_text([name for name in names if name not in told]) or "none"

    label = "Others" if lines else "All"
    return [*lines, *page.field(Field(label, ("KernelModel/Features", "Features"), others))]


def _texts(value: object) -> list[str]:
    """The texts of a list, of a file that may hold anything."""
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []


def _models(page: Page) -> list[str]:
    plain: list[tuple[str, str]] = []
    lines: list[str] = []
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
            lines += labelled(name, told)
        else:
            plain.append((name, page.mark(*path)))
    return [*lines, *(labelled("Models", joined(plain)) if plain else ())]


def _hardware(page: Page) -> list[str]:
    lines = []
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
        lines += labelled(label, told) if told else []
    return lines


def _links(page: Page) -> list[str]:
    told = page.parts(("PCIExpress",), _EXPRESS)
    lines = labelled("PCI Express", told) if told else []
    for path in page.entries("MultiDeviceLinks"):
        lines += labelled(str(page.get(*path, "Name")), page.parts(path, _LINK))
    return lines


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
