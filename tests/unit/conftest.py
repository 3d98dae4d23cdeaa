# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the unit tests: libnexus without Python's own module."""

from __future__ import annotations

from pathlib import Path

import pytest
from native import Install, MakePlugin, compile_plugin, write_manifest
from system import System


@pytest.fixture
def system() -> System:
    """A fresh process that looks for backends: configure it, then call report()."""
    return System()


@pytest.fixture(scope="session")
def build_plugin(tmp_path_factory: pytest.TempPathFactory) -> MakePlugin:
    """Builds a plug-in of tests/plugins/bad, each with its options once a run."""
    folder = tmp_path_factory.mktemp("plugins")
    built: dict[tuple[str, ...], Path] = {}

    def build(source: str, *options: str) -> Path:
        key = (source, *options)
        if key not in built:
            built[key] = compile_plugin(source, folder / f"libplugin{len(built)}.so", *options)
        return built[key]

    return build


@pytest.fixture
def install(system: System, build_plugin: MakePlugin, tmp_path: Path) -> Install:
    """Gives the system one more plug-in, whose manifest it returns."""

    def add(
        name: str,
        source: str = "plain.c",
        *options: str,
        folder: str = "",
        distribution: str = "",
        **changes: object,
    ) -> Path:
        calls_itself = "alias" if name == "renamed" else name
        named = [f'-DNAME="{calls_itself}"'] if source in ("plain.c", "broken.c") else []
        library = build_plugin(source, *named, *options) if source.endswith(".c") else source
        manifest = write_manifest(tmp_path / (folder or name), name, library, **changes)
        system.add(manifest, distribution)
        return manifest

    return add
