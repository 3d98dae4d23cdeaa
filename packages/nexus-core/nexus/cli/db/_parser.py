# SPDX-License-Identifier: Apache-2.0
"""The parsers of `nexus db` and `nexus devices`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nexus.cli._parser import Commands

_NAME = "a device, such as H200, znver4 or nvidia-gpu-sm_90"


def add_devices(commands: Commands) -> None:
    """Adds `nexus devices`."""
    devices = commands.add_parser(
        "devices",
        help="list the devices of this machine, one per line",
        description="List the devices of this machine: selector, name, type, architecture, cores, "
        "memory, and the device file with more values.",
    )
    _add_json(devices)


def add_db(commands: Commands) -> Commands:
    """Adds `nexus db` with its actions, and returns the actions."""
    actions = commands.add_parser(
        "db",
        help="look up devices, including ones you don't have",
        description="Look up documented facts about devices, including ones you don't have.",
    ).add_subparsers(dest="action", metavar="ACTION")
    listing = actions.add_parser("list", help="list the device files, one per line")
    listing.add_argument("--vendor", metavar="V", help="only of this vendor, such as NVIDIA")
    listing.add_argument("--type", metavar="T", help="only of this type, such as cpu or gpu")
    _add_json(listing)
    showing = actions.add_parser("show", help="show a device file with its sources")
    showing.add_argument("name", metavar="NAME", nargs="+", help=f"{_NAME}; may be several words")
    _add_json(showing)
    diff = actions.add_parser("diff", help="compare two devices")
    diff.add_argument("a", metavar="A", help=_NAME)
    diff.add_argument("b", metavar="B", help="another device")
    # of names without quotes; argparse takes it for required if it has no default
    diff.add_argument("more", nargs="*", default=[], help=argparse.SUPPRESS)
    _add_json(diff)
    checking = actions.add_parser("validate", help="check device files")
    checking.add_argument("files", metavar="FILE", nargs="+", help="device files")
    _add_json(checking)
    _add_plot(actions)
    return actions


def _add_plot(actions: Commands) -> None:
    plot = actions.add_parser(
        "plot",
        help="draw a roofline of devices",
        description="Draw a roofline: the peak performance of devices over arithmetic intensity.",
    )
    plot.add_argument("names", metavar="NAME", nargs="+", help=_NAME)
    plot.add_argument(
        "-o", "--output", metavar="FILE", required=True, help="the picture, a .svg or .png file"
    )
    plot.add_argument(
        "--data-type",
        metavar="TYPE",
        default="float32",
        help="the data type, such as float16; default: float32",
    )
    plot.add_argument(
        "--unit",
        default="vector",
        choices=("vector", "matrix", "sparse matrix"),
        help="the kind of unit; default: vector",
    )


def _add_json(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print JSON")
