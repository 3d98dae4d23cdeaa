# SPDX-License-Identifier: Apache-2.0
"""Groups and grids that can't be launched."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from workbench import (
    COUNT,
    GROUP,
    Case,
    Workbench,
    Wrong,
    by_name,
    check_refused,
    check_wrong,
    refused,
    wrong,
)

import nexus
from nexus.status import Status

PARAMETERS = ["group_size", "grid_size", "group_count"]

# A size, what is raised, and what the text tells besides the parameter's name.
SIZES = [
    wrong("negative", -1, ValueError, " is -1", "at least "),
    wrong("hugely negative", -(2**70), ValueError, " is -1180591620717411303424"),
    wrong("2**63", 2**63, ValueError, " is 9223372036854775808"),
    wrong("2**64, which 64 bits would wrap to zero", 2**64, ValueError, " is 18446744073709551616"),
    wrong("2**64 + 1", 2**64 + 1, ValueError, " is 18446744073709551617"),
    wrong("a float", 4.0, TypeError, " has to be an int", "float (4.0)"),
    wrong("no number", float("nan"), TypeError, " has to be an int", "float (nan)"),
    wrong("infinity", float("inf"), TypeError, " has to be an int", "float (inf)"),
    wrong("numpy's float", np.float32(4), TypeError, " has to be an int", "4.0"),
    wrong("text", "4", TypeError, " has to be an int", "str ('4')"),
    wrong("bytes", b"4", TypeError, " has to be an int", "bytes (b'4')"),
    wrong("a bool", True, TypeError, " has to be an int", "bool (True)"),
    wrong("a set", {4}, TypeError, " has to be an int", "set ({4})"),
    wrong("a dict", {0: 4}, TypeError, " has to be an int", "dict ({0: 4})"),
    wrong("a generator", (each for each in (4, 1)), TypeError, " has to be an int", "generator"),
    wrong("a list without lengths", [], ValueError, " is []", "one to three lengths"),
    wrong("a tuple without lengths", (), ValueError, " is ()", "one to three lengths"),
    wrong("four dimensions", [4, 1, 1, 1], ValueError, " is [4, 1, 1, 1]", "one to three lengths"),
    wrong("a negative length", (4, 1, -1), ValueError, "[2] is -1", "at least "),
    wrong("a huge length", (1, 2**64), ValueError, "[1] is 18446744073709551616"),
    wrong("a length that is a float", (4.0, 1), TypeError, "[0] has to be an int", "float (4.0)"),
    wrong("a length that is text", ("4",), TypeError, "[0] has to be an int", "str ('4')"),
    wrong("a length that is None", (4, None), TypeError, "[1] has to be an int", "NoneType (None)"),
    wrong("a length that is a bool", (True,), TypeError, "[0] has to be an int", "bool (True)"),
    wrong("a list in a list", [[4]], TypeError, "[0] has to be an int", "list ([4])"),
]  # fmt: skip


def sizes_with(parameter: str, size: Any) -> dict[str, Any]:
    """Arguments of finalize with one wrong."""
    sizes: dict[str, Any] = {"group_size": GROUP}
    if parameter != "group_count":
        sizes["grid_size"] = COUNT
    return sizes | {parameter: size}


@pytest.mark.smoke
@pytest.mark.parametrize("parameter", PARAMETERS)
@pytest.mark.parametrize("wrong", SIZES, ids=by_name)
def test_a_size_of_a_launch_is_refused(bench: Workbench, parameter: str, wrong: Wrong) -> None:
    sizes = sizes_with(parameter, wrong.value)
    command, arguments = bench.bound(), (bench.data, 2.0, bench.out)
    check_wrong(bench, wrong, lambda b: command.finalize(**sizes), parameter)
    command.finalize(GROUP, COUNT)
    if parameter != "group_count":  # which create_command does not take
        check_wrong(
            bench, wrong,
            lambda b: b.schedule.create_command(b.kernel, arguments, **sizes), parameter,
        )  # fmt: skip


OPTIONS: list[tuple[str, Any, str]] = [
    ("cluster_size", 2, "cluster_size is (2, 1, 1)"),
    ("cluster_size", (1, 1, 1), "cluster_size is (1, 1, 1)"),
    ("cooperative_launch", True, "cooperative_launch is true"),
    ("programmatic_launch", True, "programmatic_launch is true"),
]


@pytest.mark.parametrize(("option", "value", "told"), OPTIONS)
def test_an_option_that_the_backend_lacks_is_refused(
    bench: Workbench, option: str, value: Any, told: str
) -> None:
    given = {option: value}
    words = (told, str(bench.device.selector), "leave it out")
    status = Status.NXS_NotSupported
    command = bench.bound()
    check_refused(
        bench,
        refused("alone", lambda b: command.finalize(GROUP, COUNT, **given), nexus.NexusError,
                *words, status=status),
    )  # fmt: skip
    arguments = (bench.data, 2.0, bench.out)
    check_refused(
        bench,
        refused("with its command",
                lambda b: b.schedule.create_command(b.kernel, arguments, GROUP, COUNT, **given),
                nexus.NexusError, *words, status=status),
    )  # fmt: skip
    command.finalize(GROUP, COUNT)


@pytest.mark.parametrize(
    ("option", "value"), [*[each[:2] for each in OPTIONS], ("local_memory", 64)]
)
def test_an_option_without_a_size_is_refused(bench: Workbench, option: str, value: Any) -> None:
    arguments = (bench.data, 2.0, bench.out)
    case = refused(
        option,
        lambda b: b.schedule.create_command(b.kernel, arguments, **{option: value}),
        TypeError, f"{option} is given without a size", "grid_size",
    )  # fmt: skip
    check_refused(bench, case)


def test_options_that_are_not_asked_for_are_no_options(bench: Workbench) -> None:
    off: Any = {"cluster_size": None, "cooperative_launch": False, "programmatic_launch": False}
    bench.bound().finalize(GROUP, COUNT, **off)
    bench.bound().finalize(GROUP, group_count=COUNT // GROUP, **off)


def test_the_occupancy_that_the_backend_does_not_tell_is_refused(bench: Workbench) -> None:
    case = refused(
        "occupancy", lambda b: b.kernel.get_occupancy(GROUP), nexus.NexusError,
        "how many groups", str(bench.device.selector), status=Status.NXS_NotSupported,
    )  # fmt: skip
    check_refused(bench, case)


def limit(bench: Workbench) -> int:
    """The most work items of a group."""
    return bench.device.get_property_int("MaxThreadsPerBlock")


@pytest.mark.parametrize("shape", ["in one dimension", "as a product"])
def test_a_group_beyond_the_devices_limit_is_refused(bench: Workbench, shape: str) -> None:
    most = limit(bench)
    group: Any = most + 1 if shape == "in one dimension" else (most // 2, 2, 2)
    command = bench.bound()
    case = refused(
        shape,
        lambda b: command.finalize(group, COUNT),
        ValueError,
        "group_size is (",
        f"at most {most}",
        str(bench.device.selector),
    )
    check_refused(bench, case)
    command.finalize(most, COUNT)


@pytest.mark.parametrize(
    "case",
    [
        refused("a grid of more than 64 bits",
                lambda b: b.bound().finalize(1, (2**40, 2**40)),
                ValueError, "grid_size is (1099511627776, 1099511627776, 1)"),
        refused("a grid of more than 64 bits in three dimensions",
                lambda b: b.bound().finalize(1, (2**22, 2**22, 2**22)),
                ValueError, "grid_size is (4194304, 4194304, 4194304)"),
        refused("a group of more than 64 bits",
                lambda b: b.bound().finalize((2**40, 2**40), COUNT),
                ValueError, "group_size is (1099511627776, 1099511627776, 1)"),
        refused("groups of more than 64 bits",
                lambda b: b.bound().finalize(1, group_count=(2**40, 2**40)),
                ValueError, "group_count", "(1099511627776, 1099511627776, 1)"),
        refused("groups whose items are more than 64 bits",
                lambda b: b.bound().finalize(4, group_count=2**63 - 1),
                ValueError, "group_count is (9223372036854775807, 1, 1)"),
        refused("a grid and a count of groups",
                lambda b: b.bound().finalize(GROUP, COUNT, group_count=4),
                TypeError, "grid_size and group_count", "not both"),
        refused("no size", lambda b: b.bound().finalize(),
                TypeError, "grid_size is missing"),
        refused("a group alone", lambda b: b.bound().finalize(GROUP),
                TypeError, "grid_size is missing"),
        refused("a count without a group", lambda b: b.bound().finalize(group_count=4),
                ValueError, "group_count is given without group_size"),
    ],
    ids=by_name,
)  # fmt: skip
def test_a_launch_that_can_not_be_counted_is_refused(bench: Workbench, case: Case) -> None:
    check_refused(bench, case)


@pytest.mark.parametrize(
    "grid", [2**31, (1, 2**31), (2**30, 2**30, 8)], ids=["x", "y", "the product"]
)
def test_a_grid_beyond_the_cpus_limit_is_refused(cpu_bench: Workbench, grid: Any) -> None:
    case = refused(
        "",
        lambda b: b.bound().finalize(1, grid),
        ValueError,
        "'scale_f32'",
        str(grid if isinstance(grid, int) else grid[1]),
        "the device's" if isinstance(grid, tuple) and grid[0] > 1 else "2147483647",
    )
    check_refused(cpu_bench, case)


def test_the_largest_int_is_refused_where_whole_groups_reach_beyond_it(
    cpu_bench: Workbench,
) -> None:
    """2**31 - 1 is a prime: no groups but those of one item end there."""
    case = refused(
        "",
        lambda b: b.bound().finalize(4096, 2**31 - 1),
        ValueError,
        "grid_size[0] is 2147483647, and 524288 groups of 4096 cover it, "
        "which are 2147483648 work items; a kernel counts up to 2147483647",
    )
    check_refused(cpu_bench, case)
    cpu_bench.bound().finalize(1, 2**31 - 1)
