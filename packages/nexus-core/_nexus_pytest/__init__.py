# SPDX-License-Identifier: Apache-2.0
"""The options of the conformance suite, for pytest.

``pytest --pyargs nexus.conformance`` reads its command line before it imports the suite, so the
options come from an entry point. This package stands beside ``nexus`` because every pytest of the
environment imports it: nothing else is loaded until --nexus-backend is given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options; those who wrote no suite of Nexus never use them."""
    group = parser.getgroup("nexus", "conformance of a Nexus backend")
    group.addoption("--nexus-backend", metavar="NAME", help="the backend, such as 'cpu'")
    group.addoption("--nexus-device", metavar="SEL", help="the device's selector; default: NAME:0")
    group.addoption(
        "--nexus-settings",
        metavar="FILE",
        help="the vendor's settings; default: nexus_conformance.toml beside the backend's "
        "manifest or in its package, where there is one",
    )
    group.addoption(
        "--nexus-kernels",
        metavar="FOLDER",
        help="prebuilt kernels, for a backend that does not compile the portable language; "
        "default: what the settings name",
    )
    _add_report(group)


def _add_report(group: pytest.OptionGroup) -> None:
    text = "writes a JSON report of the conformance suite"
    try:
        group.addoption(
            "--report", "--nexus-report", dest="nexus_report", metavar="FILE", help=text
        )
    except ValueError:  # another plug-in has an option --report
        group.addoption("--nexus-report", dest="nexus_report", metavar="FILE", help=text)


def pytest_configure(config: pytest.Config) -> None:
    """Loads the suite's own hooks where a backend is to be tested."""
    if config.getoption("nexus_backend", None) and not config.pluginmanager.has_plugin(
        "nexus-conformance"
    ):
        from nexus.conformance import _plugin

        config.pluginmanager.register(_plugin.make(config), "nexus-conformance")
