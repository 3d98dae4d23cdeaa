# SPDX-License-Identifier: Apache-2.0
"""The programs of examples/kernels as modules, and the device that they run on."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

import nexus

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "kernels"

Load = Callable[[str], ModuleType]


@pytest.fixture(scope="session")
def load() -> Iterator[Load]:
    """The program of that name; each finds `launch` beside itself, as when it is run."""
    loaded: dict[str, ModuleType] = {}

    def one(name: str) -> ModuleType:
        if name not in loaded:
            spec = importlib.util.spec_from_file_location(
                f"gallery_{name}", EXAMPLES / f"{name}.py"
            )
            assert spec is not None
            assert spec.loader is not None
            loaded[name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(loaded[name])
        return loaded[name]

    sys.path.insert(0, str(EXAMPLES))
    yield one
    sys.path.remove(str(EXAMPLES))
    sys.modules.pop("launch", None)


@pytest.fixture(scope="session")
def device() -> nexus.Device:
    return nexus.get_device(os.environ.get("NEXUS_DEVICE", "cpu"))
