# SPDX-License-Identifier: Apache-2.0
"""`nexus db plot`: draws a roofline of devices from their device files."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import nexus
from nexus._compile._object_code import write_whole
from nexus._resources import package_folder
from nexus._units import operation_unit
from nexus.cli._console import show
from nexus.cli._misuse import Misuse
from nexus.cli.db._lookup import look_up
from nexus.cli.page._citations import citations_of
from nexus.cli.page._rates_section import UNITS

if TYPE_CHECKING:
    from nexus._collections import Citation

_LARGEST = 1e30  # bytes or operations per second, beyond any device
_FORMATS = (".svg", ".png")


class Roof(NamedTuple):
    """The figures of one device.

    Attributes:
        name: the name of the device.
        bandwidth: the bandwidth of its main memory, in bytes per second.
        rate: its peak rate, in operations per second.
        citations: the sources of these values.
        group: the roofs of a group have one colour; '' is a group of its own.
    """

    name: str
    bandwidth: float
    rate: float
    citations: tuple[Citation, ...] = ()
    group: str = ""


def run(options: argparse.Namespace) -> int:
    """Draws the devices and returns 0.

    Raises:
        Misuse: a device is unknown, its file lacks a value, or the output can't be written.
        nexus.NexusError: matplotlib is not installed.
    """
    path = picture_path("-o", options.output)
    data_type, unit = options.data_type, options.unit
    _check_data_type(data_type)
    roofs = list(dict.fromkeys(roof_of(name, data_type, unit) for name in options.names))
    units = "" if unit == UNITS[0] else f" {unit} units"
    write_roofline(path, roofs, f"Roofline, {data_type}{units}", operation_unit(data_type))
    show(f"{path}: a roofline of {', '.join(roof.name for roof in roofs)}")
    return 0


def write_roofline(path: Path, roofs: Sequence[Roof], title: str, counted: str) -> None:
    """Draws the roofs to a file whose name `picture_path` has checked.

    Args:
        counted: the unit of the operations, FLOP or OP.

    Raises:
        Misuse: the file can't be written.
        nexus.NexusError: matplotlib is not installed.
    """
    from nexus.cli.db import _roofline_picture

    picture = _roofline_picture.draw(roofs, title, counted, path.suffix[1:].lower())
    try:
        write_whole(path, picture)
    except OSError as error:
        raise Misuse(f"'{path}' can't be written: {error.strerror or error}.") from error


def roof_of(name: str, data_type: str, unit: str) -> Roof:
    """Returns the figures of the device with that name.

    Raises:
        Misuse: there is no such device, or its file lacks a value; the text names the value.
    """
    info = look_up(name)
    bandwidth = _positive(info.get("MemoryBandwidth"))
    if bandwidth is None:
        raise Misuse(
            f"{_called(name, info)} lacks MemoryBandwidth, the highest rate of the main memory."
            f"{_other_names(info)}"
        )
    rate, paths = _rate(info, data_type, unit)
    if rate is None:
        known = ", ".join(f"'{each['Name']}'" for each in _entries(info, "PeakRates"))
        raise Misuse(
            f"{_called(name, info)} lacks the peak rate '{_rate_name(data_type, unit)}'; "
            f"it has {known or 'no peak rates'}.{_other_names(info)}"
        )
    sources = [info.source("MemoryBandwidth"), *map(info.source, paths)]
    citations = [citation for source in sources for citation in citations_of(source)]
    return Roof(str(info["Name"]), bandwidth, rate, tuple(dict.fromkeys(citations)))


def peak_rate(info: nexus.Properties, data_type: str) -> float | None:
    """Returns the peak rate of the vector units, in operations per second; None if unknown."""
    return _rate(info, data_type, UNITS[0])[0]


def _rate(
    info: nexus.Properties, data_type: str, unit: str
) -> tuple[float | None, list[list[str | int]]]:
    """Returns the peak rate and the paths of the values that give it."""
    wanted = _rate_name(data_type, unit)
    paths: list[list[str | int]]
    for index, entry in enumerate(_entries(info, "PeakRates")):
        if entry["Name"] != wanted:
            continue
        here: list[str | int] = ["PeakRates", index]
        rate = _positive(entry.get("Rate"))
        if rate is not None:
            return rate, [[*here, "Rate"]]
        told = info.get("CoreSubsystem")
        cores = told if isinstance(told, dict) else {}
        count, each = _positive(cores.get("Count")), _positive(entry.get("OperationsPerClock"))
        clock = _positive(entry.get("Clock", cores.get("MaxClock")))
        if count and each and clock:
            paths = [[*here, "OperationsPerClock"], ["CoreSubsystem", "Count"]]
            paths.append([*here, "Clock"] if "Clock" in entry else ["CoreSubsystem", "MaxClock"])
            return count * each * clock * 1e6, paths
    return None, []


def _entries(info: nexus.Properties, key: str) -> list[dict[str, Any]]:
    """Returns the entries of a list; [] if it is malformed, in a file that was not validated."""
    listed = info.get(key)
    whole = isinstance(listed, list) and all(isinstance(e, dict) and "Name" in e for e in listed)
    return listed if whole else []


def _positive(value: Any) -> float | None:
    """Returns the value if it is a positive number of plausible size, else None."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and 0 < value < _LARGEST else None


def _rate_name(data_type: str, unit: str) -> str:
    return data_type if unit == UNITS[0] else f"{data_type} {unit}"


def _called(name: str, info: nexus.Properties) -> str:
    return f"the file of '{name}' ({info['Name']})"


def _other_names(info: nexus.Properties) -> str:
    """Returns a hint: files of architectures often have the values only in their variants."""
    names = [str(each["Name"]) for each in _entries(info, "Variants")]
    return f" Its variants may have more: {', '.join(names)}." if names else ""


def picture_path(option: str, name: str) -> Path:
    """Returns the file to write, checked before anything is measured or drawn.

    Args:
        option: the option that names the file, for the error.

    Raises:
        Misuse: the name has another ending, or is that of a folder or in none.
    """
    path = Path(name)
    if path.suffix.lower() not in _FORMATS:
        raise Misuse(f"{option} is '{path}': the name of a picture ends in .svg or .png.")
    if path.is_dir():
        raise Misuse(f"{option} is '{path}', which is a folder: name a file.")
    if not path.parent.is_dir():
        raise Misuse(f"There is no folder '{path.parent}' to write '{path}' to.")
    return path


def _check_data_type(data_type: str) -> None:
    schema = Path(package_folder("schema"), "device_info.schema.json")
    known = json.loads(schema.read_text(encoding="utf-8"))["$defs"]["data_type"]["enum"]
    if data_type not in known:
        raise Misuse(f"--data-type is {ascii(data_type)[:80]}; it is one of {', '.join(known)}.")
