# SPDX-License-Identifier: Apache-2.0
"""NexusError and its subclasses."""

from __future__ import annotations

import pickle

import pytest

import nexus
from nexus import status


def test_an_error_tells_status_code_and_backend() -> None:
    with pytest.raises(nexus.NexusError) as error:
        nexus.get_device("warp")
    assert error.value.status is status.NXS_DeviceNotFound
    assert error.value.native_code == 0
    assert error.value.backend == ""
    assert isinstance(error.value, RuntimeError)


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        (nexus.NexusError, RuntimeError),
        (nexus.NexusValueError, ValueError),
        (nexus.NexusTimeoutError, TimeoutError),
        (nexus.NexusFileNotFoundError, FileNotFoundError),
        (nexus.PropertyNotFoundError, RuntimeError),
    ],
)
def test_errors_are_python_s_too(kind: type[nexus.NexusError], builtin: type[Exception]) -> None:
    error = kind("The text.", status.NXS_Timeout, 7, "cpu")
    assert isinstance(error, nexus.NexusError)
    assert isinstance(error, builtin)
    assert (str(error), error.status, error.native_code, error.backend) == (
        "The text.", status.NXS_Timeout, 7, "cpu",
    )  # fmt: skip


def test_an_error_survives_pickling() -> None:
    error = nexus.NexusError("The text.", status.NXS_InvalidBuffer, 7, "cpu")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.status, again.native_code, again.backend) == (
        "The text.", status.NXS_InvalidBuffer, 7, "cpu",
    )  # fmt: skip


def test_an_error_made_of_text_alone() -> None:
    assert nexus.NexusError("The text.").status is status.NXS_InternalError
