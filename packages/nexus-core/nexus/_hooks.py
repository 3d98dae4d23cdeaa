# SPDX-License-Identifier: Apache-2.0
"""Asks a backend's hooks, each on a thread of its own, since a stranger's module may hang."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nexus import _core

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "nexus"

_QUICK = 0.2  # seconds; then the next one is asked as well
_here = threading.local()


def asks_here() -> bool:
    """Whether this thread is asking a backend's hooks."""
    return getattr(_here, "asking", False)


class Question(threading.Thread):
    """What the hooks of one entry point say, once they have answered.

    Attributes:
        manifest: the path of the manifest, where a hook names one.
        config: the backend's configuration.
        failure: a sentence, where the hooks gave no answer that can be used.
    """

    def __init__(self, entry_point: EntryPoint) -> None:
        super().__init__(name=f"nexus hooks of {entry_point.name}", daemon=True)
        self.entry_point = entry_point
        self.manifest: str | None = None
        self.config: dict[str, str] = {}
        self.failure = ""

    def run(self) -> None:
        """Asks. Whatever a stranger's module raises is its own failure."""
        _here.asking = True
        try:
            self.manifest, self.config = _ask(self.entry_point)
        except BaseException as error:
            self.failure = f"{_whose(self.entry_point)} raised {_words(error)}."

    def give_up(self, seconds: float) -> None:
        """Takes no answer as a failure. The thread is left behind."""
        if self.is_alive():
            self.manifest, self.config = None, {}
            self.failure = (
                f"{_whose(self.entry_point)} did not answer within {seconds:g} s, and was given "
                "up; NEXUS_PLUGIN_TIMEOUT sets another number of seconds."
            )


def ask(entry_points: Sequence[EntryPoint]) -> list[Question]:
    """Asks them one after the other; those that take long meanwhile, for NEXUS_PLUGIN_TIMEOUT."""
    import pluggy  # noqa: F401  # here, and not by several threads at once

    from nexus import hookspecs  # noqa: F401

    limit = _core.plugin_timeout()
    questions = [Question(entry_point) for entry_point in entry_points]
    for question in questions:
        question.start()
        question.join(min(_QUICK, limit))
    end = time.monotonic() + limit
    for question in questions:
        question.join(max(0.0, end - time.monotonic()))
        question.give_up(limit)
    return questions


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


def _whose(entry_point: EntryPoint) -> str:
    return f"The entry point '{entry_point.name} = {entry_point.value}'"


def _words(error: BaseException) -> str:
    try:
        words = f"{type(error).__name__}: {error}"
    except Exception:  # the error's own __str__ fails
        words = type(error).__name__
    return " ".join(words.split()).rstrip(".: ").encode(errors="backslashreplace").decode()
