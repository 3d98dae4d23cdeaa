# SPDX-License-Identifier: Apache-2.0
"""Keeps the plug-in interface of a version, for the rehearsals of test_rehearsal.py.

    python tests/abi/freeze.py

writes tests/abi/frozen/<version> before the version in nxs.h is raised: the headers of the C-API
and of the kit, the plug-ins of the rehearsal with the reference backend that one of them is made
of, and the host. Each file has .txt at its end, so that no formatter takes it for a source.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
INCLUDE = ROOT / "packages/nexus-core/include"
REFERENCE = ROOT / "tests/plugins/nexus-reference"
REHEARSAL = HERE / "rehearsal"
FROZEN = HERE / "frozen"


def api_version() -> str:
    """The version of the headers, such as 1.0."""
    text = (INCLUDE / "nexus-api/nxs.h").read_text("utf-8")
    major, minor = re.findall(r"^#define NXS_API_VERSION_M\w+ (\d+)$", text, re.MULTILINE)
    return f"{major}.{minor}"


def frozen_versions() -> list[str]:
    """The versions that have a folder, such as 1.0."""
    return sorted(path.name for path in FROZEN.iterdir() if path.is_dir())


def sources() -> dict[Path, Path]:
    """The files that are frozen, by their places in the frozen folder."""
    found = {}
    for folder in ("nexus-api", "nexus-plugin"):
        for path in (INCLUDE / folder).rglob("*.*"):
            found[Path("include", path.relative_to(INCLUDE))] = path
    for pattern in ("*.cpp", "*.hpp"):
        found |= {Path("plugins", path.name): path for path in REFERENCE.glob(pattern)}
    found |= {Path("plugins", path.name): path for path in REHEARSAL.iterdir()}
    return found


def copy_current(folder: Path, ending: str = "") -> None:
    """Writes today's files into a folder, with an ending behind their names."""
    for place, path in sources().items():
        target = folder / place.with_name(place.name + ending)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def thaw(frozen: Path, folder: Path) -> None:
    """Writes the files of a frozen folder into another, under their own names."""
    for path in frozen.rglob("*.txt"):
        target = folder / path.relative_to(frozen).with_suffix("")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def main() -> None:
    folder = FROZEN / api_version()
    shutil.rmtree(folder, ignore_errors=True)
    copy_current(folder, ".txt")
    print(f"wrote {folder.relative_to(ROOT)}; now raise the version in nxs.h")


if __name__ == "__main__":
    main()
