# SPDX-License-Identifier: Apache-2.0
"""NEXUS_LAYERS=validate: use of memory without order, and objects that are never released."""

from __future__ import annotations

from validated import Validated

STREAMS = """\
device = nexus.get_device("cpu")
buffer = device.create_buffer(np.zeros(1 << 20, np.float32))
first, second = device.create_stream(), device.create_stream()
"""
END = """\
first.synchronize()
second.synchronize()
"""


def test_a_program_that_orders_its_streams_has_no_message(validated: Validated) -> None:
    told = validated(
        STREAMS
        + """\
buffer.fill(1.0, stream=first, blocking=False)
second.wait(first)
buffer.fill(2.0, stream=second, blocking=False)
"""
        + END
    )
    assert (told.status, told.lines, told.stderr) == (0, [], "")


def test_two_streams_that_write_one_buffer_are_told_with_both_lines(validated: Validated) -> None:
    told = validated(
        STREAMS
        + "buffer.fill(1.0, stream=first, blocking=False)\n"
        + "buffer.fill(2.0, stream=second, blocking=False)\n"
        + END
    )
    assert told.status == 0
    assert told.ids == ["NXV-0301-hazard"]
    assert "program.py:7" in told.lines[0]
    assert told.lines[0].endswith("program.py:8)")
    assert "made at" in told.lines[0]
    assert told.lines[-1].startswith("summary: 1 NXV-0301-hazard in ")


def test_one_place_is_told_once_and_counted_each_time(validated: Validated) -> None:
    told = validated(
        STREAMS
        + """\
for turn in range(5):
    for stream in (first, second):
        buffer.fill(turn, stream=stream, blocking=False)
"""
        + END
    )
    assert told.ids == ["NXV-0301-hazard"]
    assert told.lines[-1].startswith("summary: ")
    assert not told.lines[-1].startswith("summary: 1 ")


def test_a_hazard_raises_where_that_is_wanted(validated: Validated) -> None:
    told = validated(
        STREAMS
        + """\
buffer.fill(1.0, stream=first, blocking=False)
try:
    buffer.fill(2.0, stream=second, blocking=False)
except nexus.NexusError as error:
    assert "NXV-0301-hazard" in str(error), str(error)
else:
    raise SystemExit("it did not raise")
"""
        + END,
        NEXUS_VALIDATE="raise",
    )
    assert told.status == 0, told.stderr


def test_messages_go_to_the_logger_of_the_layer(validated: Validated) -> None:
    told = validated(
        "import logging\nlogging.basicConfig(format='%(name)s %(levelname)s %(message)s')\n"
        + STREAMS
        + "buffer.fill(1.0, stream=first, blocking=False)\n"
        + "buffer.fill(2.0, stream=second, blocking=False)\n"
        + END
    )
    assert "nexus.validate WARNING NXV-0301-hazard: cpu: nxsFillBuffer: " in told.stderr


def test_an_object_that_is_never_released_is_told_with_its_line(validated: Validated) -> None:
    told = validated("""\
import ctypes
device = nexus.get_device("cpu")
kept = device.create_buffer(1000)
ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))
""")
    assert told.status == 0, told.stderr
    assert told.ids == ["NXV-0501-leak"]
    assert "1000 bytes, was not released; made at " in told.lines[0]
    assert "program.py:6" in told.lines[0]
    assert "NXV-0501-leak" in told.stderr


def test_objects_of_the_main_module_are_no_leak(validated: Validated) -> None:
    told = validated(
        STREAMS
        + """\
event = device.create_event()
schedule = device.create_schedule()
schedule.create_fill_command(buffer, 3.0)
schedule.create_signal_command(event, 1)
schedule.run(first)
device.default_stream.wait(first)
"""
    )
    assert told.status == 0, told.stderr
    assert told.lines == []
