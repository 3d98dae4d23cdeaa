# SPDX-License-Identifier: Apache-2.0
"""`import nexus` loads no backend, no numpy, and nothing that only some programs need."""

from __future__ import annotations

import json
import sys
import sysconfig

import pytest
from python_process import run_python

import nexus

pytestmark = pytest.mark.smoke


def modules_after(code: str) -> set[str]:
    """Returns the modules that a new process has loaded after the code."""
    program = (
        f"{code}\nimport sys; names = list(sys.modules); import json; print(json.dumps(names))"
    )
    done = run_python("-c", program, check=True)
    return set(json.loads(done.stdout))


def test_importing_loads_nothing_heavy() -> None:
    loaded = modules_after("import nexus")
    assert not loaded & {"numpy", "pluggy", "rich", "importlib.metadata", "logging", "nexus_cpu"}


def test_importing_loads_no_plugin() -> None:
    program = "import nexus; print(open('/proc/self/maps').read())"
    if not sys.platform.startswith("linux"):
        pytest.skip("/proc/self/maps, which lists loaded libraries, is Linux's")
    done = run_python("-c", program, check=True)
    assert "libnexus.so" in done.stdout
    assert "libnexus_" not in done.stdout


def test_finding_devices_does_not_load_numpy() -> None:
    assert "numpy" not in modules_after("import nexus; nexus.get_devices()")


SUBINTERPRETER = """
try:
    import _interpreters as interpreters  # from 3.13 on
except ImportError:
    import _xxsubinterpreters as interpreters
code = "try: import nexus\\nexcept ImportError as error: print(error, flush=True)"
interpreters.run_string(interpreters.create(), code)
"""


def test_a_subinterpreter_is_told_at_once_that_it_can_not_import_nexus() -> None:
    done = run_python("-c", SUBINTERPRETER, check=True)
    assert "does not support loading in subinterpreters" in done.stdout


def test_importing_leaves_a_free_threaded_python_without_the_gil() -> None:
    if not sysconfig.get_config_var("Py_GIL_DISABLED"):
        pytest.skip("this Python is not free-threaded")
    program = "import sys, nexus; nexus.get_devices(); print(sys._is_gil_enabled())"
    done = run_python("-W", "error", "-c", program, check=True)
    assert done.stdout == "False\n"


def test_submodules_are_there_without_importing_them() -> None:
    assert nexus.status.NXS_Success == 0
    assert nexus.property.Architecture == 13
    assert nexus.event_type.Fence == 2
    assert nexus.data_type.BF16 == 3


def test_dir_lists_what_there_is() -> None:
    listed = dir(nexus)
    assert set(nexus.__all__) <= set(listed)
    for name in nexus.__all__:
        assert getattr(nexus, name) is not None
