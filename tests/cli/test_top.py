# SPDX-License-Identifier: Apache-2.0
"""`nexus top`."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable

import pytest

import nexus

Nexus = Callable[..., tuple[int, str, str]]


def test_a_pipe_gets_each_device_once(run_nexus: Nexus) -> None:
    status, out, err = run_nexus("top")
    assert (status, err) == (0, "")
    for device in nexus.get_devices():
        assert out.count(device.selector) == 1
    assert "Memory used" in out


def test_one_device_is_shown_alone(run_nexus: Nexus) -> None:
    status, out, _ = run_nexus("top", "cpu", "--once")
    assert status == 0
    assert out.startswith("cpu:0  ")
    assert "\n\n" not in out


def test_a_terminal_is_refreshed_until_control_c() -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "nexus.cli", "top", "cpu", "--interval", "0.01"]
    process = subprocess.Popen(command, stdout=theirs, stderr=subprocess.STDOUT)
    os.close(theirs)
    shown = b""
    while shown.count(b"cpu:0") < 3:
        shown += os.read(ours, 4096)
    process.send_signal(signal.SIGINT)
    try:
        while part := os.read(ours, 4096):
            shown += part
    except OSError:  # the end of a terminal without writers
        pass
    os.close(ours)
    assert process.wait() == 0
    assert b"Traceback" not in shown


@pytest.mark.parametrize("interval", ["0", "-1", "nan", "inf", "soon"])
def test_an_interval_that_is_no_time_is_misuse(interval: str, run_nexus: Nexus) -> None:
    status, out, err = run_nexus("top", f"--interval={interval}")
    assert (status, out) == (2, "")
    assert f"--interval is '{interval}'" in err


def test_a_device_whose_driver_fails_does_not_hide_the_others(
    run_nexus: Nexus, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Lost:
        selector = "lost:0"

        def get_info(self) -> nexus.Properties:
            raise nexus.NexusError("The device is lost.")

    monkeypatch.setattr("nexus.get_devices", lambda: [Lost(), nexus.get_device("cpu")])
    status, out, _ = run_nexus("top")
    assert status == 0
    assert "lost:0\nThe device is lost.\n" in out
    assert "cpu:0" in out


def test_without_a_device_top_says_what_to_install(
    run_nexus: Nexus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nexus.get_devices", list)
    monkeypatch.setattr("nexus.get_backends", list)
    status, out, _ = run_nexus("top")
    assert status == 1
    assert "pip install nexus-cpu" in out
