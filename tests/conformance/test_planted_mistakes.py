# SPDX-License-Identifier: Apache-2.0
"""The suite finds mistakes: each one planted in the reference plug-in makes its tests fail."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from built_plugin import cpp_command
from planted import MISTAKES

PLUGINS = Path(__file__).resolve().parents[1] / "plugins"
PLANTED = PLUGINS / "nexus-planted"
REFERENCE = PLUGINS / "nexus-reference"
SETTINGS = REFERENCE / "nexus_reference" / "nexus_conformance.toml"


@pytest.fixture(scope="session")
def reference_object(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The reference plug-in, compiled once for all mistakes, under another name of its entry."""
    path = tmp_path_factory.mktemp("reference") / "reference.o"
    source = REFERENCE / "nexus_reference.cpp"
    options = ["-DnxsQueryPlugin=nxsQueryReference", "-c", str(source), "-o", str(path)]
    subprocess.run([*cpp_command(), *options], check=True)
    return path


def outcomes(folder: Path, reference_object: Path, mistake: str, tests: list[str]) -> list[str]:
    """What becomes of tests of the suite where a mistake is planted; '' for none."""
    library = folder / "libnexus_planted.so"
    option = [f"-DPLANTED={mistake}"] if mistake else []
    sources = [str(PLANTED / "planted.cpp"), str(reference_object)]
    subprocess.run([*cpp_command(), *option, "-shared", *sources, "-o", str(library)], check=True)
    manifest = {"manifest_version": 1, "name": "planted", "library": library.name}
    manifest |= {"version": "0.1.0", "abi": {"min": "1.0", "max": "1.0"}}
    (folder / "nxs_plugin.json").write_text(json.dumps(manifest))
    report = folder / "report.json"
    # Where CI is set pytest shows whole differences, and takes minutes for those of a long buffer.
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=no",
         "--pyargs", *map(as_module, tests),
         "--nexus-backend", "planted", "--nexus-settings", str(SETTINGS),
         "--report", str(report)],
        cwd=folder,
        env=environment | {"NEXUS_PLUGIN_PATH": str(folder), "NEXUS_BACKENDS": "planted"},
        capture_output=True, timeout=300, check=False,
    )  # fmt: skip
    found = {each["test"]: each["outcome"] for each in json.loads(report.read_text())["tests"]}
    return [found[test] for test in tests]


def as_module(test: str) -> str:
    """A test of the suite as pytest's command line has it."""
    file, _, name = test.partition(".py::")
    return f"nexus.conformance.{file.replace('/', '.')}::{name}"


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_planted_mistake_is_found(tmp_path: Path, reference_object: Path, mistake: str) -> None:
    test = MISTAKES[mistake].test
    assert outcomes(tmp_path, reference_object, mistake, [test]) == ["failed"]


def test_without_a_mistake_the_same_tests_pass(tmp_path: Path, reference_object: Path) -> None:
    tests = sorted({mistake.test for mistake in MISTAKES.values()})
    assert set(outcomes(tmp_path, reference_object, "", tests)) == {"passed"}


def test_each_mistake_has_its_tests() -> None:
    headers = (PLANTED / name for name in ("data.hpp", "completion.hpp", "answers.hpp"))
    written = [
        re.findall(r"^namespace (\w+) \{", path.read_text(), re.MULTILINE) for path in headers
    ]
    assert list(MISTAKES) == [name for names in written for name in names]


def test_the_table_of_mistakes_is_current() -> None:
    rows = [
        f"| `{name}` | {mistake.says} | `{mistake.test}` |" for name, mistake in MISTAKES.items()
    ]
    text = (PLANTED / "README.md").read_text("utf-8")
    assert [line for line in text.splitlines() if line.startswith("| `")] == rows
