# SPDX-License-Identifier: Apache-2.0
"""Finds the installed backends and adds them to libnexus.

Nothing here runs at ``import nexus``: the first call that needs a backend calls `discover`.
"""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING

from nexus import _core
from nexus._errors import NexusError

if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.metadata import EntryPoint
    from typing import TypeVar

    from nexus._discovery._hooks import Question

    _Found = TypeVar("_Found")

_lock = threading.RLock()  # reentrant: a signal handler may ask for backends too
_asking = False
_asked: set[tuple[str, str, str]] = set()  # names, values and distributions of entry points
_owners: dict[str, tuple[str, str]] = {}  # distribution and value of the entry point whose
# configuration counts, by the backend's name
_complete = False
_only: tuple[str, str] | None = None  # the only entry point to ask; empty texts: none
_config: dict[str, str] = {}


def get_config(key: str) -> str:
    """Returns the value that a backend's hook gives for a key such as 'cpu.include', or ''."""
    discover(key.partition(".")[0])
    return _config.get(key, "")


def restrict(entry_point: str, value: str, manifest: str, distribution: str) -> None:
    """Restricts discovery to this entry point, or, if it is empty, to this manifest."""
    global _only
    _only = (entry_point, value)
    if manifest:
        _core.add_manifest(manifest, distribution)


def discover(name: str | None = None) -> None:
    """Adds the installed backends with a name. Without a name, adds all installed backends, those
    in NEXUS_PLUGIN_PATH and those beside libnexus.

    Hooks are called once per process. One that hangs does not delay the discovery of other names.

    Raises:
        RuntimeError: the caller is a module or hook of a backend, called by discovery.
    """
    global _asking, _complete
    if _complete:
        return
    from nexus._discovery import _hooks

    if _hooks.asks_here():
        _refuse()
    with _lock:
        if _asking:
            _refuse()
        _asking = True
        try:
            for question in _hooks.ask(_not_asked(name)):
                _take(question)
            if name is None:
                if _only is None:
                    _core.discover()
                _complete = True
        finally:
            _asking = False


def of_backend(name: str, find: Callable[[], _Found]) -> _Found:
    """Calls find after discovering the backends of a name. If find fails, calls it again after
    discovering all."""
    if name:
        discover(name)
        if _complete:
            return find()
        try:
            return find()
        except NexusError:
            pass  # the entry point may have another name than the backend; the text may list others
    discover()
    return find()


def _refuse() -> None:
    raise RuntimeError(
        "it asked nexus for backends during discovery; a hook must only return locations"
    )


def _not_asked(name: str | None) -> list[EntryPoint]:
    """Returns the entry points (with a name, or all) not asked yet; nexus-<name> comes first."""
    from importlib.metadata import entry_points

    from nexus._discovery._hooks import GROUP

    found = [
        each
        for each in entry_points(group=GROUP)
        if name in (None, each.name)
        and _only in (None, (each.name, each.value))
        and (each.name, each.value, _distribution(each)) not in _asked
    ]
    return sorted(found, key=lambda each: (not _is_own(each), each.name))


def _is_own(entry_point: EntryPoint) -> bool:
    """Returns whether the distribution is named after the backend."""
    return _distribution(entry_point) == f"nexus-{entry_point.name}"


def _distribution(entry_point: EntryPoint) -> str:
    name = entry_point.dist.name if entry_point.dist else ""
    return re.sub(r"[-_.]+", "-", name).lower()


def _take(question: Question) -> None:
    """Passes the answers of a backend's hooks to libnexus."""
    entry_point = question.entry_point
    distribution = _distribution(entry_point)
    _asked.add((entry_point.name, entry_point.value, distribution))
    if question.failure:
        _core.add_failure(entry_point.name, distribution, question.failure)
    elif question.manifest is not None:
        _core.add_manifest(question.manifest, distribution)
    if _owns_name(question, distribution):
        for key, value in question.config.items():
            _config[key] = value
            _core.set_config(key, value)


def _owns_name(question: Question, distribution: str) -> bool:
    """Returns whether this distribution owns the backend's name: nexus-<name> does, even if it is
    broken; else the first one with a plug-in, as in libnexus."""
    entry_point = question.entry_point
    if question.manifest is None and not (question.failure and _is_own(entry_point)):
        return False
    owner = (distribution, entry_point.value)
    return _owners.setdefault(entry_point.name, owner) == owner
