# SPDX-License-Identifier: Apache-2.0
"""Writes the report of a run: report.json, report.md and the rows for docs/hardware.md."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from measurement import in_words, verdict
from outcomes import FAILED, NOT_THERE, PASSED, Outcome

_LONGEST = 600  # characters of a note in the Markdown


def write_report(
    folder: Path, about: dict[str, Any], outcomes: Sequence[Outcome], missing: Sequence[str]
) -> None:
    """Writes all files.

    Args:
        about: the versions of all that was used.
        missing: the cases that have not run yet.
    """
    report = {"about": about, "not_run": list(missing), "outcomes": [asdict(o) for o in outcomes]}
    (folder / "report.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    text = "\n".join(markdown(about, outcomes, missing)) + "\n"
    (folder / "report.md").write_text(text, encoding="utf-8")
    text = "\n".join(hardware_rows(about, outcomes, missing)) + "\n"
    (folder / "hardware_rows.md").write_text(text, encoding="utf-8")


def hardware_rows(
    about: dict[str, Any], outcomes: Sequence[Outcome], missing: Sequence[str]
) -> Iterator[str]:
    """Returns the machine's row and the run's row for the tables of docs/hardware.md."""
    machine = about.get("machine", {})
    driver = about.get("simulated_driver")
    if driver:
        yield f"Not for docs/hardware.md: the driver was simulated by {driver}."
    gpus = "; ".join(", ".join(gpu.values()) for gpu in about.get("gpus", []))
    processor = f"{machine.get('processor', '')}, {machine.get('cores', '')} cores"
    system = f"{machine.get('system', '')}, {machine.get('python', '')}"
    yield f"| NAME | {_cell(processor)} | {_cell(gpus)} | {_cell(system)} |"
    parts = dict.fromkeys(outcome.part for outcome in outcomes)
    results = []
    for part in parts:
        of_part = [outcome for outcome in outcomes if outcome.part == part]
        if part == "conformance" and of_part[0].status == PASSED:
            results.append(f"conformance {of_part[0].note}")
            continue
        passed = sum(outcome.status == PASSED for outcome in of_part)
        failed = [outcome for outcome in of_part if outcome.status == FAILED]
        names = "".join(f"; {each.name}: {each.note[-200:]}" for each in failed)
        results.append(f"{part} {passed} passed, {len(failed)} failed{names}")
    if missing:
        results.append(f"{len(missing)} cases not run")
    command = f"`benchmarks/gpu/run_all.sh WHEELS OUT {' '.join(parts)}`"
    backend = about.get("device", "").partition(":")[0]
    date = about["date"].partition("T")[0]
    yield f"| {date} | NAME | {backend} | {command} | {_cell('. '.join(results))} |"


def markdown(
    about: dict[str, Any], outcomes: Sequence[Outcome], missing: Sequence[str]
) -> Iterator[str]:
    """Returns the lines of report.md."""
    yield "# Nexus on a GPU"
    yield ""
    yield from _machine(about)
    yield from _counts(outcomes, missing)
    lines = [line for outcome in outcomes for line in outcome.data.get("rows", [])]
    if lines:
        yield from speed_table(lines)
    for part in dict.fromkeys(outcome.part for outcome in outcomes):
        yield from _part(part, [outcome for outcome in outcomes if outcome.part == part])
    if missing:
        yield from ("", "## Not run", "", *(f"- {key}" for key in missing))


def _machine(about: dict[str, Any]) -> Iterator[str]:
    yield f"Date: {about['date']}"
    yield ""
    for gpu in about.get("gpus", []):
        yield f"- GPU: {', '.join(f'{key} {value}' for key, value in gpu.items())}"
    for title in ("machine", "tools", "packages"):
        entries = about.get(title, {})
        if entries:
            yield f"- {title}: {', '.join(f'{key} {value}' for key, value in entries.items())}"
    driver = about.get("simulated_driver")
    if driver:
        yield f"- **The driver was simulated: {driver}. Nothing here is of a GPU.**"


def _counts(outcomes: Sequence[Outcome], missing: Sequence[str]) -> Iterator[str]:
    counts = [
        f"{sum(outcome.status == status for outcome in outcomes)} {status}"
        for status in (PASSED, FAILED, NOT_THERE)
    ]
    yield ""
    yield f"Cases: {', '.join(counts)}, {len(missing)} not run."


def speed_table(lines: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Returns the lines of the table of measurements."""
    yield from ("", "## Speed", "")
    yield "| work | ours | the others | figure | goal | |"
    yield "| --- | ---: | --- | --- | --- | --- |"
    for line in lines:
        ours, *others = [*line["timings"]] or [None]
        cells = [
            line["name"],
            in_words(ours["median"]) if ours else "-",
            "<br>".join(f"{each['label']}: {in_words(each['median'])}" for each in others),
            line["figure"],
            line["goal"],
            _mark(line),
        ]
        yield f"| {' | '.join(_cell(cell) for cell in cells)} |"
    notes = [f"- {line['name']}: {note}" for line in lines for note in line["notes"]]
    if notes:
        yield from ("", *(_cell(note) for note in notes))


def _mark(line: dict[str, Any]) -> str:
    said = verdict(line)
    if said == "not measured" and line["timings"] and line["goal"].startswith("none"):
        return "no goal"
    return f"**{said}**" if said == "MISSED" else said


def _part(part: str, outcomes: Sequence[Outcome]) -> Iterator[str]:
    yield from ("", f"## {part.replace('_', ' ').capitalize()}", "")
    yield "| case | | seconds | what it said | the GPU after |"
    yield "| --- | --- | ---: | --- | --- |"
    for outcome in outcomes:
        status = f"**{outcome.status}**" if outcome.status == FAILED else outcome.status
        cells = [outcome.name, status, f"{outcome.seconds:.1f}", outcome.note, outcome.gpu_after]
        yield f"| {' | '.join(_cell(cell) for cell in cells)} |"


def _cell(text: str) -> str:
    """Returns a text that fits a table's cell."""
    return " ".join(text[-_LONGEST:].replace("|", "\\|").split())
