# SPDX-License-Identifier: Apache-2.0
"""Calls of HIP for another GPU, and for another process, fail once: it is told, and all goes on."""

from __future__ import annotations

from typing import Any

import hip_machine
import pytest
from hip_machine import HipMachine
from python_process import run_python
from test_hip_running import HEAD

PEERS = """
buffer = nexus.get_device("hip:1").create_buffer(np.full(4, 7, np.uint8))
over = lambda: device.create_buffer_from_handle(buffer.native_handle, 4)
told = []
for function in ("hipDeviceCanAccessPeer", "hipDeviceEnablePeerAccess", "hipMemPoolSetAccess"):
    fail(function, 999)
    told.append(f"{function} returned hipErrorUnknown (999)" in refusal(over)[1])
over().fill(3)
print(json.dumps([told, buffer.numpy().tolist()]))
"""
EVENTS = """
import pickle
make = lambda: device.create_event(nexus.event_type.Signal, shareable=True)
told = []
for function in ("hipEventCreateWithFlags", "hipIpcGetEventHandle"):
    fail(function, 999)
    told.append("hipErrorUnknown (999)" in refusal(lambda: pickle.dumps(make()))[1])
print(json.dumps([told, len(pickle.dumps(make())) > 64]))
"""
# The other process opens what it gets at the second try, and closes it in vain.
OTHER = '''
import pickle, subprocess, sys
CHILD = """
import pickle, sys
memory, event = pickle.load(sys.stdin.buffer)
told = []
for function, each in (("hipIpcOpenMemHandle", memory), ("hipIpcOpenEventHandle", event)):
    fail(function, 999)
    told.append(refusal(lambda: pickle.loads(each)))
buffer, event = pickle.loads(memory), pickle.loads(event)
buffer.copy_from(buffer.numpy() + 1)
fail("hipIpcCloseMemHandle", 999)
buffer.close()
device.create_buffer(4).close()
print(json.dumps([["(999)" in text for status, text in told], event.is_done]))
"""
buffer = device.create_buffer(np.full(8, 5, np.float32), shareable=True)
event = device.create_event(nexus.event_type.Signal, shareable=True)
shared = pickle.dumps([pickle.dumps(buffer), pickle.dumps(event)])
child = subprocess.run(
    [sys.executable, "-c", HEAD + CHILD], input=shared, stdout=subprocess.PIPE, check=True)
print(json.dumps([json.loads(child.stdout), buffer.numpy().tolist()]))
'''
PROGRAMS: dict[str, tuple[str, Any]] = {
    "another GPU": (PEERS, [[True] * 3, [3] * 4]),
    "an event to share": (EVENTS, [[True, True], True]),
    "another process": (f"HEAD = {HEAD!r}\n{OTHER}", [[[True, True], False], [6.0] * 8]),
}


@pytest.mark.parametrize("what", PROGRAMS)
def test_a_failure_is_told_and_the_next_try_works(rocm: HipMachine, what: str) -> None:
    program, told = PROGRAMS[what]
    machine = hip_machine.of_rocm().having(
        NEXUS_HIP_ROOT=rocm.environment["NEXUS_HIP_ROOT"], NEXUS_HIP_POOLS="1"
    )
    assert machine.run(HEAD + program)[0] == told


def test_a_gpu_without_a_uuid_shares_nothing_and_says_so(rocm: HipMachine) -> None:
    """Other processes find a GPU by its UUID. Every function of sharing is refused then."""
    one = hip_machine.of_rocm(devices=1).failing("hipDeviceGetUuid", 1, 999)
    suite = ("test_capabilities", "test_shared_events", "memory.test_shared_memory")
    done = run_python(
        *("-m", "pytest", "-q", "-p", "no:cacheprovider", "--nexus-backend", "hip", "--pyargs"),
        *(f"nexus.conformance.capi.{each}" for each in suite),
        more={**rocm.environment, **one.environment},
    )
    assert done.returncode == 0, done.stdout
    assert "Shareable" not in done.stdout.partition("claims")[2].partition("\n")[0]
