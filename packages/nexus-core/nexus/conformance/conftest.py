# SPDX-License-Identifier: Apache-2.0
"""Registers the suite's options, hooks and fixtures with pytest."""

from __future__ import annotations

import pytest

import _nexus_pytest
from nexus.conformance._fixtures import (
    backend,
    capabilities,
    default_sigint,
    device,
    kernels,
    native,
    other_device,
    settings,
)

__all__ = [
    "backend",
    "capabilities",
    "default_sigint",
    "device",
    "kernels",
    "native",
    "other_device",
    "settings",
]


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Adds the options if the entry point did not, as with PYTEST_DISABLE_PLUGIN_AUTOLOAD."""
    if not pluginmanager.has_plugin("_nexus_pytest"):
        pluginmanager.register(_nexus_pytest, "_nexus_pytest")


def pytest_collection_modifyitems(config: pytest.Config) -> None:
    """Refuses to run without a backend."""
    if not config.getoption("nexus_backend"):
        raise pytest.UsageError(
            "The conformance suite tests one backend: add --nexus-backend NAME, such as "
            "--nexus-backend cpu. `nexus info` lists the backends."
        )
