# SPDX-License-Identifier: Apache-2.0
"""An object of the wrong class is a TypeError that names the parameter and what was given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import nexus

Call = Callable[[nexus.Device, nexus.Schedule, nexus.Buffer], Any]

ANYTHING: Any = "nothing"


@pytest.mark.parametrize(
    ("parameter", "wanted", "call"),
    [
        ("kernel", "Kernel", lambda d, s, b: s.create_command(ANYTHING)),
        ("dst", "Buffer", lambda d, s, b: s.create_copy_command(ANYTHING, b)),
        ("src", "Buffer", lambda d, s, b: s.create_copy_command(b, ANYTHING)),
        ("buffer", "Buffer", lambda d, s, b: s.create_fill_command(ANYTHING, 0)),
        ("event", "Event", lambda d, s, b: s.create_signal_command(ANYTHING)),
        ("event", "Event", lambda d, s, b: s.create_wait_command(ANYTHING)),
        ("event", "Event", lambda d, s, b: d.default_stream.signal(ANYTHING)),
        (
            "event_or_stream",
            "Event or a nexus.Stream",
            lambda d, s, b: d.default_stream.wait(ANYTHING),
        ),
        ("buffer", "Buffer", lambda d, s, b: d.copy_buffer(ANYTHING)),
        ("stream", "Stream or None", lambda d, s, b: b.fill(0, stream=ANYTHING)),
        ("stream", "Stream or None", lambda d, s, b: b.copy(np.ones(1024), stream=ANYTHING)),
        ("stream", "Stream or None", lambda d, s, b: b.copy_from(np.ones(1024), stream=ANYTHING)),
        ("stream", "Stream or None", lambda d, s, b: s.run(ANYTHING)),
    ],
)
def test_the_error_names_parameter_class_and_value(
    device: nexus.Device,
    schedule: nexus.Schedule,
    buffer: nexus.Buffer,
    parameter: str,
    wanted: str,
    call: Call,
) -> None:
    expected = f"{parameter} has to be a nexus.{wanted}, not str ('nothing')."
    with pytest.raises(TypeError) as error:
        call(device, schedule, buffer)
    assert str(error.value) == expected
