# SPDX-License-Identifier: Apache-2.0
"""Writes wheels as a package index that any web server can serve, or that pip reads from a folder.

    python tools/package_index.py FOLDER WHEEL ...
    pip install --index-url file:///FOLDER/simple "nexus-core[cpu]"

The index is what PEP 503 describes: a page that links to the page of each project, which is in a
folder with its wheels. Each link to a wheel has the wheel's SHA-256, which pip compares.
"""

from __future__ import annotations

import argparse
import email
import hashlib
import html
import re
import shutil
import sys
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from email.message import Message
from pathlib import Path

_PAGE = """\
<!DOCTYPE html>
<html>
<head><meta name="pypi:repository-version" content="1.0"><title>{title}</title></head>
<body>
{links}
</body>
</html>
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Writes the index; the folder `simple` in the given folder is replaced."""
    parser = argparse.ArgumentParser(description="Write wheels as a package index.")
    parser.add_argument("folder", type=Path, help="where the folder `simple` goes")
    parser.add_argument("wheels", type=Path, nargs="+", metavar="WHEEL")
    options = parser.parse_args(arguments)
    write(options.folder / "simple", options.wheels)
    return 0


def write(folder: Path, wheels: Iterable[Path]) -> None:
    """Writes the index of the wheels into the folder, which is emptied first."""
    projects: dict[str, list[Path]] = defaultdict(list)
    for wheel in sorted(wheels):
        projects[normalized(metadata(wheel)["Name"])].append(wheel)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for project, files in projects.items():
        (folder / project).mkdir()
        for wheel in files:
            shutil.copy2(wheel, folder / project)
        _write_page(folder / project, project, [_link_to(wheel) for wheel in files])
    links = [f'<a href="{project}/">{project}</a><br>' for project in sorted(projects)]
    _write_page(folder, "Nexus", links)


def metadata(wheel: Path) -> Message:
    """Returns a wheel's metadata."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (n for n in archive.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", n))
        return email.message_from_bytes(archive.read(name))


def normalized(name: str) -> str:
    """Returns a project's name as an index spells it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def sha256(path: Path) -> str:
    """Returns the SHA-256 of a file, in hexadecimal digits."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _link_to(wheel: Path) -> str:
    needs = metadata(wheel)["Requires-Python"]  # others' wheels need not say it
    says = f' data-requires-python="{html.escape(needs)}"' if needs else ""
    link = f"{wheel.name}#sha256={sha256(wheel)}"
    return f'<a href="{link}"{says}>{wheel.name}</a><br>'


def _write_page(folder: Path, title: str, links: Iterable[str]) -> None:
    page = _PAGE.format(title=title, links="\n".join(links))
    (folder / "index.html").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
