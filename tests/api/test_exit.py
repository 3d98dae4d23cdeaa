# SPDX-License-Identifier: Apache-2.0
"""A program ends, with its own exit status, whatever of Nexus is still going on."""

from __future__ import annotations

import pytest
from python_process import run_python

SETUP = """
import sys, threading
import nexus
device = nexus.get_device()
event = device.create_event()
schedule = device.create_schedule()
buffer = device.create_buffer(1 << 20)
"""

PROGRAMS = {
    "a run waits for what nobody will signal": """
schedule.create_wait_command(event, 1)
schedule.create_fill_command(buffer, 1)
schedule.run(blocking=False)
""",
    "a stream of its own waits": """
stream = device.create_stream()
stream.wait(event, 5)
buffer.fill(1, stream=stream, blocking=False)
""",
    "work is in flight": """
for _ in range(200):
    buffer.fill(1, blocking=False)
""",
    "a thread waits": """
threading.Thread(target=event.wait, daemon=True).start()
""",
    "a thread starts work": """
schedule.create_fill_command(buffer, 1)
def work():
    while True:
        schedule.run()
threading.Thread(target=work, daemon=True).start()
""",
    "modules keep the objects": """
sys.modules["json"] = (device, event, schedule, buffer, memoryview(buffer))
""",
    "the objects are in a circle": """
circle = [device, event, schedule, buffer, memoryview(buffer)]
circle.append(circle)
del device, event, schedule, buffer
""",
    "destructors use them": """
class Last:
    def __init__(self):
        self.buffer = buffer
        self.device = device
    def __del__(self):
        self.buffer.fill(2)
        self.device.synchronize()
last = Last()
last.itself = last
""",
    "exit functions use them": """
import atexit
atexit.register(lambda: (buffer.fill(3), device.synchronize()))
""",
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=list(PROGRAMS))
def test_a_program_ends_while(program: str) -> None:
    done = run_python("-c", SETUP + program + "sys.exit(7)")
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 7)
