# SPDX-License-Identifier: Apache-2.0
"""Checks of device files: the schema, the file's name, the sources, and values against each other.

Needs the library jsonschema and no other part of Nexus, so that it also runs if Nexus is not
built.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

Tree = dict[str, Any]

TOLERANCE = 0.02  # between two figures for the same value, since documents round them
WITHOUT_SOURCE = ("Vendor", "Type", "Description", "Sources", "Extensions")
# These come first, in this order; all others follow by name.
FIRST_MEMORIES = ("Global", "L2", "L1", "Local", "L3", "L4", "Registers")


class Problem(NamedTuple):
    """A problem in a device file.

    Attributes:
        path: the path of the value, as in Sources; empty for the file as a whole.
        text: a sentence.
    """

    path: str
    text: str


def file_word(word: str) -> str:
    """Returns a word in lower case, with '_' for all but letters, digits, '.', '-' and '+'."""
    return "".join(c if c.isascii() and (c.isalnum() or c in ".-+") else "_" for c in word.lower())


def stem_of(tree: Tree) -> str:
    """Returns the name that the file must have, without ".json"."""
    return "-".join(file_word(str(tree.get(key, ""))) for key in ("Vendor", "Type", "Architecture"))


def lay_over(below: Tree, above: Tree) -> Tree:
    """Merges objects, and list entries by their Name; replaces all other values."""
    made = dict(below)
    for key, value in above.items():
        old = made.get(key)
        if isinstance(old, dict) and isinstance(value, dict):
            made[key] = lay_over(old, value)
        elif _is_named(old) and _is_named(value):
            made[key] = _merge_entries(old, value)
        else:
            made[key] = value
    return made


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yields the leaves of a tree with their paths; a list of texts is one leaf.

    A list entry that has only a Name is a leaf too.
    """
    if isinstance(value, dict):
        for key, part in value.items():
            yield from leaves(part, f"{path}/{key}" if path else key)
    elif _is_named(value):
        for entry in value:
            rest = {key: part for key, part in entry.items() if key != "Name"}
            yield from leaves(rest or entry["Name"], f"{path}/{entry['Name']}")
    else:
        yield path, value


def check(text: str, stem: str, schema: Tree) -> list[Problem]:
    """Returns the problems of a device file with this text and stem."""
    try:
        tree = json.loads(
            text, object_pairs_hook=_without_twins, parse_float=_number, parse_constant=_number
        )
        json.dumps(tree, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        return [Problem("", f"it is not JSON: {error}")]
    problems = list(_against_schema(tree, schema))
    if problems:
        return problems  # the other checks need a valid form
    problems += _names(tree, stem)
    problems += _sources(tree)
    problems += _consistency(tree, "")
    for variant in tree.get("Variants", ()):
        problems += _consistency(lay_over(tree, variant), f"Variants/{variant['Name']}/")
    return list(dict.fromkeys(problems))


def check_file(path: Path, schema: Tree) -> list[Problem]:
    """Checks a file, like `check`. Raises OSError if the file can't be read."""
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError as error:
        return [Problem("", f"it is not UTF-8: {error}")]
    return check(text, path.stem, schema)


def _is_named(value: Any) -> TypeGuard[list[Tree]]:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(entry, dict) and isinstance(entry.get("Name"), str) for entry in value)
    )


def _merge_entries(below: list[Tree], above: list[Tree]) -> list[Tree]:
    made = {entry["Name"]: entry for entry in below}
    for entry in above:
        made[entry["Name"]] = lay_over(made.get(entry["Name"], {}), entry)
    return list(made.values())


def _without_twins(pairs: list[tuple[str, Any]]) -> Tree:
    tree = dict(pairs)
    if len(tree) != len(pairs):
        names = [name for name, _ in pairs]
        twin = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {twin!r} appears twice in one object")
    return tree


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is not a JSON number, or is too large")
    return value


def _against_schema(tree: Any, schema: Tree) -> Iterator[Problem]:
    from jsonschema import Draft202012Validator, validators

    # libnexus reads 64.0 and 1e3 as numbers with a fraction, which are not counts and sizes
    types = Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_integer)
    validator = validators.extend(Draft202012Validator, type_checker=types)(schema)
    for error in sorted(validator.iter_errors(tree), key=lambda error: error.json_path):
        yield Problem(error.json_path.removeprefix("$").lstrip("."), f"{error.message}.")


