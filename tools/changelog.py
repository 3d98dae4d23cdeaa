# SPDX-License-Identifier: Apache-2.0
"""Moves the fragments of changelog.d/ into CHANGELOG.md, under the version of VERSION."""

from __future__ import annotations

import argparse
import datetime
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KINDS = ("added", "changed", "fixed", "removed", "security")
TITLE = "# Changelog\n"


def section(taken: list[Path], version: str, day: datetime.date) -> str:
    """Returns the text of a release: a heading, and below each kind its fragments by name."""
    text = f"## {version} ({day.isoformat()})\n"
    for kind in KINDS:
        of_kind = [path for path in taken if path.name.endswith(f".{kind}.md")]
        if of_kind:
            text += f"\n### {kind.capitalize()}\n\n"
            text += "".join(_item(path.read_text(encoding="utf-8")) for path in of_kind)
    return text


def _item(fragment: str) -> str:
    """Returns a fragment as a list item; a list stays as it is."""
    text = fragment.strip()
    return (text if text.startswith("- ") else "- " + text.replace("\n", "\n  ")) + "\n"


def fragments() -> list[Path]:
    """Returns the fragments by name; ValueError if one is misnamed or there are none."""
    found = sorted(p for p in (ROOT / "changelog.d").glob("*.md") if p.name != "README.md")
    misnamed = [p.name for p in found if p.name.split(".")[-2] not in KINDS]
    if misnamed or not found:
        kinds = ", ".join(KINDS)
        raise ValueError(f"Name fragments <topic>.<kind>.md, kind one of {kinds}: {misnamed}")
    return found


def notes(version: str, day: datetime.date) -> str:
    """Returns the version's section of CHANGELOG.md; before it has one, a draft of it."""
    log = ROOT / "CHANGELOG.md"
    _, heading, rest = (log.read_text(encoding="utf-8") if log.exists() else "").partition(
        f"## {version} ("
    )
    return heading + rest.partition("\n## ")[0] if heading else section(fragments(), version, day)


def main() -> int:
    """Moves the fragments to CHANGELOG.md; returns 1 if one is misnamed or there are none."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    try:
        taken = fragments()
    except ValueError as error:
        print(error)
        return 1
    version = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
    new = section(taken, version, datetime.datetime.now(tz=datetime.timezone.utc).date())
    log = ROOT / "CHANGELOG.md"
    old = log.read_text(encoding="utf-8").removeprefix(TITLE) if log.exists() else ""
    log.write_text(f"{TITLE}\n{new}{old}", encoding="utf-8")
    for path in taken:
        path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
