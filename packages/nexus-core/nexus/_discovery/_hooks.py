# SPDX-License-Identifier: Apache-2.0
"""Calls backends' hooks, each on its own thread, since third-party modules may hang."""

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

_QUICK = 0.2  # seconds after which the next one starts, even if this one has not answered
_here = threading.local()


def asks_here() -> bool:
    """Returns whether this thread is calling a backend's hooks."""
    return getattr(_here, "asking", False)


class Question(threading.Thread):
    """A thread that calls the hooks of one entry point and keeps their answers.

    Attributes:
        manifest: the path of the manifest, or None.
        config: the backend's configuration.
        failure: a sentence if the hooks gave no usable answer.
    """

    def __init__(self, entry_point: EntryPoint) -> None:
        super().__init__(name=f"nexus hooks of {entry_point.name}", daemon=True)
        self.entry_point = entry_point
        self.manifest: str | None = None
        self.config: dict[str, str] = {}
        self.failure = ""

    def run(self) -> None:
        """Calls the hooks. Catches every exception, since third parties' modules may raise any."""
        _here.asking = True
        try:
            self.manifest, self.config = _ask(self.entry_point)
        except BaseException as error:
            self.failure = f"{_whose(self.entry_point)} raised {_words(error)}."

    def give_up(self, seconds: float) -> None:
        """Records the missing answer as a failure. The thread goes on."""
        if self.is_alive():
            self.manifest, self.config = None, {}
            self.failure = (
                f"{_whose(self.entry_point)} did not answer within {seconds:g} s, and was given "
                "up; set NEXUS_PLUGIN_TIMEOUT to more seconds to wait longer."
            )


def ask(entry_points: Sequence[EntryPoint]) -> list[Question]:
    """Asks all in turn. Gives up those that take longer than NEXUS_PLUGIN_TIMEOUT."""
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
    """Returns the answers of one entry point's hooks. Passes on their exceptions."""
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
    """Returns the text. Raises ValueError if it can't be encoded as UTF-8, as libnexus requires."""
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