def _is_integer(_: object, value: object) -> bool:
    return type(value) is int and -(2**63) <= value < 2**63


# ---- Names -------------------------------------------------------------------


def _names(tree: Tree, stem: str) -> Iterator[Problem]:
    wanted = stem_of(tree)
    if stem != wanted:
        yield Problem(
            "",
            f"the file is called {stem}.json; by its Vendor, Type and Architecture it must be "
            f"{wanted}.json.",
        )
    yield from _twins(tree, "")
    for path, memories in _lists(tree, "MemoryTypes"):
        names = [entry["Name"] for entry in memories]
        ordered = sorted(names, key=_place_of_memory)
        if names != ordered:
            yield Problem(path, f"has the order {names}; write {ordered}.")


def _place_of_memory(name: str) -> tuple[int, str]:
    first = FIRST_MEMORIES.index(name) if name in FIRST_MEMORIES else len(FIRST_MEMORIES)
    return first, name


def _twins(value: Any, path: str) -> Iterator[Problem]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _twins(part, f"{path}/{key}" if path else key)
    elif _is_named(value):
        names = [entry["Name"] for entry in value]
        for name in dict.fromkeys(names):
            if names.count(name) > 1:
                yield Problem(path, f"has {names.count(name)} entries of the Name {name!r}.")
            if "/" in name:
                yield Problem(path, f"the Name {name!r} has a '/', which separates keys in paths.")
        for entry in value:
            yield from _twins(entry, f"{path}/{entry['Name']}")


def _lists(value: Any, wanted: str, path: str = "") -> Iterator[tuple[str, list[Tree]]]:
    if isinstance(value, dict):
        for key, part in value.items():
            here = f"{path}/{key}" if path else key
            if key == wanted:
                yield here, part
            yield from _lists(part, wanted, here)
    elif _is_named(value):
        for entry in value:
            yield from _lists(entry, wanted, f"{path}/{entry['Name']}")


# ---- Sources -----------------------------------------------------------------


def _sources(tree: Tree) -> Iterator[Problem]:
    values = [path for path, _ in leaves(tree)]
    named = [path for source in tree["Sources"] for path in source["Values"]]
    for path in values:
        if _needs_source(path) and not any(_covers(stem, path) for stem in named):
            yield Problem(path, "no source names it.")
    known = set(_prefixes(values))
    for path in named:
        if path not in known:
            yield Problem(path, "a source names it, but the file has no such value.")
    for source in tree["Sources"]:
        yield from _dates(source)


def _dates(source: Tree) -> Iterator[Problem]:
    for key in ("Read", "Date"):
        text = source.get(key, "")
        if len(text) != len("2026-01-01"):
            continue
        try:
            date.fromisoformat(text)
        except ValueError as error:
            yield Problem(f"Sources/{source['Title']}/{key}", f"{text!r} is not a date: {error}.")


def _needs_source(path: str) -> bool:
    keys = path.split("/")
    if keys[0] == "Variants":
        keys = keys[2:]
    return not keys or keys[0] not in WITHOUT_SOURCE


def _covers(stem: str, path: str) -> bool:
    return path == stem or path.startswith(f"{stem}/")


def _prefixes(paths: list[str]) -> Iterator[str]:
    for path in paths:
        parts = path.split("/")
        for length in range(1, len(parts) + 1):
            yield "/".join(parts[:length])


# ---- Values against each other -----------------------------------------------


def _consistency(tree: Tree, where: str) -> Iterator[Problem]:
    cores: Tree = tree.get("CoreSubsystem", {})
    yield from _rates(tree, cores, where)
    yield from _memories(tree, where)
    yield from _units(cores, where)
    yield from _order(cores, ("BaseClock", "MaxClock"), f"{where}CoreSubsystem")
    limits: Tree = tree.get("Limits", {})
    sizes = limits.get("MaxGroupSize")
    most = limits.get("MaxThreadsPerBlock")
    if sizes and most and max(sizes) > most:
        yield Problem(f"{where}Limits/MaxGroupSize", f"{sizes} is beyond {most} work items.")
    waves, simd = limits.get("MaxSubgroupsPerCore"), cores.get("SIMDSize")
    items = limits.get("MaxThreadsPerCore")
    if waves and simd and items and waves * simd != items:
        yield Problem(
            f"{where}Limits/MaxThreadsPerCore", f"{items} is not {waves} subgroups of {simd}."
        )


