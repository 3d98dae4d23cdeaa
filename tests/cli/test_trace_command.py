# SPDX-License-Identifier: Apache-2.0
"""`nexus trace`: a program runs as Python would run it, and leaves a trace."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from python_process import run_python

Run = Callable[..., subprocess.CompletedProcess[str]]

FILL = "import nexus\nnexus.get_device('cpu').create_buffer(64).fill(7)\n"


@pytest.fixture
def trace(tmp_path: Path) -> Run:
    """`nexus trace` with some words, in an empty folder."""

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return run_python("-m", "nexus.cli", "trace", *words, cwd=tmp_path)

    return run


@pytest.mark.smoke
def test_a_script_has_its_words_its_name_and_its_folder(trace: Run, tmp_path: Path) -> None:
    folder = tmp_path / "there"
    folder.mkdir()
    (folder / "beside.py").write_text("NAME = 'beside'\n")
    (folder / "script.py").write_text(
        FILL + "import sys, beside\nprint(sys.argv, __name__, beside.NAME)\n"
    )
    done = trace("-o", "t.json", "there/script.py", "-o", "x", "--summary", "--", "-m")
    said = ["there/script.py", "-o", "x", "--summary", "--", "-m"]
    assert (done.returncode, done.stdout) == (0, f"{said} __main__ beside\n")
    assert done.stderr == "nexus trace: wrote t.json; open it in https://ui.perfetto.dev.\n"
    names = [event["name"] for event in json.loads((tmp_path / "t.json").read_text())]
    assert "nxsFillBuffer" in names
    assert "fill" in names


def test_a_module_and_a_text_run_too(trace: Run, tmp_path: Path) -> None:
    (tmp_path / "mod.py").write_text(FILL + "import sys\nprint(sys.argv[1:])\n")
    for words in (["-m", "mod"], ["-c", (tmp_path / "mod.py").read_text()]):
        done = trace(*words, "-v")
        assert (done.returncode, done.stdout) == (0, "['-v']\n")
        assert (tmp_path / "nexus-trace.json").stat().st_size > 1000


@pytest.mark.parametrize(
    ("end", "status", "said"),
    [
        ("raise SystemExit(7)", 7, ""),
        ("raise ValueError('x')", 1, "ValueError: x"),
        ("import os; os._exit(5)", 5, ""),
        ("import os; os.kill(os.getpid(), 9)", -9, ""),
        ("import os, signal; os.kill(os.getpid(), signal.SIGINT)", -2, "KeyboardInterrupt"),
    ],
)
def test_the_programs_end_is_the_commands(
    trace: Run, tmp_path: Path, end: str, status: int, said: str
) -> None:
    done = trace("-c", f"{FILL}\nimport time; time.sleep(0.3)\n{end}")
    assert done.returncode == status
    assert said in done.stderr
    assert '"nxsFillBuffer"' in (tmp_path / "nexus-trace.json").read_text()


def test_ctrl_c_is_the_programs_and_the_trace_is_written(tmp_path: Path) -> None:
    code = FILL + (
        "import time\ntry:\n    print('ready', flush=True)\n    time.sleep(60)\n"
        "except KeyboardInterrupt:\n    print('stopped')\n    raise SystemExit(3)\n"
    )
    words = [sys.executable, "-m", "nexus.cli", "trace", "-c", code]
    with subprocess.Popen(
        words, cwd=tmp_path, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        assert process.communicate(timeout=60)[0] == "stopped\n"
    assert process.returncode == 3
    json.loads((tmp_path / "nexus-trace.json").read_text())


def test_a_request_to_end_goes_to_the_program(tmp_path: Path) -> None:
    code = FILL + "import time\nprint('ready', flush=True)\ntime.sleep(60)\n"
    words = [sys.executable, "-m", "nexus.cli", "trace", "-c", code]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.1)
        process.terminate()
        process.communicate(timeout=60)
    assert process.returncode == -signal.SIGTERM


def test_the_summary_is_printed_at_the_end_or_later(trace: Run) -> None:
    done = trace("--summary", "--top", "2", "-c", FILL)
    assert "work of devices" in done.stderr
    assert "calls of plug-ins" in done.stderr
    assert "  and " in done.stderr
    again = trace("--read", "nexus-trace.json")
    assert (again.returncode, again.stderr) == (0, "")
    assert "fill" in again.stdout
    told = json.loads(trace("--read", "nexus-trace.json", "--json").stdout)
    assert told["kernels"][0]["name"] == "fill"
    assert told["kernels"][0]["count"] == 1
    assert told["errors"] == []


def test_a_program_without_a_backend_leaves_an_empty_trace(trace: Run, tmp_path: Path) -> None:
    (tmp_path / "nexus-trace.json").write_text("of before")
    done = trace("-c", "import nexus")
    assert done.stderr == "nexus trace: the program used no backend; the trace is empty.\n"
    assert json.loads((tmp_path / "nexus-trace.json").read_text()) == []


def test_a_missing_script_is_the_only_error(trace: Run) -> None:
    done = trace("missing.py")
    assert done.returncode == 2
    assert "missing.py" in done.stderr
    assert "nexus trace:" not in done.stderr


def test_other_processes_of_the_program_are_named(trace: Run, tmp_path: Path) -> None:
    (tmp_path / "inner.py").write_text(FILL)
    starting = "import subprocess, sys\nsubprocess.run([sys.executable, 'inner.py'], check=True)"
    (tmp_path / "outer.py").write_text(FILL + starting)
    (tmp_path / "t.before.json").write_text("[]")
    os.utime(tmp_path / "t.before.json", (1, 1))
    done = trace("-o", "t.json", "outer.py")
    (other,) = [each for each in tmp_path.glob("t.*.json") if each.name != "t.before.json"]
    last = f"nexus trace: a process of the program wrote {other.name}."
    assert done.stderr.splitlines()[1:] == [last]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "there is no script"),
        (["--top", "0", "x.py"], "--top is '0'"),
        (["-o", ".", "x.py"], "-o is '.', which can't be written"),
        (["--read", "absent.json"], "'absent.json' can't be read: No such file"),
        (["--read", "text.txt"], "'text.txt' is not a trace of Nexus"),
        (["--read", "deep.json"], "'deep.json' is not a trace of Nexus"),
        (["--read", "deep_line.json"], "'deep_line.json' is not a trace of Nexus"),
        (["--read", "/dev/zero"], "'/dev/zero' is not a trace of Nexus"),
        (["--read", "x.json", "x.py"], "--read shows an existing trace"),
        (["--json", "x.py"], "--json needs --summary"),
    ],
)
def test_a_mistake_is_a_sentence(trace: Run, tmp_path: Path, words: list[str], said: str) -> None:
    (tmp_path / "text.txt").write_text("something else")
    (tmp_path / "deep.json").write_text("[" * 100_000 + "]" * 100_000)
    (tmp_path / "deep_line.json").write_text("[\n" + "[" * 100_000 + "\n{")
    done = trace(*words)
    assert done.returncode == 2
    assert done.stderr.startswith("nexus trace: ")
    assert said in done.stderr


SLICE = {"ph": "X", "pid": 1, "tid": 1, "name": "k", "cat": "kernel", "ts": 1, "dur": 1}


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"ph": []},
        {"ph": "X", "pid": 1, "tid": 1},
        SLICE | {"ts": "now"},
        SLICE | {"dur": 10**400},
        SLICE | {"name": ["k"]},
        SLICE | {"cat": {}},
        SLICE | {"args": 3},
        SLICE | {"cat": "copy", "args": {"copied": "all"}},
        {"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {}},
        {"ph": "M", "pid": 1, "tid": [1], "name": "thread_name", "args": {"name": "t"}},
        {"ph": "b", "pid": 1, "tid": 1, "id": [], "args": {"work": "w"}},
        {"ph": "b", "pid": 1, "tid": 1, "id": "1", "args": {}},
        {"ph": "i", "pid": 1, "tid": 1, "cat": "error", "args": {}},
    ],
    ids=lambda event: json.dumps(event)[:70],
)
def test_an_event_of_another_form_is_told(trace: Run, tmp_path: Path, event: Any) -> None:
    (tmp_path / "other.json").write_text(json.dumps([SLICE, event]))
    done = trace("--read", "other.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("nexus trace: 'other.json' is not a trace of Nexus")


def test_a_script_that_is_not_there_is_pythons_error(trace: Run) -> None:
    done = trace("absent.py")
    assert done.returncode == 2
    assert "can't open file" in done.stderr
