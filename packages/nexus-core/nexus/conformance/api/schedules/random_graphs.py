# SPDX-License-Identifier: Apache-2.0
"""Random schedules that change between runs, and the same commands executed by numpy."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

import numpy as np

import nexus
from nexus.conformance.api.workbench import COUNT, LONG, After, Work

Array = np.ndarray[Any, np.dtype[np.int32]]
Nodes = frozenset[int]  # indices of RandomGraph.nodes

# The index of the argument that a command writes, then of those that it reads.
ARGUMENTS = {
    "fill kernel": (0,),
    "fill": (0,),
    "copy kernel": (1, 0),
    "copy": (0, 1),
    "add kernel": (2, 0, 1),
    "function": (0, 1, 2),
}
WITH_NUMBER = ("fill kernel", "fill", "function")


@dataclass(eq=False)
class Cell:
    """A buffer or an array, and its expected numbers; None if they are undefined."""

    memory: nexus.Buffer | Array
    numbers: Array | None
    scratch_of: nexus.Schedule | None = None
    uses: set[tuple[Step, int]] = field(default_factory=set)  # a command, and which of its cells


@dataclass(eq=False)
class Step:
    """A command that writes its number plus the sum of its inputs, or that runs a schedule."""

    kind: str
    schedule: nexus.Schedule
    number: int = 0
    nested: nexus.Schedule | None = None
    command: nexus.Command = field(init=False)
    cells: list[Cell] = field(default_factory=list)  # that it writes, then those that it reads
    nodes: list[int] = field(default_factory=list)
    inner: range = range(0)  # the nodes of the nested schedule, from its first to its last
    seen: Nodes = frozenset()  # by a command that follows it
    enabled: bool = True


class Node(NamedTuple):
    """A command at one of its places in a run."""

    follows: Nodes
    path: tuple[Step, ...]  # the commands that run its schedule, and itself


def total(number: int, read: Sequence[Array]) -> Array:
    return sum(read, np.full(COUNT, number, np.int32))


def contents(memory: nexus.Buffer | Array) -> Array:
    return memory if isinstance(memory, np.ndarray) else memory.numpy()


def function(number: int, out: nexus.Buffer | Array, *read: nexus.Buffer | Array) -> None:
    """Executes a step on the host."""
    numbers = total(number, [contents(each) for each in read])
    if isinstance(out, np.ndarray):
        out[:] = numbers
    else:
        out.copy_from(numbers)


class RandomGraph:
    """A random schedule: kernels, copies, fills, host functions, and schedules within it.

    Its commands are in branches, in blocks, or in sequence; they use slices of one memory, other
    buffers, scratch buffers, and arrays. Commands that use the same cell follow each other
    (may_use), so any order that the branches allow gives the same numbers as the order of
    recording.
    """

    def __init__(self, work: Work, random: Random, size: int) -> None:
        self.work, self.random, self.left = work, random, size
        self.scratch = random.choice([0, 0.8])
        self.ways = random.choice([["schedule"], ["schedule", "if", "while", "switch"]])
        self.one = work.ints(1)
        stride = max(COUNT, int(work.device.properties.get("BufferOffsetAlignment", 64)) // 4)
        memory = work.ints(count=3 * stride)
        self.cells = [
            Cell(memory[start : start + COUNT], np.zeros(COUNT, np.int32))
            for start in range(0, 3 * stride, stride)
        ]
        self.steps: list[Step] = []  # without those that were removed
        self.nodes: list[Node] = []  # in the order of recording
        schedule = work.device.create_schedule()
        self.root = Step("schedule", schedule, nested=schedule)
        self.place(frozenset(), (self.root,))
        self.grow(self.root, frozenset(), (self.root,))

    # ---- Recording ----

    def place(self, follows: Nodes, path: tuple[Step, ...]) -> None:
        """Gives a step a place in the run, and records what a command after it then sees."""
        node = len(self.nodes)
        path[-1].nodes.append(node)
        path[-1].seen = follows | {node}
        self.nodes.append(Node(follows, path))

    def grow(self, outer: Step, before: Nodes, path: tuple[Step, ...]) -> None:
        """Adds commands that follow `before` to the schedule that a step runs."""
        schedule = outer.nested
        assert schedule is not None
        made = [each for each in self.steps if each.schedule is schedule]
        default = None if made else before  # what is seen without `after`, if that is known
        first = 0  # of the block
        block: AbstractContextManager[None] | None = None
        for _ in range(self.random.randint(1, 8)):
            if self.left <= 0:
                break
            if block is None and default is not None and self.random.random() < 0.2:
                block, first = schedule.parallel(), len(made)
                block.__enter__()
            after: After = None
            if default is None or self.random.random() < 0.6:
                chosen = self.random.sample(made, self.random.randint(0, min(3, len(made))))
                after = [each.command for each in chosen]
                follows = before.union(*(each.seen for each in chosen))
            else:
                follows = default
            made.append(self.add(schedule, after, follows, path))
            if block is None:
                default = made[-1].seen
            elif self.random.random() < 0.3:
                block.__exit__(None, None, None)
                default, block = before.union(*(each.seen for each in made[first:])), None
        if block is not None:
            block.__exit__(None, None, None)
        outer.inner = range(outer.nodes[0], len(self.nodes))
        outer.seen = outer.seen.union(*(each.seen for each in made))

    def add(
        self, schedule: nexus.Schedule, after: After, follows: Nodes, path: tuple[Step, ...]
    ) -> Step:
        """Adds a command."""
        step = None
        if self.random.random() < 0.2:
            step = self.repeat(schedule, follows, path) or self.nest(schedule, follows, path)
        if step is None:
            step = Step(self.random.choice(list(ARGUMENTS)), schedule)
            if step.kind in WITH_NUMBER:
                step.number = self.random.randint(-9, 9)
            self.place(follows, (*path, step))
            for place in range(len(ARGUMENTS[step.kind])):
                cells = [each for each in self.cells if self.may_use(step, place, each)]
                if not cells or self.random.random() < 0.3:
                    cells = [self.cell(step, place)]
                self.bind(step, place, self.random.choice(cells))
        step.command = self.record(step, after)
        self.steps.append(step)
        self.left -= 1
        return step

    def nest(self, schedule: nexus.Schedule, follows: Nodes, path: tuple[Step, ...]) -> Step | None:
        """Makes a schedule for another."""
        if len(path) == 3:
            return None
        step = Step("schedule", schedule, nested=self.work.device.create_schedule())
        path = (*path, step)
        self.place(follows, path)
        self.grow(step, step.seen, path)
        return step

    def repeat(
        self, schedule: nexus.Schedule, follows: Nodes, path: tuple[Step, ...]
    ) -> Step | None:
        """Adds a schedule that others contain in a second place, if that is allowed."""
        nested = [each for each in self.steps if each.nested]
        if not nested or self.random.random() < 0.5:
            return None
        former = self.random.choice(nested)
        step = Step("schedule", schedule, nested=former.nested)
        start, depth = len(self.nodes), len(self.nodes[former.inner.start].path)
        shift = start - former.inner.start
        step.inner = range(start, start + len(former.inner))
        for index in former.inner:
            node = self.nodes[index]
            self.place(
                follows.union(each + shift for each in node.follows if each in former.inner),
                (*path, step, *node.path[depth:]),
            )
        steps = [self.nodes[index].path[-1] for index in step.inner]
        if len(steps) > self.left or not all(
            self.may_use(each, place, cell)
            for each in steps
            for place, cell in enumerate(each.cells)
        ):
            for each in steps:
                each.nodes.pop()
            del self.nodes[start:]
            return None
        self.left -= len(steps)
        step.seen = follows.union(step.inner)
        return step

    def record(self, step: Step, after: After) -> nexus.Command:
        """Makes a step's command."""
        schedule, memories = step.schedule, [each.memory for each in step.cells]
        if step.nested is not None:
            return self.run(schedule, step.nested, after)
        if step.kind == "copy":
            return schedule.create_copy_command(*memories, after=after)
        if step.kind == "function":
            return schedule.create_host_command(function, step.number, *memories, after=after)
        out, *read = (each for each in memories if isinstance(each, nexus.Buffer))
        if step.kind == "fill":
            return schedule.create_fill_command(out, step.number, after=after)
        if step.kind == "fill kernel":
            return self.work.fill(schedule, out, step.number, after)
        if step.kind == "copy kernel":
            return self.work.copy(schedule, read[0], out, after)
        return self.work.add(schedule, read[0], read[1], out, after)

    def run(self, schedule: nexus.Schedule, nested: nexus.Schedule, after: After) -> nexus.Command:
        """Creates a command that runs another schedule, for some depending on an integer."""
        way = self.random.choice(self.ways)
        if way == "schedule":
            return schedule.create_schedule_command(nested, after=after)
        wrong = self.work.device.create_schedule()
        wrong.create_host_command(function, 99, self.cells[0].memory)
        if way == "if":
            return schedule.create_if_command(self.one, nested, wrong, after=after)
        if way == "switch":
            return schedule.create_switch_command(self.one, [wrong, nested], after=after)
        return schedule.create_while_command(self.one, nested, max_count=1, after=after)

    # ---- Cells ----

    def may_use(self, step: Step, place: int, cell: Cell) -> bool:
        """Returns whether a step may write (0) or read a cell."""
        others = [each for index, each in enumerate(step.cells) if index != place]
        arrays = [each for each in (cell, *others) if isinstance(each.memory, np.ndarray)]
        if (
            cell.scratch_of not in (None, step.schedule)
            or len(arrays) > {"copy": 1, "function": len(arrays)}.get(step.kind, 0)
            or (cell in others if place == 0 else cell is step.cells[0])
        ):
            return False
        return all(
            a == b or a in self.nodes[b].follows or b in self.nodes[a].follows
            for other, its_place in cell.uses
            if place == 0 or its_place == 0
            for a in step.nodes
            for b in other.nodes
        )

    def cell(self, step: Step, place: int) -> Cell:
        """Makes a cell for a step."""
        start, kind = np.arange(COUNT, dtype=np.int32), self.random.random()
        if place == 0 and kind < self.scratch:
            cell = Cell(step.schedule.create_buffer((COUNT,), "int32"), None, step.schedule)
        else:
            cell = Cell(start.copy(), start)
            if kind < 0.8 or not self.may_use(step, place, cell):
                cell.memory = self.work.device.create_buffer(start)
        self.cells.append(cell)
        return cell

    def bind(self, step: Step, place: int, cell: Cell) -> None:
        """Makes a step write (0) or read a cell."""
        for former in step.cells[place : place + 1]:
            former.uses.remove((step, place))
        step.cells[place : place + 1] = [cell]
        cell.uses.add((step, place))

    # ---- Changes ----

    def change(self) -> None:
        """Changes some commands for later runs."""
        for step in self.random.sample(self.steps, len(self.steps) // 3):
            change = self.random.choice(["enabled", "number", "cell", "cell"])
            if change == "enabled":
                step.enabled = step.command.enabled = self.random.random() < 0.7
            elif step.kind in ("schedule", "function"):
                pass  # nothing else of it can change
            elif change == "number" and step.kind in WITH_NUMBER:
                step.number = self.random.randint(-9, 9)
                step.command.set_arg(1, np.int32(step.number))
            else:
                place = self.random.randrange(len(step.cells))
                cells = [each for each in self.cells if self.may_use(step, place, each)]
                if cells:
                    self.bind(step, place, self.random.choice(cells))
                    argument = ARGUMENTS[step.kind][place]
                    step.command.set_buffer(argument, step.cells[place].memory)

    def edit(self) -> None:
        """Removes some commands and adds others, while no run is in flight."""
        for step in self.random.sample(self.steps, min(2, len(self.steps))):
            step.enabled = False
            step.command.remove()
            self.steps.remove(step)
            for place, cell in enumerate(step.cells):
                cell.uses.remove((step, place))
            step.cells = []
        self.left = 5
        self.grow(self.root, frozenset(), (self.root,))

    # ---- Runs ----

    def count(self, run: Step, times: int) -> None:
        """Executes runs of a step's schedule with numpy."""
        depth = len(self.nodes[run.inner.start].path)
        for index in [*run.inner] * times:
            path = self.nodes[index].path
            if not all(each.enabled for each in path[depth:]):
                continue
            step = path[-1]
            if step.cells:
                out, *read = step.cells
                numbers = [each.numbers for each in read if each.numbers is not None]
                known = len(numbers) == len(read)
                out.numbers = total(step.number, numbers) if known else None
            else:
                for cell in self.cells:
                    if cell.scratch_of is step.nested:
                        cell.numbers = None

    def check(self) -> None:
        """Checks all defined numbers, except in scratch memory."""
        cells = [each for each in self.cells if each.scratch_of is None]
        known = [each for each in cells if each.numbers is not None]
        found = [contents(each.memory).tolist() for each in known]
        assert found == [each.numbers.tolist() for each in known if each.numbers is not None]

    def run_and_check(self) -> None:
        """Runs the schedule and its nested ones in two streams, with changes between the runs."""
        go = self.work.device.create_event()
        with self.work.device.create_stream() as first, self.work.device.create_stream() as second:
            for turn in range(1, 4):
                if self.random.random() < 0.5:
                    first.wait(go, turn)  # all runs are held back
                stream = first
                for _ in range(self.random.randint(1, 3)):
                    run = self.random.choice([self.root, *(s for s in self.steps if s.nested)])
                    last, stream = stream, self.random.choice([first, second])
                    if stream is not last:
                        stream.wait(last)
                    times = self.random.randint(1, 3)
                    assert run.nested is not None
                    run.nested.run(stream, blocking=False, times=times)
                    self.count(run, times)
                    self.change()
                go.signal(turn)
                if self.random.random() < 0.5:
                    self.root.schedule.run(stream, timeout=LONG)
                    self.count(self.root, 1)
                stream.synchronize(LONG)
                self.check()
                self.edit()
