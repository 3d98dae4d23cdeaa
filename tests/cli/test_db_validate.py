# SPDX-License-Identifier: Apache-2.0
"""`nexus db validate`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Nexus = Callable[..., tuple[int, str, str]]


def test_a_file_without_problems_is_0(example_files: Path, run_nexus: Nexus) -> None:
    files = sorted(map(str, example_files.iterdir()))
    assert run_nexus("db", "validate", *files) == (0, "2 device files, 0 problems\n", "")


def test_a_problem_is_told_with_file_and_path_and_is_1(
    example_files: Path, run_nexus: Nexus
) -> None:
    file = example_files / "example-cpu-ex2.json"
    tree = json.loads(file.read_text())
    tree["ReleaseYear"] = 2020
    file.write_text(json.dumps(tree))
    assert run_nexus("db", "validate", str(file)) == (
        1,
        f"{file}: ReleaseYear: no source names it.\n1 device file, 1 problem\n",
        "",
    )


def test_the_problems_as_json(example_files: Path, run_nexus: Nexus) -> None:
    file = example_files / "other.json"
    (example_files / "example-cpu-ex2.json").rename(file)
    status, out, _ = run_nexus("db", "validate", str(file), "--json")
    assert status == 1
    assert json.loads(out) == {
        "files": 1,
        "problems": [
            {
                "file": str(file),
                "path": "",
                "reason": "the file is called other.json; by its Vendor, Type and Architecture "
                "it must be example-cpu-ex2.json.",
            }
        ],
    }


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "it is not JSON: "),
        (b'{"Name": ', "it is not JSON: "),
        (b'{"Name": "\xff"}', "it is not UTF-8: "),
        (b'{"Name": "a", "Name": "b"}', "it is not JSON: the name 'Name' appears twice"),
        (b"[" * 100_000, "it is not JSON: "),
        (b'{"Extensions": {"a": ' + b"[" * 800 + b"]" * 800 + b"}}", ""),
        (b" " * ((4 << 20) + 1), "it has 4194305 bytes; at most 4194304 are allowed."),
        (b"7", "7 is not of type 'object'"),
    ],
)
def test_what_is_no_device_file_is_told(
    content: bytes, said: str, tmp_path: Path, run_nexus: Nexus
) -> None:
    file = tmp_path / "a-cpu-b.json"
    file.write_bytes(content)
    status, out, err = run_nexus("db", "validate", str(file))
    assert (status, err) == (1, "")
    assert f"{file}: the file: {said}" in out


def test_a_file_that_is_not_there_does_not_hide_the_others(
    example_files: Path, run_nexus: Nexus
) -> None:
    missing, good = example_files / "missing.json", example_files / "example-cpu-ex2.json"
    assert run_nexus("db", "validate", str(missing), str(good), str(example_files)) == (
        1,
        f"{missing}: the file: it can't be read: No such file or directory.\n"
        f"{example_files}: the file: it is not a file.\n"
        "3 device files, 2 problems\n",
        "",
    )


@pytest.mark.skipif(
    os.name != "posix" or os.geteuid() == 0,
    reason="needs a user whom a file can be denied: run the tests as one that is not root",
)
def test_a_file_that_may_not_be_read_is_told(example_files: Path, run_nexus: Nexus) -> None:
    file = example_files / "example-cpu-ex2.json"
    file.chmod(0)
    assert f"{file}: the file: it can't be read: " in run_nexus("db", "validate", str(file))[1]


def test_a_reason_that_repeats_half_the_file_is_cut(tmp_path: Path, run_nexus: Nexus) -> None:
    file = tmp_path / "a-cpu-b.json"
    file.write_text(json.dumps(["x" * 100_000]))
    assert max(map(len, run_nexus("db", "validate", str(file))[1].splitlines())) < 1000


def test_without_jsonschema_a_sentence_says_what_to_install(
    example_files: Path, run_nexus: Nexus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jsonschema", None)
    status, out, err = run_nexus("db", "validate", str(example_files / "example-cpu-ex2.json"))
    assert (status, out) == (1, "")
    assert err == (
        'nexus db: device files are checked with jsonschema: pip install "nexus-core[validate]"\n'
    )
