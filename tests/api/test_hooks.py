# SPDX-License-Identifier: Apache-2.0
"""How entry points are asked: each on its own, and what is wrong becomes one sentence."""

from __future__ import annotations

import sys
import types
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pluggy
import pytest

from nexus import _hooks

hook = pluggy.HookimplMarker("nexus")


def entry_point(monkeypatch: pytest.MonkeyPatch, **functions: Any) -> EntryPoint:
    """An entry point `acme` whose module has the functions."""
    module = types.ModuleType("nexus_acme")
    vars(module).update(functions)
    monkeypatch.setitem(sys.modules, "nexus_acme", module)
    return EntryPoint("acme", "nexus_acme", _hooks.GROUP)


def test_a_manifest_as_text_or_as_a_path(monkeypatch: pytest.MonkeyPatch) -> None:
    for path in ("/acme/nxs_plugin.json", Path("/acme/nxs_plugin.json")):

        @hook
        def nexus_manifest(path: Any = path) -> Any:
            return path

        acme = entry_point(monkeypatch, nexus_manifest=nexus_manifest)
        assert _hooks._ask(acme) == ("/acme/nxs_plugin.json", {})


def test_a_package_without_a_backend_for_this_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    @hook
    def nexus_manifest() -> None:
        return None

    assert _hooks._ask(entry_point(monkeypatch, nexus_manifest=nexus_manifest)) == (None, {})


def test_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    @hook
    def nexus_config() -> dict[str, str]:
        return {"acme.compiler": "/acme/cc"}

    acme = entry_point(monkeypatch, nexus_config=nexus_config)
    assert _hooks._ask(acme) == (None, {"acme.compiler": "/acme/cc"})


def test_configuration_is_text(monkeypatch: pytest.MonkeyPatch) -> None:
    @hook
    def nexus_config() -> dict[str, Any]:
        return {"acme.compiler": 1}

    with pytest.raises(TypeError, match=r"acme\.compiler"):
        _hooks._ask(entry_point(monkeypatch, nexus_config=nexus_config))


def test_a_hook_that_there_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    @hook
    def nexus_manifesto() -> None:
        """A slip of the pen."""

    with pytest.raises(pluggy.PluginValidationError, match="nexus_manifesto"):
        _hooks._ask(entry_point(monkeypatch, nexus_manifesto=nexus_manifesto))


def test_the_sentence_has_one_line_and_names_the_entry_point(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    @hook
    def nexus_manifest() -> str:
        raise OSError("the vendor\n  folder is gone.")

    (question,) = _hooks.ask([entry_point(monkeypatch, nexus_manifest=nexus_manifest)])
    assert question.failure == (
        "The entry point 'acme = nexus_acme' raised OSError: the vendor folder is gone."
    )