def _rates(tree: Tree, cores: Tree, where: str) -> Iterator[Problem]:
    for rate in tree.get("PeakRates", ()):
        path = f"{where}PeakRates/{rate['Name']}"
        unit = rate.get("Unit", "vector")
        if rate["Name"] != " ".join([rate.get("DataType", ""), *([unit] * (unit != "vector"))]):
            yield Problem(path, "the Name must be the DataType, and the Unit unless 'vector'.")
        factors = (
            cores.get("Count"), rate.get("OperationsPerClock"),
            rate.get("Clock", cores.get("MaxClock")),
        )  # fmt: skip
        if "Rate" in rate and all(factors):
            count, operations, clock = factors
            made = count * operations * clock * 1e6
            yield from _agree(rate["Rate"], made, f"{path}/Rate", "cores x operations x clock")


def _memories(tree: Tree, where: str) -> Iterator[Problem]:
    for memory in tree.get("MemorySubsystem", {}).get("MemoryTypes", ()):
        path = f"{where}MemorySubsystem/MemoryTypes/{memory['Name']}"
        yield from _order(memory, ("Size", "MaxSize"), path)
        if {"Bandwidth", "BusWidth", "TransferRate"} <= memory.keys():
            made = memory["BusWidth"] / 8 * memory["TransferRate"] * 1e6
            told = memory["Bandwidth"]
            yield from _agree(told, made, f"{path}/Bandwidth", "bus width x transfer rate")
        if {"TotalSize", "Size", "Count"} <= memory.keys():
            made = memory["Size"] * memory["Count"]
            if memory["TotalSize"] != made:
                yield Problem(f"{path}/TotalSize", f"{memory['TotalSize']} is not {made}.")


def _units(cores: Tree, where: str) -> Iterator[Problem]:
    count = 1
    for unit in cores.get("ParentUnits", ()):
        count = count * unit["Count"] if count and "Count" in unit else 0
        yield from _total(unit, count, f"{where}CoreSubsystem/ParentUnits/{unit['Name']}")
    most = cores.get("Count")
    if most and any(unit.get("TotalCount", 0) > most for unit in cores.get("ParentUnits", ())):
        yield Problem(f"{where}CoreSubsystem/ParentUnits", f"there are more than {most} cores.")
    yield from _inner_units(cores.get("Units", ()), most or 0, f"{where}CoreSubsystem/Units")
    threads, each = cores.get("ThreadCount"), cores.get("ThreadsPerCore")
    if most and threads and each and not most <= threads <= most * each:
        yield Problem(
            f"{where}CoreSubsystem/ThreadCount", f"{threads} is not for {most} cores of {each}."
        )


def _inner_units(units: Any, above: int, path: str) -> Iterator[Problem]:
    for unit in units:
        count = above * unit.get("Count", 0)
        here = f"{path}/{unit['Name']}"
        yield from _total(unit, count, here)
        below = unit.get("TotalCount", count)
        yield from _inner_units(unit.get("Units", ()), below, f"{here}/Units")


def _total(unit: Tree, count: int, path: str) -> Iterator[Problem]:
    told = unit.get("TotalCount", count)
    if count and told != count:
        yield Problem(f"{path}/TotalCount", f"{told} is not {count}, the product of the counts.")


def _order(values: Tree, keys: tuple[str, str], path: str) -> Iterator[Problem]:
    low, high = (values.get(key) for key in keys)
    if low and high and low > high:
        yield Problem(f"{path}/{keys[0]}", f"{low} is above the {keys[1]}, {high}.")


def _agree(told: float, made: float, path: str, how: str) -> Iterator[Problem]:
    if not math.isclose(told, made, rel_tol=TOLERANCE):
        yield Problem(path, f"{told:g} differs from {how}, {made:g}, by more than 2 %.")
