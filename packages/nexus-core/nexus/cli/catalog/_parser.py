# SPDX-License-Identifier: Apache-2.0
"""The parser of `nexus catalog`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nexus.cli._parser import Commands

_CATALOG = "a catalog's file or folder, or the name of an installed catalog"

_BUILD = """\
Compile programs for several targets, and write the objects, the sources and a
kernel_catalog.json to a folder. Each FILE becomes a library, named like the file. If the folder has
a catalog already, its libraries of other names, and builds for other targets, stay.
"""


def add_catalog(
    commands: Commands, add_options: Callable[[argparse.ArgumentParser], None]
) -> Commands:
    """Adds `nexus catalog` with its actions, and returns the actions.

    Args:
        add_options: adds the options of nexus.ProgramOptions.
    """
    actions = commands.add_parser(
        "catalog",
        help="build, list and check kernel catalogs",
        description="Build, list and check kernel catalogs: files that index compiled kernels and "
        "sources for many devices.",
    ).add_subparsers(dest="action", metavar="ACTION")
    listing = actions.add_parser("list", help="list the libraries of catalogs, one per line")
    listing.add_argument(
        "catalogs", metavar="CATALOG", nargs="*", help=f"{_CATALOG}; default: all installed"
    )
    _add_json(listing)
    showing = actions.add_parser("show", help="show a catalog, or one library of it")
    showing.add_argument("catalog", metavar="CATALOG", help=_CATALOG)
    showing.add_argument("library", metavar="LIBRARY", nargs="?", help="a library's name")
    showing.add_argument("--version", metavar="V", help="the library's version; default: newest")
    _add_json(showing)
    checking = actions.add_parser("verify", help="compare the files of catalogs with the checksums")
    checking.add_argument(
        "catalogs", metavar="CATALOG", nargs="*", help=f"{_CATALOG}; default: all installed"
    )
    _add_json(checking)
    _add_build(actions, add_options)
    return actions


def _add_build(actions: Commands, add_options: Callable[[argparse.ArgumentParser], None]) -> None:
    build = actions.add_parser(
        "build",
        help="compile programs for several targets into a catalog",
        description=_BUILD,
        allow_abbrev=False,
    )
    build.add_argument("folder", metavar="FOLDER", help="the folder to write")
    build.add_argument("files", metavar="FILE", nargs="*", help="a program of one file")
    build.add_argument(
        "--target", dest="targets", metavar="TARGET", action="append", default=[],
        help="a device, or a backend and an architecture such as cpu:x86-64-v3; may be repeated",
    )  # fmt: skip
    build.add_argument(
        "--object", dest="objects", metavar="FILE=TARGET", action="append", default=[],
        help="add a compiled file, such as scale.cubin=cuda:sm_90; for object code of Nexus, FILE",
    )  # fmt: skip
    build.add_argument(
        "--triton", metavar="PATH", action="append", default=[],
        help="add kernels that Triton compiled: its cache folder, or the .json file of a kernel",
    )  # fmt: skip
    build.add_argument("--name", help="the catalog's name; default: the folder's")
    build.add_argument(
        "--version", metavar="V", help="the version of the catalog and its libraries, such as 1.0.0"
    )
    build.add_argument("--license", metavar="SPDX", help="the licence, such as Apache-2.0")
    build.add_argument("--description", help="a description of the catalog")
    build.add_argument(
        "--no-source", action="store_true", help="leave out the sources; devices need an object"
    )
    build.add_argument(
        "--keep-going", action="store_true",
        help="write what compiles if some targets fail; the exit status is 1",
    )  # fmt: skip
    add_options(build)


def _add_json(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print JSON")
