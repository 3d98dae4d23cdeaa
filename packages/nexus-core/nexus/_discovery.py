# SPDX-License-Identifier: Apache-2.0
"""Finds the backends that are installed, and tells libnexus of them.

Nothing here runs at ``import nexus``: the first question for a backend calls `discover`.
"""

from __future__ import annotations

import os
import re
import threading
from typing import TYPE_CHECKING, Any

from nexus import _core

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "nexus"

_lock = threading.RLock()  # a hook that asks nexus for backends meets itself here
_asking = False
_done = False
_config: dict[str, str] = {}


def get_config(key: str) -> str:
    """What the backends' hooks say of a key such as 'cpu.include'; '' where none does."""
    discover()
    return _config.get(key, "")


def discover() -> None:
    """Adds each installed backend, and those of NEXUS_PLUGIN_PATH, once a process.

    Raises:
        RuntimeError: a backend's module or hook called it while it was being asked.
    """
    global _asking, _done
    if _done:
        return
    with _lock:
        if _asking:
            raise RuntimeError(
                "it asked nexus for backends while they are looked for; a hook says where things "
                "are and does nothing else"
            )
        if not _done:
            _asking = True
            try:
                for entry_point in _entry_points():
                    _add(entry_point)
                _core.discover()
                _done = True
            finally:
                _asking = False


def _entry_points() -> list[EntryPoint]:
    from importlib.metadata import entry_points

    found = entry_points(group=GROUP)
    return sorted(found, key=lambda each: (_distribution(each) != f"nexus-{each.name}", each.name))


def _distribution(entry_point: EntryPoint) -> str:
    name = entry_point.dist.name if entry_point.dist else ""
    return re.sub(r"[-_.]+", "-", name).lower()


def _add(entry_point: EntryPoint) -> None:
    distribution = _distribution(entry_point)
    try:
        manifest, config = _ask(entry_point)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever a stranger's module raises is its own failure
        _core.add_failure(entry_point.name, distribution, _sentence(entry_point, error))
        return
    for key, value in config.items():
        if key not in _config:  # of two that claim a name, nexus-<name> was asked first
            _config[key] = value
            _core.set_config(key, value)
    if manifest is not None:
        _core.add_manifest(manifest, distribution)


def _ask(entry_point: EntryPoint) -> tuple[str | None, dict[str, str]]:
    """What the hooks of one entry point say. Raises whatever is wrong with it."""
    import pluggy

    from nexus import hookspecs

    manager = pluggy.PluginManager(GROUP)
    manager.add_hookspecs(hookspecs)
    manager.register(entry_point.load(), name=entry_point.name)
    manager.check_pending()
    paths: list[Any] = manager.hook.nexus_manifest()
    configs: list[Any] = manager.hook.nexus_config()
    manifest = _utf8("nexus_manifest()", os.fsdecode(paths[0])) if paths else None
    config = dict(configs[0]) if configs else {}
    for key, value in config.items():
        if not isinstance(key, str) or not isinstance(value, str):
            raise TypeError(f"nexus_config() has the item {key!r}: {value!r}; both have to be str")
        if not key.startswith(f"{entry_point.name}."):
            raise ValueError(
                f"nexus_config() has the key {key!r}; a backend's keys begin with its name and a "
                f"dot, {entry_point.name + '.'!r}"
            )
        _utf8("nexus_config()", key + value)
    return manifest, config


def _utf8(hook: str, text: str) -> str:
    """The text; ValueError where libnexus, which takes UTF-8, could not be told it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{hook} says {text!r}, which is not UTF-8") from None
    return text


def _sentence(entry_point: EntryPoint, error: BaseException) -> str:
    try:
        words = f"{type(error).__name__}: {error}"
    except Exception:  # the error's own __str__ fails
        words = type(error).__name__
    text = " ".join(words.split()).rstrip(".: ").encode(errors="backslashreplace").decode()
    return f"The entry point '{entry_point.name} = {entry_point.value}' raised {text}."
