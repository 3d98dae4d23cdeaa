# SPDX-License-Identifier: Apache-2.0
"""Linking through the C-API: separately compiled pieces become one program."""

from __future__ import annotations

import json

import pytest

from nexus.conformance._applies import not_applicable
from nexus.conformance.capi import calls
from nexus.conformance.capi.bench import Bench

pytestmark = pytest.mark.needs("Compile")


@pytest.fixture(autouse=True)
def linking(bench: Bench) -> None:
    """Ends the test if the backend does not link the portable language."""
    calls.need(bench, "LinkProgram")
    if "nexus" not in calls.languages(bench):
        not_applicable("the backend does not compile the portable language")


def refused(bench: Bench, wanted: str, *codes: bytes) -> None:
    sinks = [calls.Sink() for _ in range(3)]
    given = [sink.struct for sink in sinks]
    bench.native.refuse(wanted, "LinkProgram", bench.device, calls.link_info(*codes), *given)
    assert sinks[0].data == b""


def test_pieces_become_a_library_with_the_kernels_of_all(bench: Bench) -> None:
    texts = [calls.program(f"NEXUS_KERNEL({name}) {{}}\n") for name in ("one", "two")]
    pieces = [calls.piece(bench, source=text) for text in texts]
    code, log, description = calls.Sink(), calls.Sink(), calls.Sink()
    info = calls.link_info(*pieces)
    bench.native.get("LinkProgram", bench.device, info, code.struct, log.struct, description.struct)
    assert {"Compiler", "Target", "Flags", "Format"} <= set(json.loads(description.data))
    library = bench.create("CreateLibrary", bench.device, code.data, len(code.data))
    assert {"one", "two"} <= set(bench.property("Library", library, "KernelNames") or ())


def test_a_kernel_that_two_pieces_have_is_refused(bench: Bench) -> None:
    code = calls.piece(bench)
    refused(bench, "NXS_LinkProgramFailure", code, code)


@pytest.mark.parametrize("code", [b"no code at all", b"\0" * 64])
def test_what_is_no_code_is_refused(bench: Bench, code: bytes) -> None:
    refused(bench, "NXS_InvalidBinary", code)


def test_no_piece_is_refused(bench: Bench) -> None:
    refused(bench, "NXS_InvalidValue")
