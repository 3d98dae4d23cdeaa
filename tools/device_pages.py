# SPDX-License-Identifier: Apache-2.0
"""Makes pages from the device files: their index, a page for each, and a comparison."""

from __future__ import annotations

import json
import re
import runpy
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DEVICES = ROOT / "devices"

Tree = dict[str, Any]


# The module nexus.cli.db._device_check, without its package, which must be built.
CHECKS = SimpleNamespace(
    **runpy.run_path(
        str(ROOT / "packages" / "nexus-core" / "nexus" / "cli" / "db" / "_device_check.py")
    )
)


def device_paths() -> list[Path]:
    """Returns the device files of the repository, by name."""
    return sorted(DEVICES.glob("*-*-*.json"))


def read_trees() -> dict[str, Tree]:
    """Returns the content of each device file, by its stem."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in device_paths()}


def index() -> dict[Path, str]:
    """Returns the index by its path, which `nox -s gen` writes."""
    return {DEVICES / "index.json": index_text(read_trees())}


def pages() -> dict[str, str]:
    """Returns the pages by their names, which `nox -s docs` writes."""
    trees = read_trees()
    own = {f"{stem}.md": device_page(stem, tree) for stem, tree in trees.items()}
    return own | {"README.md": comparison_page(trees), "coverage.md": coverage_page(trees)}


# ---- The index ---------------------------------------------------------------


def index_text(trees: dict[str, Tree]) -> str:
    """Returns each file's names and its variants', so that a search need not read all files."""
    entries = [f"  {json.dumps(stem)}: {_line(_index_entry(tree))}" for stem, tree in trees.items()]
    return "{\n" + ",\n".join(entries) + "\n}\n"


def _names(entry: Tree) -> Tree:
    return {key: entry[key] for key in ("Name", "Aliases") if key in entry}


def _index_entry(tree: Tree) -> Tree:
    variants = [_names(variant) for variant in tree.get("Variants", ())]
    return _names(tree) | ({"Variants": variants} if variants else {})


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


# ---- The comparison ----------------------------------------------------------

# Heading, path, and divisor.
COLUMNS = (
    ("cores", "CoreSubsystem/Count", 1),
    ("SIMD", "CoreSubsystem/SIMDSize", 1),
    ("clock, MHz", "CoreSubsystem/MaxClock", 1),
    ("L1, KiB", "MemorySubsystem/MemoryTypes/L1/Size", 1 << 10),
    ("local, KiB", "MemorySubsystem/MemoryTypes/Local/Size", 1 << 10),
    ("L2, KiB", "MemorySubsystem/MemoryTypes/L2/Size", 1 << 10),
    ("memory, GiB", "MemorySubsystem/MemoryTypes/Global/Size", 1 << 30),
    ("bandwidth, GB/s", "MemorySubsystem/MemoryTypes/Global/Bandwidth", 10**9),
    ("float32, TFLOP/s", "PeakRates/float32/Rate", 10**12),
    ("power, W", "Power/MaxPower", 1),
)
LARGEST = {"Size": "MaxSize"}


def comparison_page(trees: dict[str, Tree]) -> str:
    """Returns the page with a table for each type of device: a row for each file and product."""
    count = len(trees)
    variants = sum(len(tree.get("Variants", ())) for tree in trees.values())
    lines = [
        "# Devices", "",
        f"{count} architectures and {variants} products, each value with the document in which it",
        "was read. What was not read is not here: an empty cell says nothing of the device.",
        "`nexus db show NAME` shows all of one, `nexus db diff A B` compares two: see",
        "[how to use it](../../devices/README.md). [coverage.md](coverage.md) counts what is told,",
        "and [the format](../../design/device-files.md) tells how to add one.",
    ]  # fmt: skip
    for kind in sorted({tree["Type"] for tree in trees.values()}):
        lines += ["", f"## {kind}", "", *_table_head()]
        for stem, tree in trees.items():
            if tree["Type"] == kind:
                lines += list(_rows(stem, tree))
    return "\n".join([*lines, ""])


def _table_head() -> list[str]:
    headings = ["architecture", "device", *(heading for heading, _, _ in COLUMNS)]
    return [
        f"| {' | '.join(headings)} |",
        f"| --- | --- |{' ---: |' * len(COLUMNS)}",
    ]


def _rows(stem: str, tree: Tree) -> Iterator[str]:
    yield _row(f"[{tree['Architecture']}]({stem}.md)", tree)
    for variant in tree.get("Variants", ()):
        yield _row("", CHECKS.lay_over(tree, variant))


def _row(architecture: str, tree: Tree) -> str:
    values = dict(CHECKS.leaves({key: tree[key] for key in tree if key != "Variants"}))
    cells = [architecture, tree["Name"]]
    cells += [_cell(values, path, unit) for _, path, unit in COLUMNS]
    return f"| {' | '.join(cells)} |"


def _cell(values: dict[str, Any], path: str, unit: int) -> str:
    if path not in values:
        parent, _, key = path.rpartition("/")
        largest = values.get(f"{parent}/{LARGEST.get(key, key)}")
        return "" if largest is None else f"≤ {largest / unit:.4g}"
    return f"{values[path] / unit:.6g}"


# ---- Coverage ----------------------------------------------------------------


def coverage_page(trees: dict[str, Tree]) -> str:
    """Returns the page with the number of files and products that have each value."""
    lines = [
        "# What the device files tell", "",
        "For each value, how many files tell it, themselves or in one of their variants.",
        "", "| value | " + " | ".join(types := sorted({t["Type"] for t in trees.values()})) + " |",
        "| --- |" + " ---: |" * len(types),
    ]  # fmt: skip
    counts: dict[str, dict[str, int]] = {}
    for tree in trees.values():
        for path in sorted(_told(tree)):
            row = counts.setdefault(path, dict.fromkeys(types, 0))
            row[tree["Type"]] += 1
    totals = {kind: sum(tree["Type"] == kind for tree in trees.values()) for kind in types}
    lines.append("| files | " + " | ".join(str(totals[kind]) for kind in types) + " |")
    for path, row in sorted(counts.items(), key=lambda item: (-sum(item[1].values()), item[0])):
        lines.append(f"| {path} | " + " | ".join(str(row[kind] or "") for kind in types) + " |")
    return "\n".join([*lines, ""])


def _told(tree: Tree) -> set[str]:
    left_out = ("Sources", "Variants", "Extensions")
    parts = [tree, *tree.get("Variants", ())]
    paths = {
        path
        for part in parts
        for path, _ in CHECKS.leaves({key: part[key] for key in part if key not in left_out})
    }
    return {_without_own_names(path) for path in paths}


def _without_own_names(path: str) -> str:
    """Replaces the vendors' names of units, models and links, to count them together."""
    path = re.sub(r"((?:Units|ParentUnits|Models|MultiDeviceLinks)/)[^/]+", r"\1*", path)
    return re.sub(r"(MemoryTypes/)(?!(?:L[1-4]|Global|Local|Registers|L1i)/)[^/]+", r"\1*", path)


