# SPDX-License-Identifier: Apache-2.0
"""Loads libnexus with ctypes, does what stdin orders in JSON, and prints what came of it."""

from __future__ import annotations

import ctypes
import json
import sys
import threading
from typing import Any

STATES = ["PASS", "FAIL", "ABSENT", "OFF"]


class String(ctypes.Structure):
    """nxs_string."""

    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_uint64)]

    @classmethod
    def of(cls, text: str) -> String:
        encoded = text.encode()
        return cls(encoded, len(encoded))

    def text(self) -> str:
        return ctypes.string_at(self.data, self.size).decode() if self.size else ""


class ErrorInfo(ctypes.Structure):
    """nexus_error_info."""

    _fields_ = [
        ("struct_size", ctypes.c_uint64),
        ("status", ctypes.c_int32),
        ("reserved", ctypes.c_int32),
        ("native_code", ctypes.c_int64),
        ("backend", String),
        ("text", String),
    ]


class BackendInfo(ctypes.Structure):
    """nexus_backend_info."""

    _fields_ = [
        ("struct_size", ctypes.c_uint64), ("state", ctypes.c_int32), ("reserved", ctypes.c_int32),
        ("name", String), ("distribution", String), ("version", String), ("manifest", String),
        ("library", String), ("reason", String),
    ]  # fmt: skip


