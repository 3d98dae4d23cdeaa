# SPDX-License-Identifier: Apache-2.0
"""The hooks through which a package offers a backend to Nexus.

A backend's package names a module in the entry-point group ``nexus``, and the module implements
these hooks with pluggy's marker for the project ``nexus``::

    # pyproject.toml
    [project.entry-points.nexus]
    acme = "nexus_acme"

    # nexus_acme/__init__.py
    import pathlib
    import pluggy

    @pluggy.HookimplMarker("nexus")
    def nexus_manifest():
        return pathlib.Path(__file__).parent / "nxs_plugin.json"

Nexus loads the entry points when a program first asks for a backend, never at ``import nexus``.
Each is loaded on its own: if one raises, it becomes a record in ``nexus.get_backends()``, and the
others work. A hook only returns paths and settings; in particular, it must not load a driver.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

import pluggy

_hookspec = pluggy.HookspecMarker("nexus")


@_hookspec
def nexus_manifest() -> str | os.PathLike[str] | None:
    """Returns the path of the backend's ``nxs_plugin.json``.

    Returns:
        The path; None if the package has no backend for this platform.
    """


@_hookspec
def nexus_config() -> Mapping[str, str] | None:
    """Returns the backend's settings, such as the path of a compiler that came in a wheel.

    Returns:
        Values by key. A key begins with the backend's name and a dot (``cpu.zig``); the plug-in
        reads it with the host's ``get_config``. Only the distribution that owns the backend's
        name can configure it. None means no settings.
    """