# ---- The page of a device ----------------------------------------------------


def device_page(stem: str, tree: Tree) -> str:
    """Returns all values of a file, each with the numbers of its sources."""
    lines = [f"# {tree['Name']}", "", f"`{stem}`"]
    if "Description" in tree:
        lines += ["", tree["Description"]]
    own = {key: value for key, value in tree.items() if key not in ("Variants", "Sources")}
    lines += ["", *_value_table(own, "", tree)]
    for variant in tree.get("Variants", ()):
        path = f"Variants/{variant['Name']}"
        lines += ["", f"## {variant['Name']}", "", *_value_table(variant, path, tree)]
    lines += ["", "## Sources", ""]
    lines += [f"{number}. {_citation(s)}" for number, s in enumerate(tree["Sources"], 1)]
    return "\n".join([*lines, ""])


def _value_table(part: Tree, path: str, tree: Tree) -> list[str]:
    lines = ["| value | | sources |", "| --- | --- | --- |"]
    for below, value in CHECKS.leaves(part):
        if below in ("Description", "Type"):
            continue
        sources = ", ".join(map(str, source_numbers(tree, f"{path}/{below}" if path else below)))
        lines.append(f"| {below} | {_shown(value)} | {sources} |")
    return lines


def source_numbers(tree: Tree, path: str) -> list[int]:
    """Returns the numbers, from 1, of the sources with the longest path that covers the value."""
    covering = [
        (len(named), number)
        for number, source in enumerate(tree["Sources"], 1)
        for named in source["Values"]
        if path == named or path.startswith(f"{named}/")
    ]
    longest = max((length for length, _ in covering), default=0)
    return sorted({number for length, number in covering if length == longest})


def _shown(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(_shown, value))
    return str(value).replace("|", "\\|")


def _citation(source: Tree) -> str:
    dates = [source[key] for key in ("Date", "Version") if key in source]
    title = source["Title"].replace("[", "\\[").replace("]", "\\]")
    title = f"[{title}]({source['Address']})" if "Address" in source else title
    parts = [title, source["Publisher"], *dates, source["Section"], f"read {source['Read']}"]
    return "; ".join(_flat(parts)) + "."


def _flat(parts: Iterable[str]) -> list[str]:
    return [part.replace("\n", " ") for part in parts]
