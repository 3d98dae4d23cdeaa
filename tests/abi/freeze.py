# SPDX-License-Identifier: Apache-2.0
"""Keeps a copy of the plug-in interface as it is now, for the rehearsals of test_rehearsal.py.

    python tests/abi/freeze.py

writes tests/abi/frozen/<version>: the headers of the C-API and of the kit, the plug-ins of the
rehearsal with the reference backend that one of them is made of, and the host. Each file has .txt
at its end, so that it is neither formatted nor compared with what it is a copy of.
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


def sources() -> dict[Path, Path]:
    """The files that are frozen, by their places in the frozen folder."""
    found = {}
    for folder in ("nexus-api", "nexus-plugin"):
        for path in (INCLUDE / folder).iterdir():
            found[Path("include", folder, path.name)] = path
    for pattern in ("*.cpp", "*.hpp"):
        found |= {Path("plugins", path.name): path for path in REFERENCE.glob(pattern)}
    found |= {Path("plugins", path.name): path for path in REHEARSAL.iterdir()}
    return found


def thaw(version: str, folder: Path) -> None:
    """Writes the files of a frozen version into a folder, under their own names."""
    frozen = FROZEN / version
    for path in frozen.rglob("*.txt"):
        target = folder / path.relative_to(frozen).with_suffix("")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def copy_current(folder: Path) -> None:
    """Writes the files of today's version into a folder, laid out like a frozen one."""
    for place, path in sources().items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, folder / place)


def main() -> None:
    folder = FROZEN / api_version()
    shutil.rmtree(folder, ignore_errors=True)
    for place, path in sorted(sources().items()):
        target = folder / place.with_name(f"{place.name}.txt")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    print(f"wrote {folder.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
