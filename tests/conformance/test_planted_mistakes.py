# SPDX-License-Identifier: Apache-2.0
"""The suite finds mistakes: each one planted in the reference plug-in makes its tests fail."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from built_plugin import compile_once, cpp_command
from planted import MISTAKES
from suite_run import PYTEST

PLUGINS = Path(__file__).resolve().parents[1] / "plugins"
PLANTED = PLUGINS / "nexus-planted"
REFERENCE = PLUGINS / "nexus-reference"
SETTINGS = REFERENCE / "nexus_reference" / "nexus_conformance.toml"


@pytest.fixture(scope="session")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the plug-in with all mistakes, of which NEXUS_PLANTED chooses one."""
    folder = tmp_path_factory.mktemp("planted")
    renamed = folder / "reference.o"  # its entry has another name
    source = REFERENCE / "nexus_reference.cpp"
    compile_once(renamed, "-DnxsQueryPlugin=nxsQueryReference", "-c", source)
    own = folder / "planted.o"
    compile_once(own, "-c", PLANTED / "planted.cpp")
    library = folder / "libnexus_planted.so"
    subprocess.run([*cpp_command(), "-shared", own, renamed, "-o", library], check=True)
    manifest = {"manifest_version": 1, "name": "planted", "library": library.name}
    manifest |= {"version": "0.1.0", "abi": {"min": "1.0", "max": "1.0"}}
    (folder / "nxs_plugin.json").write_text(json.dumps(manifest))
    return folder


def outcomes(folder: Path, planted: Path, mistake: str, tests: list[str]) -> list[str]:
    """The outcomes of tests of the suite where a mistake is planted; '' for none."""
    report = folder / "report.json"
    # Where CI is set pytest shows whole differences, and takes minutes for those of a long buffer.
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    environment |= {"NEXUS_PLUGIN_PATH": str(planted), "NEXUS_BACKENDS": "planted"}
    subprocess.run(
        [*PYTEST, "--assert=plain", "--tb=no", "--pyargs", *map(as_module, tests),
         "--nexus-backend", "planted", "--nexus-settings", str(SETTINGS),
         "--report", str(report)],
        cwd=folder,
        env=environment | {"NEXUS_PLANTED": mistake},
        capture_output=True, timeout=200, check=False,
    )  # fmt: skip
    found = {each["test"]: each["outcome"] for each in json.loads(report.read_text())["tests"]}
    return [found[test] for test in tests]


def as_module(test: str) -> str:
    """A test of the suite as pytest's command line has it."""
    file, _, name = test.partition(".py::")
    return f"nexus.conformance.{file.replace('/', '.')}::{name}"


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_planted_mistake_is_found(tmp_path: Path, planted: Path, mistake: str) -> None:
    test = MISTAKES[mistake].test
    assert outcomes(tmp_path, planted, mistake, [test]) == ["failed"]


def test_without_a_mistake_the_same_tests_pass(tmp_path: Path, planted: Path) -> None:
    tests = sorted({mistake.test for mistake in MISTAKES.values()})
    assert set(outcomes(tmp_path, planted, "", tests)) == {"passed"}


def test_each_mistake_has_its_tests() -> None:
    written = re.findall(
        r"^ +(?:IN\(\w+, |MISTAKE\()(\w+)\)", (PLANTED / "planted.cpp").read_text(), re.MULTILINE
    )
    assert list(MISTAKES) == written


def test_the_table_of_mistakes_is_current() -> None:
    rows = [
        f"| `{name}` | {mistake.says} | `{mistake.test}` |" for name, mistake in MISTAKES.items()
    ]
    text = (PLANTED / "README.md").read_text("utf-8")
    assert [line for line in text.splitlines() if line.startswith("| `")] == rows
