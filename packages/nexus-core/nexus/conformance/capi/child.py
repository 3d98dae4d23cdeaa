# SPDX-License-Identifier: Apache-2.0
"""Calls nxsQueryPlugin in a child process, with a host of the suite's own.

python -m nexus.conformance.capi.child CASE LIBRARY BACKEND
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from typing import Any

from nexus import _discovery
from nexus.conformance import _c_types, _headers

_TAG = 77
_KEPT: list[Any] = []


class Host:
    """An nxs_host that records the errors and tags that it is passed."""

    backend = ""

    def __init__(self, tag: int = _TAG, **fields: int) -> None:
        self.errors: list[str] = []
        self.tags: set[int] = set()
        numbers = _headers.constants()
        values: dict[str, Any] = {
            "api_major": numbers["NXS_API_VERSION_MAJOR"],
            "api_minor": numbers["NXS_API_VERSION_MINOR"],
            "min_minor": 0,
            "tag": tag,
        }
        values.update(fields)
        self.struct = _c_types.make("nxs_host")
        for name, value in values.items():
            setattr(self.struct, name, value)
        kinds = dict(_c_types.struct("nxs_host")._fields_)
        for name in ("log", "make_error", "retain_error", "release_error", "get_config",
                     "intern_property", "is_interrupted"):  # fmt: skip
            made = kinds[name](getattr(self, f"_{name}"))
            _KEPT.append(made)
            setattr(self.struct, name, made)
        _KEPT.append(self)

    def _log(self, tag: int, level: int, text: Any) -> None:
        self.tags.add(tag)

    def _make_error(self, tag: int, code: int, text: Any) -> int:
        self.tags.add(tag)
        self.errors.append(_c_types.string_of(text.contents))
        return len(self.errors)

    def _retain_error(self, error: int) -> None:
        pass

    def _release_error(self, error: int) -> None:
        pass

    def _get_config(self, tag: int, key: Any, out: Any) -> None:
        name = _c_types.string_of(key.contents)
        variable = f"NEXUS_{self.backend}_{name}".upper().replace(".", "_").replace("-", "_")
        text = os.environ.get(variable) or _discovery.get_config(f"{self.backend}.{name}")
        value = ctypes.create_string_buffer(text.encode())
        _KEPT.append(value)
        out.contents.data, out.contents.size = ctypes.addressof(value), len(value) - 1

    def _intern_property(self, tag: int, name: Any) -> int:
        return int(_headers.constants()["NXS_PROPERTY_VENDOR_FIRST"])

    def _is_interrupted(self, tag: int) -> int:
        return 0


class Query:
    """A call of nxsQueryPlugin, and its answer."""

    def __init__(self, library: str, host: Host | None, *, table: bool = True) -> None:
        self.host = host
        self.library = ctypes.CDLL(library)
        size = ctypes.sizeof(_c_types.struct("nxs_functions"))
        self.memory = ctypes.create_string_buffer(b"\xa5" * (size + 64), size + 64)
        self.table = _c_types.struct("nxs_functions").from_buffer(self.memory)
        ctypes.memset(ctypes.byref(self.table), 0, size)
        self.table.struct_size = size
        self.plugin = _c_types.make("nxs_plugin")
        if table:
            self.plugin.functions = ctypes.pointer(self.table)

    def ask(self) -> str:
        """Makes the call; returns the status's name."""
        query = self.library.nxsQueryPlugin
        query.restype = ctypes.c_int32
        host = ctypes.byref(self.host.struct) if self.host else None
        return _headers.statuses()[query(host, ctypes.byref(self.plugin))]

    def call(self, name: str, *arguments: Any) -> int:
        """Calls a function of the table."""
        kind = _c_types.function_type(_headers.functions()[name])
        return int(kind(getattr(self.table, name))(*arguments))

    def works(self) -> bool:
        """Returns whether a buffer can be made and released, with ids that have the host's tag."""
        device, buffer = ctypes.c_int64(), ctypes.c_int64()
        assert self.host is not None
        return (
            self.call("GetDevice", self.plugin.runtime, 0, device) == 0
            and self.call("CreateBuffer", device, 64, 0, None, buffer) == 0
            and all((each >> 44) & 0xFFF == self.host.struct.tag
                    for each in (device.value, buffer.value, self.plugin.runtime))
            and self.call("ReleaseBuffer", buffer) == 0
        )  # fmt: skip


