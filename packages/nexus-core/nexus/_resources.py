# SPDX-License-Identifier: Apache-2.0
"""Finds folders inside the installed package. Imported when first needed."""

from __future__ import annotations

import importlib.resources
from pathlib import Path


def package_folder(name: str) -> str:
    """Returns the path of a folder of the package, such as 'include' or 'schema'."""
    # In an editable install the built files are not beside this file. In a build tree the headers
    # are beside the sources to which the package's files link.
    installed = Path(str(importlib.resources.files("nexus").joinpath(name)))
    if installed.is_dir():
        return str(installed)
    return str(Path(__file__).resolve().parent.parent / name)
