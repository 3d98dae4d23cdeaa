# SPDX-License-Identifier: Apache-2.0
"""`nexus new-backend`: a project to start a backend from."""

from __future__ import annotations

import argparse
from importlib.metadata import entry_points
from pathlib import Path

import nexus
from nexus._hooks import GROUP
from nexus.cli._misuse import Misuse
from nexus.scaffold import Names, write_project

_NEXT = """\
Wrote {folder}: {count} files, a backend that works.

  cd {folder}
  pip install ".[test]"       # or `pip wheel .`
  nexus info                  # lists {name}:0
  pytest tests                # its own tests, and conformance

README.md there leads through replacing it piece by piece."""


def run(options: argparse.Namespace) -> int:
    """Writes the project and says what to do next.

    Raises:
        Misuse: a name that no new backend can have, or a folder that is there.
        nexus.NexusError: the files can't be written.
    """
    try:
        names = Names.of(options.name, options.vendor, options.description)
        _check_not_installed(names)
        folder = Path(options.folder or names.distribution)
        written = write_project(names, folder)
    except ValueError as error:
        raise Misuse(f"{error}.") from error
    except OSError as error:
        raise nexus.NexusError(f"{folder} could not be written: {error}.") from error
    print(_NEXT.format(folder=folder, count=len(written), name=names.backend))
    return 0


def _check_not_installed(names: Names) -> None:
    for entry_point in entry_points(group=GROUP):
        if entry_point.name == names.backend:
            where = entry_point.dist.name if entry_point.dist else entry_point.value
            raise Misuse(
                f"NAME is {names.backend!r}, a backend that is installed here ({where}); take "
                "another, or uninstall that."
            )