def current(library: str) -> dict[str, Any]:
    """Queries with a host of this version."""
    query = Query(library, Host())
    status = query.ask()
    plugin = query.plugin
    return {
        "status": status,
        "works": query.works(),
        "version": [plugin.api_major, plugin.api_minor],
        "name": _c_types.string_of(plugin.name),
        "text": _c_types.string_of(plugin.version),
        "reserved": plugin.reserved,
        "missing": [
            each.name for each in _headers.functions().values()
            if each.required and not getattr(query.table, each.name)
        ],
        "beyond": query.memory.raw[-64:] == b"\xa5" * 64,
        "tags": sorted(query.host.tags - {_TAG}) if query.host else [],
    }  # fmt: skip


def newer(library: str) -> dict[str, Any]:
    """Queries with a host of a later minor version, whose table is longer."""
    host = Host(api_minor=_headers.constants()["NXS_API_VERSION_MINOR"] + 7)
    query = Query(library, host)
    query.table.struct_size += 64
    status = query.ask()
    return {
        "status": status,
        "works": query.works(),
        "version": [query.plugin.api_major, query.plugin.api_minor],
        "table": query.table.struct_size,
    }


def refused(library: str, host: Host | None, change: str = "") -> dict[str, Any]:
    """Makes a query that can't succeed."""
    query = Query(library, host, table=change != "no table")
    if change == "small plugin":
        query.plugin.struct_size = 8
    return {"status": query.ask(), "words": host.errors[-1:] if host else []}


def small_table(library: str) -> dict[str, Any]:
    """Queries with a host that knows the first two functions only."""
    query = Query(library, Host())
    query.table.struct_size = 24
    status = query.ask()
    return {
        "status": status,
        "first": bool(query.table.GetRuntimeProperty and query.table.GetDevice),
        "beyond": any(getattr(query.table, name) for name in list(_headers.functions())[2:]),
    }


def fork(library: str) -> dict[str, Any]:
    """Queries again in the child of a fork, with another host and tag."""
    before = Query(library, Host())
    assert before.ask() == "NXS_Success"
    device = ctypes.c_int64()
    before.call("GetDevice", before.plugin.runtime, 0, device)
    reader, writer = os.pipe()
    if os.fork() == 0:
        host = Host(tag=78)
        again = Query(library, host)
        answer: dict[str, Any] = {"status": again.ask()}
        if answer["status"] == "NXS_Success":
            out = ctypes.c_int64()
            answer["works"] = again.works()
            answer["old"] = _headers.statuses()[again.call("CreateStream", device, 0, out)]
        else:
            answer["words"] = host.errors[-1:]
        os.write(writer, json.dumps(answer).encode())
        os._exit(0)
    os.close(writer)
    _, status = os.wait()
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    return {"exit": status, "parent": before.works(), **json.loads(text or "{}")}


def main(case: str, library: str, backend: str) -> None:
    """Prints the case's result."""
    Host.backend = backend
    major = _headers.constants()["NXS_API_VERSION_MAJOR"]
    cases: dict[str, Any] = {
        "current": lambda: current(library),
        "newer": lambda: newer(library),
        "next major": lambda: refused(library, Host(api_major=major + 1, api_minor=0)),
        "major before": lambda: refused(library, Host(api_major=major - 1, api_minor=1)),
        "no host": lambda: refused(library, None),
        "no table": lambda: refused(library, Host(), "no table"),
        "small plugin": lambda: refused(library, Host(), "small plugin"),
        "small table": lambda: small_table(library),
        "fork": lambda: fork(library),
    }
    print(json.dumps(cases[case]()))


if __name__ == "__main__":
    main(*sys.argv[1:])
