# SPDX-License-Identifier: Apache-2.0
"""Backends that compile and link nothing."""

from __future__ import annotations

import pytest

import nexus

PIECE = nexus.ProgramOptions(relocatable=True)


def test_a_backend_without_a_linker_says_so(faulty_device: nexus.Device) -> None:
    name = faulty_device.runtime.name
    with pytest.raises(nexus.NexusError, match="nxsLinkProgram") as error:
        nexus.Linker(b"x", target=name).link()
    assert error.value.status == nexus.status.NXS_NotSupported
    program = nexus.Program("kernel k", "reference", options=PIECE)
    with pytest.raises(ValueError, match="relocatable"):
        program.compile(name)
