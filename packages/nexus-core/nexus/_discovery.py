# SPDX-License-Identifier: Apache-2.0
"""Finds the backends that are installed, and tells libnexus of them.

Nothing here runs at ``import nexus``: the first question for a backend calls `discover`.
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

    from nexus._hooks import Question

    _Found = TypeVar("_Found")

_lock = threading.RLock()  # a signal's handler that asks for backends meets itself here
_asking = False
_asked: set[tuple[str, str, str]] = set()  # names, values and distributions of entry points
_owners: dict[str, tuple[str, str]] = {}  # distribution and value of the entry point whose
# configuration counts, by the backend's name
_complete = False
_only: tuple[str, str] | None = None  # the one entry point that counts; empty texts: none
_config: dict[str, str] = {}


def get_config(key: str) -> str:
    """What the backends' hooks say of a key such as 'cpu.include'; '' where none does."""
    discover(key.partition(".")[0])
    return _config.get(key, "")


def restrict(entry_point: str, value: str) -> None:
    """From now on one entry point counts alone; with empty texts, NEXUS_PLUGIN_PATH alone."""
    global _only
    _only = (entry_point, value)


def discover(name: str | None = None) -> None:
    """Adds the installed backends of a name; or all, and those of NEXUS_PLUGIN_PATH.

    Each is asked once a process. A hook that hangs delays nobody who asks for another name.

    Raises:
        RuntimeError: a backend's module or hook called it while it was being asked.
    """
    global _asking, _complete
    if _complete:
        return
    from nexus import _hooks

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
                if _only is None or not any(_only):
                    _core.discover()
                _complete = True
        finally:
            _asking = False


def of_backend(name: str, find: Callable[[], _Found]) -> _Found:
    """What find gives when the backends of a name were asked, or else when all were."""
    if name:
        discover(name)
        if _complete:
            return find()
        try:
            return find()
        except NexusError:
            pass  # the backend may have another name than its entry point, or the text list others
    discover()
    return find()


def _refuse() -> None:
    raise RuntimeError(
        "it asked nexus for backends while they are looked for; a hook says where things are and "
        "does nothing else"
    )


def _not_asked(name: str | None) -> list[EntryPoint]:
    """The entry points of a name, or all, that were not asked yet: nexus-<name> of each first."""
    from importlib.metadata import entry_points

    from nexus._hooks import GROUP

    found = [
        each
        for each in entry_points(group=GROUP)
        if name in (None, each.name)
        and _only in (None, (each.name, each.value))
        and (each.name, each.value, _distribution(each)) not in _asked
    ]
    return sorted(found, key=lambda each: (not _is_own(each), each.name))


def _is_own(entry_point: EntryPoint) -> bool:
    """Whether the distribution bears the backend's name."""
    return _distribution(entry_point) == f"nexus-{entry_point.name}"


def _distribution(entry_point: EntryPoint) -> str:
    name = entry_point.dist.name if entry_point.dist else ""
    return re.sub(r"[-_.]+", "-", name).lower()


def _take(question: Question) -> None:
    """Tells libnexus what a backend's hooks said."""
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
    """Whether the backend of the entry point's name is this distribution's: nexus-<name>, also
    where it is broken, else the first one with a plug-in, as libnexus gives the name."""
    entry_point = question.entry_point
    if question.manifest is None and not (question.failure and _is_own(entry_point)):
        return False
    owner = (distribution, entry_point.value)
    return _owners.setdefault(entry_point.name, owner) == owner
