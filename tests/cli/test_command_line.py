# SPDX-License-Identifier: Apache-2.0
"""The words of the command line: help, and what a mistyped word gets."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from nexus.cli._console import show, table
from nexus.cli._parser import parse

Nexus = Callable[..., tuple[int, str, str]]
PAGE = Path(__file__).parents[2] / "docs/reference/command-line.md"


@pytest.mark.parametrize(
    ("words", "usage", "named"),
    [
        ([], "usage: nexus [", "doctor"),
        (["db"], "usage: nexus db [", "validate"),
        (["cache"], "usage: nexus cache [", "clear"),
    ],
)
def test_without_a_command_or_action_the_help_is_shown(
    words: list[str], usage: str, named: str, run_nexus: Nexus
) -> None:
    status, out, err = run_nexus(*words)
    assert (status, err) == (0, "")
    assert out.startswith(usage)
    assert named in out


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("inof", "info"),
        ("dco", "doctor"),
        ("docter --json", "doctor"),
        ("--versoin", "--version"),
        ("info --jsn", "--json"),
        ("db lst", "list"),
        ("db list --vendr NVIDIA", "--vendor"),
        ("db --hepl", "--help"),
        ("cache claer", "clear"),
        ("run kernel.c --grid 4 --gruop=2", "--group"),
        ("compile kernel.c --taget cpu", "--target"),
        ("trace --sumary script.py", "--summary"),
        ("demo --sav x.pngg --svae", "--save"),
    ],
)
def test_a_mistyped_word_gets_the_similar_one(line: str, meant: str, run_nexus: Nexus) -> None:
    status, out, err = run_nexus(*line.split())
    assert (status, out) == (2, "")
    assert err.startswith("usage: nexus")
    assert err.endswith(f"Did you mean '{meant}'?\n")


@pytest.mark.parametrize("line", ["fly", "dog", "od", "db fly", "cache fly"])
def test_a_word_like_no_other_gets_the_command_that_lists_them(line: str, run_nexus: Nexus) -> None:
    status, _, err = run_nexus(*line.split())
    *words, unknown = line.split()
    command = " ".join(["nexus", *words])
    assert status == 2
    assert f"'{unknown}' does not exist. `{command} --help` lists them." in err


def test_a_device_of_several_words_needs_no_quotes(run_nexus: Nexus) -> None:
    assert run_nexus("db", "show", "RTX", "4090") == run_nexus("db", "show", "RTX 4090")
    status, out, _ = run_nexus("db", "show", "RTX", "4090", "--json")
    assert status == 0
    assert "GeForce RTX 4090" in out
    both = run_nexus("db", "diff", "RTX 4090", "H200")
    assert both[0] == 0
    assert run_nexus("db", "diff", "RTX", "4090", "H200") == both


def test_words_that_do_not_split_into_two_devices_need_quotes(run_nexus: Nexus) -> None:
    assert run_nexus("db", "diff", "H200")[2].endswith("arguments are required: B\n")
    assert run_nexus("db", "diff", "RTX", "qqqqqq", "H200") == (
        2,
        "",
        "nexus db: 'RTX qqqqqq H200' are not the names of two devices: write names with blanks in "
        'quotes, as in `nexus db diff "RTX 4090" H200`.\n',
    )


def test_the_advice_for_an_unknown_device_is_a_command(run_nexus: Nexus) -> None:
    status, _, err = run_nexus("db", "show", "qqqqqq")
    assert status == 2
    assert err.endswith("; `nexus db list` lists the devices.\n")


def test_a_long_word_is_folded_to_the_terminal_and_none_of_it_is_lost(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    features = ",".join(f"feature{number}" for number in range(50))
    show(table([("Features", features)]))
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 60
    assert "".join("".join(lines).split()) == f"Features{features}"


def test_the_reference_has_every_command_and_its_lines_are_valid(run_nexus: Nexus) -> None:
    text = PAGE.read_text(encoding="utf-8")
    commands = re.findall(r"^    (\w[\w-]*)", run_nexus()[1], re.MULTILINE)
    assert [name for name in commands if f"| `nexus {name}" not in text] == []
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    lines = [shlex.split(line, comments=True) for line in "".join(blocks).splitlines()]
    assert [parse(line[1:]).command for line in lines] == [line[1] for line in lines]
    assert len(commands) >= 13
