# SPDX-License-Identifier: Apache-2.0
"""run(): described schedules as tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import nexus
from nexus.distributed import run

if TYPE_CHECKING:
    from distributed import Client

ONES = np.ones(8, np.float32)


def test_a_task_runs_a_description_on_a_worker(client: Client, description: Any) -> None:
    buffer = nexus.get_device("cpu").create_buffer(ONES)
    task = client.submit(run, description, {"x": buffer}, resources={"nexus-cpu": 1})
    assert task.result()["y"].numpy().tolist() == [2.0] * 8


def test_the_results_of_tasks_are_the_values_of_others(client: Client, description: Any) -> None:
    first = client.submit(run, description, {"x": ONES}, "y")
    second = client.submit(lambda y: run(description, {"x": y}, "y"), first)
    assert second.result().numpy().tolist() == [4.0] * 8


def test_the_values_of_a_task_do_not_change(device: nexus.Device, description: Any) -> None:
    y = device.create_buffer(ONES)
    assert run(description, {"x": ONES, "y": y}, "y").numpy().tolist() == [3.0] * 8
    assert y.numpy().tolist() == [1.0] * 8


def test_each_run_starts_from_zeros(description: Any) -> None:
    for _ in range(2):
        assert run(description, {"x": ONES}, "y").numpy().tolist() == [2.0] * 8


def test_a_number_is_replaced_by_name(description: Any) -> None:
    assert run(description, {"x": ONES, "a": 5.0}, "y").numpy().tolist() == [5.0] * 8
    assert run(description, {"x": ONES}, "y").numpy().tolist() == [2.0] * 8


def test_buffers_have_indices_too(description: Any) -> None:
    x, y = run(description, {0: ONES}, [0, 1])
    assert (x.numpy().tolist(), y.numpy().tolist()) == ([1.0] * 8, [2.0] * 8)


def test_copies_fills_and_parts_of_buffers_take_values(device: nexus.Device) -> None:
    source, target = nexus.zeros(8, device=device), nexus.zeros(8, device=device)
    schedule = device.create_schedule()
    schedule.create_fill_command(target, 7.0)
    schedule.create_copy_command(target[4:], source[:4])
    described = schedule.describe()
    part = next(
        at
        for at, each in enumerate(described["buffers"])
        if each["memory"] == 1 and each["bytes"] == 16
    )
    whole = next(at for at, each in enumerate(described["buffers"]) if each["bytes"] == 32)
    (made,) = run(described, {part: ONES[:4]}, [whole])
    assert made.numpy().tolist() == [7.0] * 4 + [1.0] * 4


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"z": ONES}, r"values names 'z', which no kernel of the schedule has"),
        ({"x": ONES[:4]}, r"values\['x'\] has the shape \(4,\) and the dtype float32"),
        ({"x": ONES.astype("int32")}, r"values\['x'\] has the shape \(8,\) and the dtype int32"),
        ({9: ONES}, r"values has the index 9, and the description has 2 buffers"),
        ({"a": "two"}, r"values\['a'\]: it is not a number of float32"),
    ],
)
def test_a_value_that_does_not_fit_is_refused(description: Any, values: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        run(description, values)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((5,), "description has to be the result of Schedule.describe"),
        (({}, [ONES]), "values has to be a mapping"),
    ],
)
def test_an_argument_of_a_wrong_type_is_refused(arguments: Any, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        run(*arguments)


def test_a_value_that_is_no_array_is_refused(description: Any) -> None:
    with pytest.raises(TypeError, match=r"values\['x'\] has to be a nexus.Buffer or an array"):
        run(description, {"x": [1.0]})


@pytest.mark.parametrize("outputs", [2.5, True, {"y": 1}])
def test_outputs_of_a_wrong_type_are_refused(description: Any, outputs: Any) -> None:
    with pytest.raises(TypeError, match="outputs has to be names or indices of buffers"):
        run(description, {"x": ONES}, outputs)


def test_an_unknown_output_is_refused(description: Any) -> None:
    with pytest.raises(ValueError, match="outputs names 'result', which no kernel"):
        run(description, {"x": ONES}, "result")


def test_a_name_of_several_buffers_is_refused(device: nexus.Device, description: Any) -> None:
    other = {**description["buffers"][0], "memory": 1}
    (schedule,) = description["schedules"]
    (command,) = schedule["commands"]
    _, *others = command["arguments"]
    again = {**command, "arguments": [{"buffer": 2}, *others]}
    several = {
        **description,
        "buffers": [*description["buffers"], other],
        "schedules": [{"commands": [command, again]}],
    }
    with pytest.raises(ValueError, match=r"values names 'x', which is several buffers.*\[0, 2\]"):
        run(several, {"x": ONES})


@pytest.mark.parametrize("change", [{"backend": "cuda"}, {"version": 7}, {"buffers": 3}])
def test_a_description_that_does_not_fit_is_refused(description: Any, change: Any) -> None:
    with pytest.raises(ValueError, match=f"description\\['{next(iter(change))}'\\]"):
        run({**description, **change}, {"x": ONES})