class Nexus:
    """The functions that the tests need."""

    def __init__(self, path: str) -> None:
        self.library = ctypes.CDLL(path)
        self.library.nexus_status_name.restype = ctypes.c_char_p
        self.library.nexus_retain.restype = None
        self.library.nexus_release.restype = None
        self.library.nexus_set_discovery.restype = None

    def call(self, function: str, *arguments: object) -> dict[str, Any]:
        """The status by name and, of an error, what nexus_get_last_error tells."""
        status = getattr(self.library, f"nexus_{function}")(*arguments)
        result: dict[str, Any] = {"status": self.library.nexus_status_name(status).decode()}
        if status != 0:
            info = ErrorInfo(struct_size=ctypes.sizeof(ErrorInfo))
            self.library.nexus_get_last_error(ctypes.byref(info))
            assert info.status == status
            result |= {
                "text": info.text.text(),
                "backend": info.backend.text(),
                "native_code": info.native_code,
            }
        return result

    def must(self, function: str, *arguments: object) -> None:
        result = self.call(function, *arguments)
        assert result["status"] == "NXS_Success", result

    def backends(self) -> list[dict[str, str]]:
        count = ctypes.c_uint64()
        self.must("backend_count", ctypes.byref(count))
        records = []
        for index in range(count.value):
            info = BackendInfo(struct_size=ctypes.sizeof(BackendInfo))
            self.must("backend_get", ctypes.c_uint64(index), ctypes.byref(info))
            texts = ("name", "distribution", "version", "manifest", "library", "reason")
            record = {name: getattr(info, name).text() for name in texts}
            records.append(record | {"state": STATES[info.state]})
        return records

    def runtimes(self) -> list[str]:
        count = ctypes.c_uint64()
        self.must("runtime_count", ctypes.byref(count))
        names = []
        for index in range(count.value):
            device, runtime = ctypes.c_void_p(), ctypes.c_void_p()
            self.must("runtime_get", ctypes.c_uint64(index), ctypes.byref(runtime))
            self.must("runtime_get_device", runtime, ctypes.c_uint64(0), ctypes.byref(device))
            names.append(self.selector(device).partition(":")[0])
            self.library.nexus_release(runtime)
            self.library.nexus_release(device)
        return names

    def selector(self, device: ctypes.c_void_p) -> str:
        selector = String()
        self.must("device_get_selector", device, ctypes.byref(selector))
        return selector.text()

    def select(self, selector: str) -> dict[str, Any]:
        """The selector of the device that a selector names."""
        device = ctypes.c_void_p()
        result = self.call("select_device", String.of(selector), ctypes.byref(device))
        if device.value is not None:
            result["device"] = self.selector(device)
        return result

    def find(self, name: str) -> dict[str, Any]:
        """Finds a runtime."""
        runtime = ctypes.c_void_p()
        return self.call("runtime_find", String.of(name), ctypes.byref(runtime))

    def get_runtime(self, index: str) -> dict[str, Any]:
        """The runtime of an index."""
        runtime = ctypes.c_void_p()
        return self.call("runtime_get", ctypes.c_uint64(int(index)), ctypes.byref(runtime))

    def get_backend(self, index: str) -> dict[str, Any]:
        """The record of an index."""
        info = BackendInfo(struct_size=ctypes.sizeof(BackendInfo))
        return self.call("backend_get", ctypes.c_uint64(int(index)), ctypes.byref(info))

    def add_manifest(self, path: str) -> dict[str, Any]:
        """Names one more manifest."""
        return self.call("add_manifest", String.of(path), String.of(""))

    def add_not_utf8(self) -> dict[str, Any]:
        """Names a manifest with bytes that are not text."""
        return self.call("add_manifest", String(b"\xff", 1), String.of(""))

    def add_null(self) -> dict[str, Any]:
        """Names a manifest with a NULL pointer and a size."""
        return self.call("add_manifest", String(None, 5), String.of(""))

    def find_into_null(self) -> dict[str, Any]:
        """Finds a runtime and has no place for it."""
        return self.call("runtime_find", String.of("cpu"), None)

    def states(self) -> dict[str, Any]:
        """The states of the records by now."""
        return {"status": "", "states": {b["name"]: b["state"] for b in self.backends()}}

    def create_stream(self, selector: str) -> dict[str, Any]:
        """Makes a stream on a device and releases it."""
        device, stream = ctypes.c_void_p(), ctypes.c_void_p()
        self.must("select_device", String.of(selector), ctypes.byref(device))
        result = self.call("device_create_stream", device, 0, ctypes.byref(stream))
        self.library.nexus_release(stream)
        return result

    def create_streams_from_threads(self, selector: str) -> dict[str, Any]:
        """Makes streams on one device from four threads, and tells what came of them."""
        device = ctypes.c_void_p()
        self.must("select_device", String.of(selector), ctypes.byref(device))
        results: list[str] = []

        def create() -> None:
            for _ in range(5):
                stream = ctypes.c_void_p()
                result = self.call("device_create_stream", device, 0, ctypes.byref(stream))
                results.append(result.get("text", result["status"]))
                self.library.nexus_release(stream)

        threads = [threading.Thread(target=create) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return {"status": "", "results": results}

    def load_from_two_threads(self, path: str) -> dict[str, Any]:
        """Loads from two threads, one of which has the lock that the log function needs."""
        lines: list[str] = []
        prototype = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int32, String, String)
        log = prototype(lambda _context, _level, _backend, text: lines.append(text.text()))
        self.library.nexus_set_log(log, None)
        count = ctypes.c_uint64()
        loading = threading.Thread(target=self.must, args=("backend_count", ctypes.byref(count)))
        loading.start()
        # Unlike CDLL, PyDLL keeps Python's lock during the call.
        ctypes.PyDLL(path).nexus_backend_count(ctypes.byref(ctypes.c_uint64()))
        loading.join()
        self.library.nexus_set_log(None, None)
        return {"status": "", "lines": lines}

    def order(self, order: tuple[str, ...]) -> dict[str, Any]:
        result: dict[str, Any] = getattr(self, order[0])(*order[1:])
        return result


def main() -> None:
    """Does the order."""
    order = json.load(sys.stdin)
    nexus = Nexus(order["library"])
    nexus.library.nexus_set_discovery(int(order["discovery"]))
    for path, distribution in order["manifests"]:
        nexus.must("add_manifest", String.of(path), String.of(distribution))
    for failure in order["failures"]:
        nexus.must("add_failure", *map(String.of, failure))
    for key, value in order["config"].items():
        nexus.must("set_config", String.of(key), String.of(value))
    results = [nexus.order(tuple(call)) for call in order["calls"]]
    report = {"backends": nexus.backends(), "runtimes": nexus.runtimes(), "results": results}
    print(json.dumps(report))


main()
