# SPDX-License-Identifier: Apache-2.0
"""NEXUS_LAYERS=validate over a plug-in that lies, and over one that does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from validated import Validated

WORK = """\
_core.add_manifest({manifest!r}, "")
device = nexus.get_device("{name}")
buffer = device.create_buffer(1024)
stream = device.create_stream()
event = device.create_event()
for turn in range(3):
    try:
        buffer.fill(turn, stream=stream, blocking=False)
        stream.signal(event, turn + 1)
        stream.is_idle
        stream.synchronize()
    except nexus.NexusError:
        pass
try:
    buffer.get_property_keys()
except nexus.NexusError:
    pass
"""
LIES = {
    "ticket": "NXV-0403-ticket-order",
    "completed": "NXV-0404-completion",
    "early": "NXV-0405-early-wait",
    "unwritten": "NXV-0406-not-written",
    "type": "NXV-0409-property-type",
    "keys": "NXV-0410-keys",
    "silent": "NXV-0413-no-reason",
}


def test_an_honest_plugin_has_no_message(validated: Validated, lying_manifest: Path) -> None:
    told = validated(WORK.format(manifest=str(lying_manifest), name="lying"))
    assert told.status == 0, told.stderr
    assert told.lines == []


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_told(lie: str, validated: Validated, lying_manifest: Path) -> None:
    text = WORK.format(manifest=str(lying_manifest), name="lying")
    told = validated(text, NEXUS_LYING_LIE=lie)
    assert told.status == 0, told.stderr
    assert LIES[lie] in told.ids
