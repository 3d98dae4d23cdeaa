# SPDX-License-Identifier: Apache-2.0
"""Writes the project of a new backend."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from nexus._resources import package_folder
from nexus.scaffold._names import Names
from nexus.scaffold._rewrite import is_left_out, rewritten, without_left_out

DEFAULT_KIND = "host"
# For each kind of project the folders of the reference plug-in; files of a later folder replace
# those of an earlier one.
KINDS = {
    "host": "works in host memory, one call after the other",
    "driver": "calls an asynchronous driver: queues, events, device memory",
}
_FOLDERS = {"host": ["."], "driver": [".", "driver"]}
_NOT_SOURCES = {"__pycache__", "build", "dist", "driver", "wheelhouse"}
_RENAMED = {"gitignore": ".gitignore"}  # under its own name it would affect the template


def write_project(names: Names, folder: Path, kind: str = DEFAULT_KIND) -> list[Path]:
    """Writes all files into a new folder, or none.

    Returns:
        The paths of the files, relative to the folder, sorted.

    Raises:
        ValueError: the folder, or a file of that name, exists.
        OSError: something can't be read or written.
    """
    if os.path.lexists(folder):
        raise ValueError(f"{folder} already exists; choose another with --folder")
    texts = project_files(names, kind)
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = folder.with_name(f".{folder.name}.{os.getpid()}")
    try:
        for path, text in texts.items():
            (made / path).parent.mkdir(parents=True, exist_ok=True)
            (made / path).write_text(text, encoding="utf-8")
        made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return sorted(texts)


def project_files(names: Names, kind: str) -> dict[Path, str]:
    """Returns the text of each file of the project; the template's replace the reference's."""
    sources: dict[Path, Path] = {}
    reference = [reference_folder() / each for each in _FOLDERS[kind]]
    for folder in (*reference, Path(__file__).parent / "template"):
        for path in _sources(folder):
            sources[_target(path.relative_to(folder), names)] = path
    texts = {target: path.read_text(encoding="utf-8") for target, path in sources.items()}
    return {
        target: rewritten(without_left_out(text, kind), names)
        for target, text in texts.items()
        if not is_left_out(text)
    }


def reference_folder() -> Path:
    """Returns the folder of the reference plug-in that nexus-core carries.

    Raises:
        FileNotFoundError: it does not exist.
    """
    folder = Path(package_folder("reference_plugin"))
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder} is missing; reinstall nexus-core")
    return folder


def _sources(folder: Path) -> list[Path]:
    found = []
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        made = any(part in _NOT_SOURCES or part.startswith(".") for part in parts)
        if path.is_file() and not made:
            found.append(path)
    return found


def _target(path: Path, names: Names) -> Path:
    return Path(rewritten(path.with_name(_RENAMED.get(path.name, path.name)).as_posix(), names))
