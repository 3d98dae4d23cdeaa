# SPDX-License-Identifier: Apache-2.0
"""`nexus doctor`: checks this machine, reports what is missing and how to install it."""

from __future__ import annotations

import argparse
import io
import json
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from nexus._units import counted
from nexus.cli._console import busy, section, sentence, show, table
from nexus.cli._diagnosis import diagnose

_TITLES = {"backend": "Backends", "device": "Devices", "cache": "Cache of compiled programs"}


def run(options: argparse.Namespace) -> int:
    """Prints the report; returns 0 if nothing is broken, else 1."""
    with busy("loading the backends and running a kernel on every device"):
        report = diagnose()
    if options.json:
        print(json.dumps(report, indent=2))
    elif options.report:
        _show_for_issue(report)
    else:
        show(*_page(report))
    return 1 if report["problems"] else 0


def _page(report: dict[str, Any]) -> list[RenderableType]:
    parts: list[RenderableType] = [
        f"Nexus {report['version']} on Python {report['python']}, {report['system']}"
    ]
    for area, title in _TITLES.items():
        rows = [_row(check) for check in report["checks"] if check["area"] == area]
        parts += section(title, table(rows or [("none",)]))
    fixes = [check for check in report["checks"] if check["fix"]]
    parts += section("To install or repair", [(check["name"], check["fix"]) for check in fixes])
    parts += section("Packages", list(report["packages"].items()))
    parts += section("Environment", list(report["environment"].items()))
    return [*parts, "", _verdict(report)]


def _row(check: dict[str, str]) -> tuple[RenderableType, ...]:
    return (check["state"], check["name"], sentence(check["text"]))


def _verdict(report: dict[str, Any]) -> RenderableType:
    count = report["problems"]
    if not count:
        return sentence("Everything that is installed works.")
    named = ", ".join(check["name"] for check in report["checks"] if check["state"] == "broken")
    return sentence(f"{counted(count, 'problem')}: {named}.")


def _show_for_issue(report: dict[str, Any]) -> None:
    """Prints the report as a block of Markdown, without the name of the user's home folder."""
    text = io.StringIO()
    show(*_page(report), file=text)
    home = str(Path.home())
    shown = text.getvalue().replace(home, "~") if len(home) > 1 else text.getvalue()
    print(f"```text\n{shown.strip()}\n```")
