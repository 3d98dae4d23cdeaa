# SPDX-License-Identifier: Apache-2.0
"""`nexus new-backend`: writes the project of a new backend."""

from __future__ import annotations

import argparse
import shlex
import sys
from importlib.metadata import entry_points
from pathlib import Path
from textwrap import indent

import nexus
from nexus._discovery._hooks import GROUP
from nexus.cli._misuse import Misuse
from nexus.scaffold import DEFAULT_KIND, KINDS, Names, write_project

_NEXT = """\
Wrote {folder}: {count} files, a working backend. In this environment:

{steps}

Its README.md explains how to replace it step by step."""


def run(options: argparse.Namespace) -> int:
    """Writes the project and prints the next steps.

    Raises:
        Misuse: a name that no new backend can have, or a folder that exists.
        nexus.NexusError: the files can't be written.
    """
    try:
        names = Names.of(options.name, options.vendor, options.description)
        _check_not_installed(names)
        folder = Path(options.folder or names.distribution)
        written = write_project(names, folder, options.kind or _ask_kind())
    except ValueError as error:
        raise Misuse(f"{error}.") from error
    except OSError as error:
        raise nexus.NexusError(f"{folder} could not be written: {error}.") from error
    print(_NEXT.format(folder=folder, count=len(written), steps=_first_steps(folder)))
    return 0


def _ask_kind() -> str:
    """Returns the kind that the user types; the default without a terminal or an answer."""
    if not sys.stdin.isatty():
        return DEFAULT_KIND
    print("What is the backend to start from?")
    for kind, what in KINDS.items():
        print(f"  {kind:8}it {what}")
    print(f"Kind [{DEFAULT_KIND}]: ", end="", flush=True)
    kind = sys.stdin.readline().strip() or DEFAULT_KIND
    if kind not in KINDS:
        raise ValueError(f"the kind is {kind!r}; there are {' and '.join(KINDS)}")
    return kind


def _first_steps(folder: Path) -> str:
    """Returns the commands with which the project's README begins, ready to paste."""
    _, _, rest = (folder / "README.md").read_text(encoding="utf-8").partition("```sh\n")
    commands, _, _ = rest.partition("```")
    return indent(f"cd {shlex.quote(str(folder))}\n{commands.rstrip()}", "  ")


def _check_not_installed(names: Names) -> None:
    for entry_point in entry_points(group=GROUP):
        if entry_point.name == names.backend:
            where = entry_point.dist.name if entry_point.dist else entry_point.value
            raise Misuse(
                f"NAME is {names.backend!r}, a backend that is installed here ({where}); take "
                "another, or uninstall that."
            )
