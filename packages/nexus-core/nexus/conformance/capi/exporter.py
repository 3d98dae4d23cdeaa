# SPDX-License-Identifier: Apache-2.0
"""Shares a buffer of another process: nxsExportBuffer there, nxsImportBuffer here.

python -m nexus.conformance.capi.exporter SELECTOR SIZE
"""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace, TracebackType
from typing import Any, cast

import nexus
from nexus.conformance._native import N, Native
from nexus.conformance.capi.bench import Bench
from nexus.conformance.capi.calls import Sink

_WAIT_SECONDS = 60.0


def content(size: int) -> bytes:
    """Returns the buffer's initial content."""
    return bytes(index % 251 for index in range(size))


class Exporter:
    """A process that has a shareable buffer, until the with statement ends."""

    def __init__(self, selector: str, size: int) -> None:
        command = [sys.executable, "-m", __name__, selector, str(size)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.handle = bytes.fromhex(self._ask(""))

    def __enter__(self) -> Exporter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:  # fmt: skip
        self._process.communicate(timeout=_WAIT_SECONDS)

    def read(self) -> bytes:
        """Returns the buffer's content as the other process sees it."""
        return bytes.fromhex(self._ask("read\n"))

    def _ask(self, question: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(question)
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        assert answer, "the process that exports a buffer ended"
        return answer


def exported(native: Native, buffer: int) -> bytes:
    """Returns the handle of a shareable buffer."""
    sink = Sink()
    native.get("ExportBuffer", buffer, sink.struct)
    return sink.data


def main(selector: str, size: int) -> None:
    """Exports a buffer, and prints its content on each request."""
    subject = SimpleNamespace(
        device=nexus.get_device(selector), settings=SimpleNamespace(wait_seconds=_WAIT_SECONDS)
    )
    native = Native(cast(Any, subject))
    bench = Bench(native, cast(Any, None))
    buffer = bench.buffer(content(size), N()["NXS_BufferSettings_Shareable"])
    print(exported(native, buffer).hex(), flush=True)
    for _ in sys.stdin:
        print(bench.read(buffer, size).hex(), flush=True)
    bench.close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
