# SPDX-License-Identifier: Apache-2.0
"""Methods of the extension's class ObjectCode that are written in Python."""

from __future__ import annotations

import os
import pathlib
import tempfile
from typing import Any

from nexus import _checks, _core
from nexus._collections import Argument, KernelAttributes, KernelDescription
from nexus._errors import NexusValueError, missing_file

_KINDS = {
    "Buffer": "buffer",
    "Scalar": "scalar",
    "LocalMemory": "local_memory",
}


def kernels(listed: list[dict[str, Any]]) -> tuple[KernelDescription, ...]:
    """Makes the kernels' descriptions from libnexus' records."""
    return tuple(
        KernelDescription(each["name"], _arguments(each.get("arguments")), _attributes(each))
        for each in listed
    )


def save(code: _core.ObjectCode, path: object) -> None:
    """Writes the object code to a file, atomically."""
    target = pathlib.Path(_checks.path("path", path))
    if target.is_dir():
        raise NexusValueError(f"path is '{target}', which is a folder: give the name of a file.")
    if not target.parent.is_dir():
        raise missing_file(
            str(target), f"path is '{target}': there is no folder '{target.parent}'."
        )
    write_whole(target, _core.write_object_code(code))


def write_whole(target: pathlib.Path, data: bytes) -> None:
    """Writes a file atomically: no reader sees a partial file."""
    handle, scratch = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        mask = os.umask(0)
        os.umask(mask)
        pathlib.Path(scratch).chmod(0o666 & ~mask)  # only the user can read a file from mkstemp
        pathlib.Path(scratch).replace(target)
    except BaseException:
        pathlib.Path(scratch).unlink(missing_ok=True)
        raise


def _arguments(listed: list[dict[str, Any]] | None) -> tuple[Argument, ...] | None:
    if listed is None:
        return None
    return tuple(map(_argument, listed))


def _argument(told: dict[str, Any]) -> Argument:
    """Creates an argument's description; code from other versions may lack parts of it."""
    dtype = told.get("dtype", "undefined")
    return Argument(
        told.get("name", ""),
        _KINDS.get(told.get("kind", ""), "unknown"),
        None if dtype == "undefined" else dtype,
        told.get("type", ""),
        told.get("size", 0),
    )


def _attributes(told: dict[str, Any]) -> KernelAttributes:
    required, cluster = told.get("required_group_size"), told.get("required_cluster_size")
    return KernelAttributes(
        tuple(required) if required else None,
        told.get("max_group_size") or None,
        told.get("local_memory", 0),
        told.get("registers"),
        told.get("private_memory"),
        told.get("constant_memory"),
        tuple(cluster) if cluster else None,
    )
