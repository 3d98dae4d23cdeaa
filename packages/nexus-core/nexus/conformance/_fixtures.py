# SPDX-License-Identifier: Apache-2.0
"""The fixtures of the suite."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

import nexus
from nexus.conformance import _applies, _settings
from nexus.conformance._kernels import Kernels
from nexus.conformance._subject import Subject

if TYPE_CHECKING:
    from nexus.conformance._native import Native


def _subject(config: pytest.Config) -> Subject:
    plugin: Any = config.pluginmanager.get_plugin("nexus-conformance")
    found: Subject = plugin.subject
    return found


@pytest.fixture(scope="session", autouse=True)
def default_sigint() -> Iterator[None]:
    """Restores Ctrl-C in the tests and the processes that they start.

    A shell starts a background job (`nox &`) with SIGINT ignored, and its children inherit that.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def backend(pytestconfig: pytest.Config) -> str:
    """Returns the backend's name."""
    return _subject(pytestconfig).backend


@pytest.fixture(scope="session")
def device(pytestconfig: pytest.Config) -> nexus.Device:
    """Returns the device under test."""
    return _subject(pytestconfig).device


@pytest.fixture(scope="session")
def other_device(pytestconfig: pytest.Config) -> nexus.Device:
    """Returns a second device of the backend."""
    found = _subject(pytestconfig).other_device()
    if found is None:
        _applies.not_applicable("it needs two devices, and the backend has one")
    return found


@pytest.fixture(scope="session")
def capabilities(pytestconfig: pytest.Config) -> frozenset[str]:
    """Returns the names of the capability bits that the backend claims, such as 'Timing'."""
    return _subject(pytestconfig).capabilities


@pytest.fixture(scope="session")
def settings(pytestconfig: pytest.Config) -> _settings.Settings:
    """Returns the vendor's nexus_conformance.toml, or the defaults."""
    return _subject(pytestconfig).settings


@pytest.fixture(scope="session")
def kernels(pytestconfig: pytest.Config) -> Kernels:
    """Returns the kernels of the suite: kernels["fill_i32"] is a nexus.Kernel."""
    return Kernels(_subject(pytestconfig))


@pytest.fixture(scope="session")
def native(pytestconfig: pytest.Config) -> Native:
    """Returns the plug-in's own functions."""
    from nexus.conformance._native import Native

    return Native(_subject(pytestconfig))
