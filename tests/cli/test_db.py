# SPDX-License-Identifier: Apache-2.0
"""`nexus db list` and `nexus db show`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Nexus = Callable[..., tuple[int, str, str]]

X100 = """\
X100  example-gpu-ex1
A device of the tests.

Identity
  Vendor                Example
  Type                  gpu
  Architecture          ex1 [1]
  Transistors           20 billion [2]

Cores
  Core type             Cluster [1]
  Cores                 10 [2]
  SIMD width            32 x 32 bit [1]
  Highest clock         1.5 GHz [1]

Memory
  Global                HBM3, 4096 bit wide [1], 1 TB/s [2]
  L1                    64 KiB [3], lines of 128 B, shared by Cluster [1]

Limits
  Group in x, y, z      1024 x 512 x 64 [3]

Peak rates
  per second  vector          matrix
  float32     20 TFLOP/s [2]
  float16                     80 TFLOP/s [2]
  at 1.4 GHz [2]        float16 matrix

Power
  Highest               300 W [2]

Sources
  [1] Guide. Example Works, 2025: Table 1. https://example.org/guide (read 2026-01-02)
  [2] Sheet. Example Works, 2025: Table 1. https://example.org/sheet (read 2026-01-02)
  [3] Limits. Example Works, 2025: Table 1. https://example.org/limits (read 2026-01-02)
"""


@pytest.mark.usefixtures("example_files")
def test_the_list_has_a_line_for_each_file_and_their_number(run_nexus: Nexus) -> None:
    assert run_nexus("db", "list", "--vendor", "example") == (
        0,
        "example-cpu-ex2  Example Two\n"
        "example-gpu-ex1  Example One  2 variants\n"
        "2 device files, 2 variants\n",
        "",
    )


@pytest.mark.usefixtures("example_files")
def test_the_list_can_be_of_a_vendor_and_a_type(run_nexus: Nexus) -> None:
    status, out, _ = run_nexus("db", "list", "--vendor", "EXAMPLE", "--type", "CPU")
    assert (status, out) == (0, "example-cpu-ex2  Example Two\n1 device file, 0 variants\n")


@pytest.mark.smoke
def test_the_list_has_the_files_of_nexus_itself(run_nexus: Nexus) -> None:
    status, out, err = run_nexus("db", "list")
    assert status == 0
    assert "\nnvidia-gpu-sm_90 " in out
    assert err == ""


@pytest.mark.usefixtures("example_files")
def test_the_list_as_json(run_nexus: Nexus) -> None:
    _, out, _ = run_nexus("db", "list", "--vendor", "Example", "--type", "gpu", "--json")
    assert json.loads(out) == {
        "files": [
            {
                "stem": "example-gpu-ex1",
                "Name": "Example One",
                "Vendor": "Example",
                "Type": "gpu",
                "Architecture": "ex1",
                "variants": ["X100", "X200"],
            }
        ],
        "problems": [],
    }


def test_a_bad_file_is_told_below_the_list_and_left_out(
    example_files: Path, run_nexus: Nexus
) -> None:
    bad = example_files / "example-gpu-bad.json"
    bad.write_text('{"Name":\n')
    status, out, err = run_nexus("db", "list", "--vendor", "Example")
    assert status == 0
    assert "bad" not in out
    assert err.startswith(f"{bad}:2:1: it is not JSON")
    assert err.count("\n") == 1


@pytest.mark.parametrize("option", ["--vendor", "--type"])
def test_a_vendor_or_type_that_no_file_has_is_misuse(option: str, run_nexus: Nexus) -> None:
    status, out, err = run_nexus("db", "list", option, "nothing")
    assert (status, out) == (2, "")
    assert err.startswith(f"nexus db: {option} is 'nothing', which no device file has; there are ")


@pytest.mark.usefixtures("example_files")
def test_a_product_is_shown_with_the_sources_of_its_values(run_nexus: Nexus) -> None:
    assert run_nexus("db", "show", "X100") == (0, X100, "")


@pytest.mark.usefixtures("example_files")
@pytest.mark.parametrize("name", ["ex1", "EXAMPLE-GPU-EX1", "ex_one", "Example One"])
def test_a_file_is_found_by_each_of_its_names(name: str, run_nexus: Nexus) -> None:
    status, out, _ = run_nexus("db", "show", name)
    assert status == 0
    assert out.startswith("Example One  ")
    assert "Variants\n  Products              X100, X200\n" in out


@pytest.mark.usefixtures("example_files")
def test_a_file_as_json_has_all_its_values(example_files: Path, run_nexus: Nexus) -> None:
    _, out, _ = run_nexus("db", "show", "X200", "--json")
    told = json.loads(out)
    assert told["stem"] == "example-gpu-ex1"
    assert told["file"] == str(example_files / "example-gpu-ex1.json")
    assert told["properties"]["Name"] == "X200"
    assert told["properties"]["MemoryBandwidth"] == 4096 // 8 * 4000 * 10**6


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no such device", "name is 'no such device': no known device has this name"),
        ("", "name is '': no known device has this name"),
        ("a" * 10_000, "NAME has 10000 characters; write at most 200."),
        ("line\nfeed", r"NAME is 'line\nfeed'; leave out the characters"),
        ("\udcff", r"NAME is '\udcff'; leave out the characters"),
    ],
)
def test_a_name_that_no_device_has_is_misuse(name: str, said: str, run_nexus: Nexus) -> None:
    status, out, err = run_nexus("db", "show", name)
    assert (status, out) == (2, "")
    assert err.startswith(f"nexus db: {said}")


@pytest.mark.usefixtures("example_files")
def test_a_name_that_is_nearly_right_is_answered_with_the_right_one(run_nexus: Nexus) -> None:
    assert "did you mean 'X100'" in run_nexus("db", "show", "X1000")[2]


@pytest.mark.parametrize("words", [["db", "show"], ["db", "fly"], ["db", "diff", "ex1"]])
def test_missing_words_are_misuse(words: list[str], run_nexus: Nexus) -> None:
    status, _, err = run_nexus(*words)
    assert status == 2
    assert "usage: nexus db" in err


@pytest.mark.usefixtures("example_files")
def test_only_sources_are_wider_than_the_terminal(
    run_nexus: Nexus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    _, out, _ = run_nexus("db", "show", "X100")
    assert max(len(line) for line in out.splitlines() if "https:" not in line) <= 60


@pytest.mark.usefixtures("example_files")
def test_letters_that_the_output_lacks_become_others(example_files: Path) -> None:
    file = example_files / "example-cpu-ex2.json"
    tree = json.loads(file.read_text())
    tree["Power"] = {"MaxTemperature": 95}
    tree["Name"] = "Example™"
    file.write_text(json.dumps(tree))
    done = subprocess.run(
        [sys.executable, "-m", "nexus.cli", "db", "show", "ex2"],
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Example?  ")
    assert "95 ?C\n" in done.stdout


def test_a_file_can_not_send_control_characters_to_the_terminal(
    example_files: Path, run_nexus: Nexus
) -> None:
    file = example_files / "example-cpu-ex2.json"
    tree = json.loads(file.read_text())
    tree["Description"] = "red \x1b[31m \x9b31m \x07"
    file.write_text(json.dumps(tree))
    assert "red ?[31m ?31m ?" in run_nexus("db", "show", "ex2")[1]
