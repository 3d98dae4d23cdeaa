# SPDX-License-Identifier: Apache-2.0
"""`nexus db diff`."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

Nexus = Callable[..., tuple[int, str, str]]

pytestmark = pytest.mark.usefixtures("example_files")

TABLE = """\
                              X100         X200          b : a
  Name                        X100         X200
  TransistorCount             20000000000  -

CoreSubsystem
  Count                       10           20            2

MemorySubsystem
  Global Bandwidth            1 TB/s       -
  Global TransferRate         -            4000 MT/s

PeakRates
  float32 Rate                20 TFLOP/s   -
  float32 OperationsPerClock  -            1000 1/cycle
  float16 matrix Rate         80 TFLOP/s   -
  float16 matrix Clock        1.4 GHz      -
  int8 matrix Rate            -            900 TOP/s

Power
  MaxPower                    300 W        -
"""


def test_the_values_that_differ_stand_beside_each_other(run_nexus: Nexus) -> None:
    status, out, err = run_nexus("db", "diff", "X100", "X200")
    assert (status, err) == (0, "")
    assert out == TABLE


def test_a_device_does_not_differ_from_itself(run_nexus: Nexus) -> None:
    assert run_nexus("db", "diff", "X100", "x100") == (
        0,
        "The files of X100 and X100 have the same values.\n",
        "",
    )


def test_of_lists_each_column_has_what_only_that_device_has(run_nexus: Nexus) -> None:
    _, out, _ = run_nexus("db", "diff", "ex2", "znver4")
    (line,) = (line for line in out.splitlines() if line.startswith("  Features, only "))
    assert line.split()[2:4] == ["fast,", "wide"]


def test_the_differences_as_json_have_the_ratio_of_numbers(run_nexus: Nexus) -> None:
    told = json.loads(run_nexus("db", "diff", "X100", "X200", "--json")[1])
    assert (told["a"], told["b"]) == ("X100", "X200")
    by_path = {each["path"]: each for each in told["differences"]}
    assert by_path["CoreSubsystem/Count"] == {
        "path": "CoreSubsystem/Count",
        "a": 10,
        "b": 20,
        "ratio": 2.0,
    }
    assert by_path["Power/MaxPower"] == {
        "path": "Power/MaxPower",
        "a": 300,
        "b": None,
        "ratio": None,
    }


def test_what_follows_from_other_values_is_not_told_again(run_nexus: Nexus) -> None:
    told = json.loads(run_nexus("db", "diff", "X100", "X200", "--json")[1])
    assert "CoreCount" not in [each["path"] for each in told["differences"]]


@pytest.mark.parametrize("names", [("X100", "nothing"), ("nothing", "X100")])
def test_a_name_that_no_device_has_is_misuse(names: tuple[str, str], run_nexus: Nexus) -> None:
    status, out, err = run_nexus("db", "diff", *names)
    assert (status, out) == (2, "")
    assert "name is 'nothing'" in err
