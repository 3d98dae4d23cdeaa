# SPDX-License-Identifier: Apache-2.0
"""Checks the expected failures of a vendor's settings: they must exist, and fail."""

from __future__ import annotations

import pytest

from nexus.conformance import _identity
from nexus.conformance._settings import ExpectedFailure, Settings


def mark(items: list[pytest.Item], settings: Settings) -> None:
    """Marks the tests that are expected to fail. Raises UsageError for an unknown name."""
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
    """Returns whether the id names the test; without [...] it names all cases."""
    return expected.test in (test, test.partition("[")[0])


def _in_files_left_out(expected: ExpectedFailure, by_id: dict[str, pytest.Item]) -> bool:
    """Returns whether the test exists but was not selected for this run."""
    file, _, _ = expected.test.partition("::")
    function = expected.test.partition("[")[0]
    if any(name.partition("[")[0] == function for name in by_id):
        return False  # other cases were collected, so this one does not exist
    return (
        not any(name.startswith(f"{file}::") for name in by_id) and _identity.exists(expected.test)
    ) or ("[" not in expected.test and _identity.exists(expected.test))
