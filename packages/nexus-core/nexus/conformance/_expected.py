# SPDX-License-Identifier: Apache-2.0
"""Expected failures: what a vendor's settings list has to fail, and to exist."""

from __future__ import annotations

import pytest

from nexus.conformance import _identity
from nexus.conformance._settings import ExpectedFailure, Settings


def mark(items: list[pytest.Item], settings: Settings) -> None:
    """Marks the tests that are expected to fail. UsageError where a listed name is none."""
    by_id = {_identity.test_id(item): item for item in items}
    for expected in settings.expected_failures:
        found = [item for name, item in by_id.items() if _names(expected, name)]
        if not found and not _in_files_left_out(expected, by_id):
            raise pytest.UsageError(
                f"{settings.path}: an [[expected_failure]] names the test {expected.test!r}, and "
                "the suite has none of that name; names are those of a report, such as "
                "'capi/test_buffer.py::test_a_buffer_has_its_size[1]'."
            )
        for item in found:
            item.add_marker(
                pytest.mark.xfail(reason=expected.reason, strict=True, run=expected.run)
            )


def _names(expected: ExpectedFailure, test: str) -> bool:
    """An id without [...] names all cases of a test."""
    return expected.test in (test, test.partition("[")[0])


def _in_files_left_out(expected: ExpectedFailure, by_id: dict[str, pytest.Item]) -> bool:
    """Whether the test is there, and this run was told to collect something else."""
    file, _, _ = expected.test.partition("::")
    function = expected.test.partition("[")[0]
    if any(name.partition("[")[0] == function for name in by_id):
        return False  # its other cases were collected, and this one is not among them
    return (
        not any(name.startswith(f"{file}::") for name in by_id) and _identity.exists(expected.test)
    ) or ("[" not in expected.test and _identity.exists(expected.test))
