# SPDX-License-Identifier: Apache-2.0
"""The log goes to Python's loggers nexus and nexus.<backend>."""

from __future__ import annotations

from python_process import run_python

PROGRAM = """
import logging
logging.basicConfig(level=logging.DEBUG, format="%(name)s %(levelname)s %(message)s")
import nexus
nexus.get_device().create_buffer(64).fill(0)
"""


def run(code: str, **environment: str) -> str:
    """Returns what the code writes to stderr."""
    return run_python("-c", code, more=environment, check=True).stderr


def test_lines_reach_the_loggers() -> None:
    names = {line.split()[0].split(".")[0] for line in run(PROGRAM, NEXUS_LOG="debug").splitlines()}
    assert names == {"nexus"}


def test_the_lines_of_calls_go_there_too() -> None:
    assert "CreateBuffer" in run(PROGRAM, NEXUS_LAYERS="calls", NEXUS_LOG="debug")


def test_nothing_is_written_without_a_cause() -> None:
    assert run(PROGRAM, NEXUS_LOG="warning") == ""
