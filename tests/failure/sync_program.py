# SPDX-License-Identifier: Apache-2.0
"""Runs under the layer `sync` for test_sync_layer.py, and prints the outcome of its work."""

from __future__ import annotations

import json
import sys

from faulty_device import COUNT, LONG, Bench, faults, open_gate

import nexus
from nexus import _core


def main() -> None:
    """Runs schedules that succeed and that fail, and tells."""
    _core.add_manifest(sys.argv[1], "")
    open_gate()
    bench = Bench(nexus.get_device("faulty"))
    told: dict[str, object] = {}

    schedule = bench.device.create_schedule()
    bench.fill(schedule, 3)
    schedule.create_signal_command(bench.event, 1, 2)
    scale = (bench.buffer, 2.0, bench.buffer)
    schedule.create_command(bench.kernel("scale_f32"), scale, 4, COUNT)
    schedule.create_command(bench.kernel("scale_f32"), scale, 4, COUNT)
    schedule.create_signal_command(bench.event, 2, 2)
    values = []
    for _ in range(2):
        schedule.run(bench.stream, timeout=LONG)
        values.append(bench.event.value)
    told["result"], told["values"] = bench.buffer.numpy().tolist(), values

    before, after = bench.floats(), bench.floats()
    guilty = bench.device.create_schedule()
    bench.fill(guilty, 1, before)
    bench.fill(guilty, 1, before)
    bench.fail(guilty)
    bench.fill(guilty, 1, after)
    told["name"] = guilty.get_property_str("Name").capitalize()
    try:
        guilty.run(bench.stream, timeout=LONG)
    except nexus.NexusError as error:
        told["guilty"] = str(error)
    bench.stream.close()
    told["before"], told["after"] = before.numpy().tolist(), after.numpy().tolist()

    nested, outer = bench.device.create_schedule(), bench.device.create_schedule()
    bench.fail(nested)
    bench.fill(outer, 1)
    outer.create_schedule_command(nested)
    told["nested names"] = [each.get_property_str("Name") for each in (outer, nested)]
    stream = bench.device.create_stream()
    try:
        outer.run(stream, timeout=LONG)
    except nexus.NexusError as error:
        told["nested"] = str(error)
    stream.close()

    stream = bench.device.create_stream()
    filling = bench.filling(1)
    told["late name"] = filling.get_property_str("Name").capitalize()
    with faults("RunSchedule:40=late:NXS_DeviceLost"):
        for _ in range(40):
            filling.run(stream, blocking=False)
    try:
        stream.synchronize(LONG)
    except nexus.NexusError as error:
        told["late"] = str(error)
    stream.close()

    stream = bench.device.create_stream()
    idle = []
    with faults("FillBuffer=slow:20", "RunSchedule=slow:20", "SignalEvent=slow:20"):
        bench.buffer.fill(1, stream=stream, blocking=False)
        idle.append(stream.is_idle)
        bench.filling(1).run(stream, blocking=False)
        idle.append(stream.is_idle)
        stream.signal(bench.device.create_event())
        idle.append(stream.is_idle)
    told["idle"] = idle
    print(json.dumps(told))


if __name__ == "__main__":
    main()
