# SPDX-License-Identifier: Apache-2.0
"""Random schedules with branches, and the numbers that they leave by any right order."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from random import Random

import numpy as np

import nexus
from nexus.conformance.api.workbench import COUNT, LONG, Work, values

Node = int  # a command that does something, by the order in which it was made


@dataclass
class Cell:
    """A buffer, the number that numpy has for it, and the commands that used it last."""

    buffer: nexus.Buffer
    number: int = 0
    scratch_of: nexus.Schedule | None = None
    writer: Node | None = None
    readers: set[Node] = field(default_factory=set)


class RandomGraph:
    """A schedule of fills, copies, additions, nested schedules and blocks in random branches.

    A command reads only what commands write that it follows, directly or not, and writes only what
    no other branch uses. So the numbers are those of the order in which the commands were made.

    With scratch most buffers that are made are scratch memory of the schedule that writes them
    first, and only that reads them.
    """

    def __init__(self, work: Work, random: Random, size: int, scratch: bool = False) -> None:
        self.work, self.random, self.left, self.scratch = work, random, size, scratch
        self.fills: list[tuple[nexus.Command, int]] = []  # and the index of the step
        self.steps: list[tuple[str, list[Cell], int]] = []
        self.cells = [Cell(work.ints()) for _ in range(3)]
        self.newest: frozenset[Node] = frozenset()
        self.schedule = work.device.create_schedule()
        self.grow(self.schedule, frozenset(), depth=0)

    def grow(
        self, schedule: nexus.Schedule, before: frozenset[Node], depth: int
    ) -> frozenset[Node]:
        """Adds commands that follow `before`. Returns all of them with what they follow."""
        seen: list[frozenset[Node]] = []  # of each command: what a command after it sees
        commands: list[nexus.Command] = []
        default, first = before, 0  # what is seen without `after`; the first command of the block
        block: AbstractContextManager[None] | None = None
        for _ in range(self.random.randint(1, 8)):
            if self.left == 0:
                break
            self.left -= 1
            if block is None and self.random.random() < 0.2:
                block, first = schedule.parallel(), len(commands)
                block.__enter__()
            after, follows = None, default
            if self.random.random() < 0.6:
                count = self.random.randint(0, min(3, len(commands)))
                chosen = self.random.sample(range(len(commands)), count)
                after = [commands[each] for each in chosen]
                follows = before.union(*(seen[each] for each in chosen))
            commands.append(self.add(schedule, after, follows, depth))
            seen.append(self.newest)
            if block is None:
                default = seen[-1]
            elif self.random.random() < 0.3:
                block.__exit__(None, None, None)
                default, block = before.union(*seen[first:]), None
        if block is not None:
            block.__exit__(None, None, None)
        return before.union(*seen)

    def add(
        self,
        schedule: nexus.Schedule,
        after: list[nexus.Command] | None,
        follows: frozenset[Node],
        depth: int,
    ) -> nexus.Command:
        """Adds one command; `newest` is then what a command after it sees."""
        if depth < 2 and self.random.random() < 0.15:
            nested = self.work.device.create_schedule()
            command = schedule.create_schedule_command(nested, after=after)
            self.newest = self.grow(nested, follows, depth + 1)
            return command
        node = len(self.steps)
        usable = [each for each in self.cells if each.scratch_of in (None, schedule)]
        readable = [each for each in usable if each.writer is None or each.writer in follows]
        writable = [each for each in readable if each.readers <= follows]
        if not writable or self.random.random() < 0.5:
            self.cells.append(self.cell(schedule))
            writable = self.cells[-1:]
        out = self.random.choice(writable)
        readable = [each for each in readable if each is not out]
        kinds = {"fill": 0, "fill command": 0, "copy": 1, "copy command": 1, "add": 2}
        kind = self.random.choice(list(kinds)) if readable else "fill"
        read = [self.random.choice(readable) for _ in range(kinds[kind])]
        number = self.random.randint(0, 9)
        if kind == "fill":
            command = self.work.fill(schedule, out.buffer, number, after)
            self.fills.append((command, node))
        elif kind == "fill command":
            command = schedule.create_fill_command(out.buffer, number, after=after)
        elif kind == "copy":
            command = self.work.copy(schedule, read[0].buffer, out.buffer, after)
        elif kind == "copy command":
            command = schedule.create_copy_command(out.buffer, read[0].buffer, after=after)
        else:
            a, b = (each.buffer for each in read)
            command = self.work.add(schedule, a, b, out.buffer, after)
        for each in read:
            each.readers.add(node)
        out.writer, out.readers = node, set()
        self.steps.append((kind, [out, *read], number))
        self.newest = follows | {node}
        return command

    def cell(self, schedule: nexus.Schedule) -> Cell:
        """Makes a buffer that is not written yet."""
        if self.scratch and self.random.random() < 0.8:
            return Cell(schedule.create_buffer((COUNT,), "int32"), scratch_of=schedule)
        return Cell(self.work.ints())

    def rebind(self) -> None:
        """Gives some fills another number."""
        for command, step in self.random.sample(self.fills, len(self.fills) // 2):
            number = self.random.randint(0, 9)
            command.set_arg(1, np.int32(number))
            kind, cells, _ = self.steps[step]
            self.steps[step] = (kind, cells, number)

    def count(self) -> None:
        """Does with numbers what a run does."""
        for kind, (out, *read), number in self.steps:
            out.number = number if kind.startswith("fill") else sum(each.number for each in read)
            out.number = (out.number + 2**31) % 2**32 - 2**31

    def check(self) -> None:
        """Checks the buffers that are not scratch memory."""
        cells = [each for each in self.cells if each.scratch_of is None]
        assert [values(each.buffer) for each in cells] == [{each.number} for each in cells]

    def run_and_check(self) -> None:
        """Runs the schedule three times, with other numbers each time, and checks what is left."""
        with self.work.device.create_stream() as stream:
            for _ in range(3):
                self.schedule.run(stream, blocking=False)
                self.count()
                self.rebind()
            stream.synchronize(LONG)
        self.check()
