# SPDX-License-Identifier: Apache-2.0
"""The manifest's JSON Schema says what libnexus does: both take and refuse the same manifests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from native import ROOT, MakePlugin, write_manifest
from system import System
from test_manifest import WRONG_FIELDS

import nexus

SCHEMA: dict[str, Any] = json.loads((ROOT / "schema/nxs_plugin.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

# That one number is below another is beyond JSON Schema.
IN_WORDS_ONLY = 'has an "abi" whose "max" 1.2 is below its "min" 1.3'
REFUSED = [(changes, reason) for changes, reason in WRONG_FIELDS if reason != IN_WORDS_ONLY]


def manifest_with(folder: Path, library: str | Path = "libacme.so", /, **changes: object) -> Any:
    """A good manifest with changes, as it is read back from its file."""
    return json.loads(write_manifest(folder, "acme", library, **changes).read_text("utf-8"))


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_its_example_is_one() -> None:
    for example in SCHEMA["examples"]:
        VALIDATOR.validate(example)


@pytest.mark.parametrize(("changes", "reason"), REFUSED, ids=[reason for _, reason in REFUSED])
def test_what_libnexus_refuses_is_refused(
    changes: dict[str, object], reason: str, tmp_path: Path
) -> None:
    assert not VALIDATOR.is_valid(manifest_with(tmp_path, **changes))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"version": None},
        {"devices": "files"},
        {"later": [1]},
        {"abi": {"min": "1.0", "max": "1.12"}},
        {"abi": {"min": "0.1", "max": "7.12"}},
    ],
    ids=str,
)
def test_what_it_takes_libnexus_takes(
    system: System, build_plugin: MakePlugin, tmp_path: Path, changes: dict[str, object]
) -> None:
    library = build_plugin("plain.c", '-DNAME="acme"')
    VALIDATOR.validate(manifest_with(tmp_path, library, **changes))
    system.add(tmp_path / "nxs_plugin.json")
    assert system.report()["acme"]["state"] == "PASS"


def test_the_installed_manifests_are_some() -> None:
    for backend in nexus.get_backends():
        VALIDATOR.validate(json.loads(Path(backend.manifest).read_text("utf-8")))


@pytest.mark.parametrize(
    "template",
    [
        "packages/nexus-cpu/nexus_cpu/nxs_plugin.json.in",
        "tests/plugins/nexus-reference/nexus_reference/nxs_plugin.json.in",
    ],
)
def test_templates_become_manifests(template: str) -> None:
    text = (ROOT / template).read_text("utf-8")
    for key, value in {"PLUGIN_VERSION": "1.0", "ABI_MIN": "1.0", "ABI_MAX": "1.0"}.items():
        text = text.replace(f"@NEXUS_{key}@", value)
    VALIDATOR.validate(json.loads(text))
