# SPDX-License-Identifier: Apache-2.0
"""Finds the device file that the command line names."""

from __future__ import annotations

from pathlib import PurePath

import nexus
from nexus.cli._misuse import Misuse

# The advice in libnexus' errors, which C programs get too, and the command's own.
_ADVICE = "nexus.get_device_info() (in C nexus_get_device_info()) lists the known devices."
_OWN_ADVICE = "`nexus db list` lists the devices."
_LONGEST_NAME = 200  # characters; no device has a longer name


def look_up(name: str) -> nexus.Properties:
    """Returns the device file of that name, with its variant.

    Raises:
        Misuse: no device file, or more than one, has that name; the text names similar ones.
    """
    if len(name) > _LONGEST_NAME:
        raise Misuse(f"NAME has {len(name)} characters; write at most {_LONGEST_NAME}.")
    if not name.isprintable():
        raise Misuse(f"NAME is {name!a}; leave out the characters that can't be printed.")
    try:
        return nexus.lookup_device_info(name)
    except ValueError as error:
        raise Misuse(str(error).replace(_ADVICE, _OWN_ADVICE)) from error


def file_of(properties: nexus.Properties) -> str:
    """Returns the path of the properties' device file; empty if there is none."""
    return properties.source(["Architecture"]).file


def stem_of(properties: nexus.Properties) -> str:
    """Returns the name of that file without its extension."""
    return PurePath(file_of(properties)).stem
