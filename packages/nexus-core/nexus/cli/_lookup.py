# SPDX-License-Identifier: Apache-2.0
"""The device file that a word of the command line names."""

from __future__ import annotations

from pathlib import PurePath

import nexus
from nexus.cli._misuse import Misuse

_LONGEST_NAME = 200  # letters; no device is called by more


def look_up(name: str) -> nexus.Properties:
    """What the device file of that name tells, with its variant.

    Raises:
        Misuse: no device file or several have that name; the text names near ones.
    """
    if len(name) > _LONGEST_NAME:
        raise Misuse(f"NAME has {len(name)} letters, and no device is called by so many.")
    if not name.isprintable():
        raise Misuse(f"NAME is {name!a}, which has letters that no device's name has.")
    try:
        return nexus.lookup_device_info(name)
    except ValueError as error:
        raise Misuse(str(error)) from error


def file_of(properties: nexus.Properties) -> str:
    """The path of the device file that they are of; empty where there is none."""
    return properties.source(["Architecture"]).file


def stem_of(properties: nexus.Properties) -> str:
    """The name of that file without its ending."""
    return PurePath(file_of(properties)).stem
