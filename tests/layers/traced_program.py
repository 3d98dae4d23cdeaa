# SPDX-License-Identifier: Apache-2.0
"""Work on a device, for traces: `python traced_program.py BACKEND [MANIFEST [FAULTS]]`."""

from __future__ import annotations

import sys
import threading

import numpy as np

import nexus
from nexus import _core

COUNT = 1024
RUNS = 5
REFERENCE = b"nexus-reference 1\nfill_f32\nscale_f32\nadd_f32\nfail\n"
PORTABLE = """
NEXUS_KERNEL_BOUNDED(fill_f32, (n), (NEXUS_GLOBAL float *, x), (float, value), (int, n)) {
  x[nexus_global_id(0)] = value;
}
"""


class Bench:
    """A device, and a kernel that fills a buffer with a value."""

    def __init__(self, backend: str, manifest: str = "", faults: str = "") -> None:
        if manifest:
            _core.add_manifest(manifest, "")
        self.faults = faults
        self.fail(faults)
        self.device = nexus.get_device(backend)
        self.is_cpu = backend == "cpu"
        code = nexus.Program(PORTABLE).compile(self.device) if self.is_cpu else REFERENCE
        self.library = self.device.load_library(code)
        self.kernel = self.library.get_kernel("fill_f32")
        self.buffer = self.device.create_buffer(np.zeros(COUNT, np.float32))

    @staticmethod
    def fail(*faults: str) -> None:
        """Sets what fails from now on, in the words of tests/plugins/nexus-faulty."""
        _core.set_config("faulty.faults", ",".join(filter(None, faults)))

    def fill(self, schedule: nexus.Schedule, value: float) -> nexus.Command:
        """Appends the kernel."""
        more = (COUNT,) if self.is_cpu else ()
        return schedule.create_command(self.kernel, (self.buffer, value, *more), 64, COUNT)

    def filling(self, commands: int = 1) -> nexus.Schedule:
        """A schedule of so many."""
        schedule = self.device.create_schedule()
        for value in range(commands):
            self.fill(schedule, value)
        return schedule


def main() -> None:
    bench = Bench(*sys.argv[1:])
    stream = bench.device.create_stream()
    filling, three = bench.filling(), bench.filling(3)
    for _ in range(RUNS):
        filling.run()
    with nexus.trace.range("the part that does not block"):
        for _ in range(RUNS):
            filling.run(stream, blocking=False)
        nexus.trace.mark("submitted")
        stream.synchronize()
    three.run(stream)
    outer = bench.device.create_schedule()
    outer.create_schedule_command(filling)
    outer.create_schedule_command(three)
    outer.run(stream)
    event = bench.device.create_event()
    bench.fail(bench.faults, "FillBuffer=slow:20")
    bench.device.create_buffer((COUNT,)).fill(1, stream=stream, blocking=False)
    stream.signal(event, 1)
    bench.device.default_stream.wait(event, 1)  # on the CPU the signal has happened by now
    bench.fail(bench.faults)
    other = threading.Thread(target=filling.run)
    other.start()
    other.join()
    with bench.device.create_buffer((COUNT,)) as copy:
        copy.copy_from(bench.buffer)
    bench.buffer.numpy()
    filling.run(stream, blocking=False)
    stream.close()


if __name__ == "__main__":
    main()
