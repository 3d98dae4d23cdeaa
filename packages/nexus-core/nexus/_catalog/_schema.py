# SPDX-License-Identifier: Apache-2.0
"""Checks a kernel catalog against its JSON Schema, without jsonschema, which few have installed."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from nexus import _checks
from nexus._resources import package_folder

NAME = "kernel_catalog.schema.json"

_TYPES: dict[str, tuple[str, type | tuple[type, ...]]] = {
    "object": ("an object", dict),
    "array": ("a list", list),
    "string": ("a text", str),
    "integer": ("an integer", int),
    "number": ("a number", (int, float)),
    "boolean": ("true or false", bool),
    "null": ("null", type(None)),
}


def problem(tree: object) -> str:
    """Returns the first violation of the schema, a sentence with the place and the value; empty if
    there is none."""
    return next(_problems(tree, _schema(), ""), "")


@functools.cache
def _schema() -> dict[str, Any]:
    text = Path(package_folder("schema"), NAME).read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def _problems(value: Any, schema: dict[str, Any], place: str) -> Iterator[str]:
    if "$ref" in schema:
        definition = schema["$ref"].removeprefix("#/$defs/")
        yield from _problems(value, _schema()["$defs"][definition], place)
    for keyword, wanted in schema.items():
        if keyword in _REMEDIES:
            remedy = _REMEDIES[keyword](value, wanted)
            if remedy:
                if keyword == "pattern":  # people don't read those
                    remedy = f"give {schema['description'][0].lower()}{schema['description'][1:]}"
                yield f"{place or 'it'} is {_checks.shown(value)}; {remedy.rstrip('.')}."
                return
    if isinstance(value, dict):
        yield from _member_problems(value, schema, place)
    if isinstance(value, list) and "items" in schema:
        for index, each in enumerate(value):
            yield from _problems(each, schema["items"], f"{place}[{index}]")


def _member_problems(value: dict[str, Any], schema: dict[str, Any], place: str) -> Iterator[str]:
    known = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{place or 'it'} lacks the field {name!r}."
    other = schema.get("additionalProperties", True)
    for name, each in value.items():
        inner = f"{place}.{name}" if place else name
        if name in known:
            yield from _problems(each, known[name], inner)
        elif other is False:
            yield f"{inner} is not a field of the schema{_checks.near(name, known)}"
        elif other is not True:
            yield from _problems(each, other, inner)


def _is(value: object, kind: str) -> bool:
    return isinstance(value, _TYPES[kind][1]) and (kind == "boolean" or not isinstance(value, bool))


def _wrong_type(value: object, wanted: str | list[str]) -> str:
    kinds = [wanted] if isinstance(wanted, str) else wanted
    if any(_is(value, kind) for kind in kinds):
        return ""
    return f"it has to be {' or '.join(_TYPES[kind][0] for kind in kinds)}"


def _unless(fits: bool, remedy: str) -> str:
    return "" if fits else remedy


# For each keyword, a function that returns advice if a value violates it, else an empty str.
_REMEDIES: dict[str, Callable[[Any, Any], str]] = {
    "type": _wrong_type,
    "const": lambda value, wanted: _unless(
        value == wanted and type(value) is type(wanted), f"this version of Nexus reads {wanted!r}"
    ),
    "enum": lambda value, wanted: _unless(value in wanted, f"it has to be one of {wanted}"),
    "pattern": lambda value, wanted: _unless(
        not isinstance(value, str) or re.search(wanted, value) is not None,
        "give another",
    ),
    "minLength": lambda value, wanted: _unless(
        not isinstance(value, str) or len(value) >= wanted, "it is empty"
    ),
    "maxLength": lambda value, wanted: _unless(
        not isinstance(value, str) or len(value) <= wanted, f"at most {wanted} characters"
    ),
    "minimum": lambda value, wanted: _unless(
        not _is(value, "number") or value >= wanted, f"it has to be at least {wanted}"
    ),
    "maximum": lambda value, wanted: _unless(
        not _is(value, "number") or value <= wanted, f"it has to be at most {wanted}"
    ),
    "minItems": lambda value, wanted: _unless(
        not isinstance(value, list) or len(value) >= wanted, f"at least {wanted} entries"
    ),
    "maxItems": lambda value, wanted: _unless(
        not isinstance(value, list) or len(value) <= wanted, f"at most {wanted} entries"
    ),
}
