# SPDX-License-Identifier: Apache-2.0
"""The other process in the tests of shared memory. It inherits the simulated driver."""

from __future__ import annotations

import os
import pickle
from multiprocessing.connection import Connection

import numpy as np

import nexus


def add_one(pickled: bytes, done: Connection) -> None:
    """Adds one to all numbers of a buffer from the parent process."""
    buffer = pickle.loads(pickled)
    buffer.copy_from(buffer.numpy() + 1)
    done.send((buffer.shape, buffer.dtype, buffer.__dlpack_device__()))


def keep(name: Connection, go: Connection) -> None:
    """Shares a buffer until the parent ends it."""
    buffer = nexus.get_device("cuda:0").create_buffer(np.full(8, 5.0), shareable=True)
    name.send_bytes(pickle.dumps(buffer))
    go.recv()


def signal(pipe: Connection) -> None:
    """Shares an event; signals, exports or ends on the parent's commands."""
    gpu = nexus.get_device("cuda:0")
    event = gpu.create_event(nexus.event_type.Signal, shareable=True)
    pipe.send_bytes(pickle.dumps(event))
    with gpu.create_stream() as stream:
        while (told := pipe.recv()) != "end":
            if told == "abort":
                os.kill(os.getpid(), 9)
            elif told == "signal":
                stream.signal(event)
                pipe.send("signalled")
            else:
                pipe.send_bytes(pickle.dumps(event))
        stream.synchronize(60)
    event.close()


def wait_in_stream(pipe: Connection) -> None:
    """Lets a stream wait for an event of the parent process."""
    event = pickle.loads(pipe.recv_bytes())
    with nexus.get_device("cuda:0").create_stream() as stream:
        stream.wait(event)
        marked = stream.record()
        pipe.send("done" if marked.is_done else "running")
        stream.synchronize(60)
        pipe.send("done" if marked.is_done and event.is_done else "running")
