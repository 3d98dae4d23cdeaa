# SPDX-License-Identifier: Apache-2.0
"""`nexus db validate`: checks device files."""

from __future__ import annotations

import argparse
import json
import stat
from pathlib import Path
from typing import Any

import nexus
from nexus._resources import package_folder
from nexus._units import counted
from nexus.cli._console import show
from nexus.cli.db import _device_check
from nexus.cli.db._device_check import Problem

_LARGEST = 4 << 20  # bytes; libnexus takes no larger file
_LONGEST = 300  # characters of a reason; a schema's may repeat half the file


def run(options: argparse.Namespace) -> int:
    """Prints the problems of the files; returns 0 if there are none, else 1.

    Raises:
        nexus.NexusError: jsonschema is not installed.
    """
    schema = _schema()
    found = [(name, problem) for name in options.files for problem in _problems(Path(name), schema)]
    if options.json:
        listed = [
            {"file": name, "path": problem.path, "reason": problem.text} for name, problem in found
        ]
        print(json.dumps({"files": len(options.files), "problems": listed}, indent=2))
    else:
        summary = f"{counted(len(options.files), 'device file')}, {counted(len(found), 'problem')}"
        show(*(_line(name, problem) for name, problem in found), summary)
    return 1 if found else 0


def _schema() -> dict[str, Any]:
    try:
        import jsonschema  # noqa: F401
    except ImportError as error:
        raise nexus.NexusError(
            'device files are checked with jsonschema: pip install "nexus-core[validate]"'
        ) from error
    path = Path(package_folder("schema"), "device_info.schema.json")
    schema: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return schema


def _problems(path: Path, schema: dict[str, Any]) -> list[Problem]:
    try:
        told = path.stat()
        if not stat.S_ISREG(told.st_mode):
            return [Problem("", "it is not a file.")]
        if told.st_size > _LARGEST:
            return [Problem("", f"it has {told.st_size} bytes; at most {_LARGEST} are allowed.")]
        return _device_check.check_file(path, schema)
    except OSError as error:
        return [Problem("", f"it can't be read: {error.strerror or error}.")]
    except RecursionError:
        return [Problem("", "its values are nested too deeply.")]


def _line(name: str, problem: Problem) -> str:
    text = problem.text if len(problem.text) <= _LONGEST else f"{problem.text[:_LONGEST]}..."
    return f"{name}: {problem.path or 'the file'}: {text}"
