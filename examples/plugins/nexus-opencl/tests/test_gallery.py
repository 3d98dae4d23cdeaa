# SPDX-License-Identifier: Apache-2.0
"""The gallery of kernels (examples/kernels) on every device, compared with numpy."""

from __future__ import annotations

import pytest
from conftest import HERE, run_python

import nexus

GALLERY = HERE.parents[2] / "kernels"
PROGRAMS = sorted(path.stem for path in GALLERY.glob("*.py") if path.stem != "launch")
START = """
import runpy, sys
import pocl_processor
pocl_processor.name_this_processor()
sys.path.insert(0, sys.argv[1].rpartition("/")[0])
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def test_the_gallery_is_beside_this_project() -> None:
    assert len(PROGRAMS) == 14


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_agrees_with_numpy(device: nexus.Device, name: str) -> None:
    output = run_python("-c", START, str(GALLERY / f"{name}.py"), device.selector)
    assert f"{device.selector}: " in output
