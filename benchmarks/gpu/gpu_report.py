# SPDX-License-Identifier: Apache-2.0
"""Writes the report of a run: report.json and report.md."""

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
    """Writes both files.

    Args:
        about: the versions of all that was used.
        missing: the cases that have not run yet.
    """
    report = {"about": about, "not_run": list(missing), "outcomes": [asdict(o) for o in outcomes]}
    (folder / "report.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    text = "\n".join(markdown(about, outcomes, missing)) + "\n"
    (folder / "report.md").write_text(text, encoding="utf-8")


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
