# SPDX-License-Identifier: Apache-2.0
"""Chooses the build of a catalog's library for a device, and loads it."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from nexus import _checks, _core
from nexus._catalog import _architecture, _catalog
from nexus._catalog._catalog import Catalog, title
from nexus._errors import NexusError, NexusValueError
from nexus.status import NXS_CompilerNotAvailable, NXS_InvalidBinary, NXS_InvalidValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nexus import Device, Library


def load_library(device: Device, source: object, name: object, version: object) -> Library:
    """Implements Device.load_library for a catalog. Called by the extension."""
    if isinstance(source, Catalog):
        catalog = source
    elif isinstance(source, (str, os.PathLike)):
        catalog = _catalog.read(source, "source")
    else:
        wanted = "a nexus.Catalog or its path, if a name is given"
        raise _checks.wrong_type("source", wanted, source)
    entry = entry_of(catalog, name, version)
    refused = []
    for build, match in _candidates(device, entry):
        try:
            library = _load(device, catalog, entry, build)
        except _Unfit as unfit:
            refused.append(f"{_catalog.target(build)}: {unfit}")
            continue
        info = _info(catalog, entry, build, match)
        _core.set_library_info(library, json.dumps(info, ensure_ascii=False))
        return library
    raise NexusError(_no_build(device, catalog, entry, refused), NXS_InvalidBinary)


class _Unfit(Exception):
    """The device can't load a build; the next one may fit."""


def entry_of(catalog: Catalog, name: object, version: object) -> dict[str, Any]:
    """Returns a library's entry; without a version, the newest."""
    entries: list[dict[str, Any]] = _catalog.tree_of(catalog)["Libraries"]
    names = list(dict.fromkeys(each["Name"] for each in entries))
    if name is None:
        raise TypeError(
            f"name is missing: name a library of the catalog '{catalog.name}', which has "
            f"{_listed(names)}."
        )
    wanted = _checks.text("name", name, empty="name a library of the catalog")
    found = [each for each in entries if each["Name"] == wanted]
    if not found:
        raise NexusValueError(
            f"name is {_checks.shown(wanted)}, which the catalog '{catalog.name}' does not have"
            f"{_checks.near(wanted, names)} It has {_listed(names)}.",
            NXS_InvalidValue,
        )
    if version is None:
        return max(found, key=lambda each: _numbers(each["Version"]))
    number = _checks.text("version", version, empty="give one such as '1.0.0', or leave it out")
    for each in found:
        if each["Version"] == number:
            return each
    raise NexusValueError(
        f"version is {_checks.shown(number)}, and the catalog '{catalog.name}' has '{wanted}' in "
        f"{_listed([each['Version'] for each in found])}.",
        NXS_InvalidValue,
    )


def _numbers(version: str) -> list[int]:
    return [int(each) for each in version.split(".")]


def _listed(names: list[str]) -> str:
    shown = names[:20]
    return ", ".join(shown) + (f" and {len(names) - 20} more" if len(names) > 20 else "") or "none"


def _candidates(device: Device, entry: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """Yields the builds to try, the best first, each with 'architecture', 'family' or 'source'."""
    backend = device.backend
    objects = [each for each in entry.get("Objects", ()) if each["Runtime"] == backend]
    exact = [each for each in objects if each["Architecture"] == device.architecture]
    yield from ((each, "architecture") for each in exact)
    yield from ((each, "family") for each in objects if each not in exact)
    languages = device.get_info().get("Languages", [])
    for each in entry.get("Sources", ()):
        if backend in each.get("Runtimes", [backend]) and each["Language"] in languages:
            yield each, "source"


def _load(
    device: Device, catalog: Catalog, entry: dict[str, Any], build: dict[str, Any]
) -> Library:
    if "Language" in build:
        return _compile(device, catalog, entry, build)
    code = _catalog.object_code(catalog, entry, build)
    if isinstance(code, bytes) and (why := _architecture.refusal(device, build["Architecture"])):
        raise _Unfit(why)
    try:
        return device.load_library(code)
    except NexusError as error:
        if error.status != NXS_InvalidBinary:
            raise
        raise _Unfit(str(error)) from error


def _compile(
    device: Device, catalog: Catalog, entry: dict[str, Any], build: dict[str, Any]
) -> Library:
    from nexus._compile._options import ProgramOptions
    from nexus._compile._program import Program

    data = _catalog.read_build(catalog, entry, build)
    path = _catalog.path_of(catalog, entry, build)
    text = _catalog.check_source(data, path)
    options = ProgramOptions(**build.get("Options", {}))
    program = Program(text, build["Language"], path, options)
    try:
        return device.load_library(program.compile(device))
    except NexusError as error:
        if error.status != NXS_CompilerNotAvailable:
            raise
        raise _Unfit(str(error)) from error


def _info(
    catalog: Catalog, entry: dict[str, Any], build: dict[str, Any], match: str
) -> dict[str, Any]:
    """Returns the tree of Library.get_info()."""
    tree = {
        key: value for key, value in entry.items() if key not in ("Objects", "Sources", "Kernels")
    }
    if catalog.license:
        tree.setdefault("License", catalog.license)
    tree["Kernels"] = merged(entry.get("Kernels", ()), build.get("Kernels", ()))
    tree["Match"] = match
    tree["Build"] = {key: value for key, value in build.items() if key != "Kernels"}
    tree["Catalog"] = {"Name": catalog.name, "Version": catalog.version, "Path": catalog.path}
    return tree


def merged(kernels: Any, changes: Any) -> list[dict[str, Any]]:
    """Returns the kernels' entries, overridden by the entries of a build with the same names;
    tuning parameters are merged one by one."""
    made = {each["Name"]: dict(each) for each in kernels}
    for each in changes:
        kernel = made.setdefault(each["Name"], {})
        tuning = {**kernel.get("Tuning", {}), **each.get("Tuning", {})}
        kernel.update(each)
        if tuning:
            kernel["Tuning"] = tuning
    return list(made.values())


def _no_build(device: Device, catalog: Catalog, entry: dict[str, Any], refused: list[str]) -> str:
    builds = _listed([_catalog.target(each) for each in _catalog.builds_of(entry)])
    text = (
        f"The catalog '{catalog.name}' has no build of {title(entry)} for the device "
        f"'{device.selector}' ({device.architecture}). It has {builds}."
    )
    return " ".join([text, *(f"Refused: {each}" for each in refused)])
