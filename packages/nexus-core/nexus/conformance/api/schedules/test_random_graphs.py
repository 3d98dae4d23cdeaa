# SPDX-License-Identifier: Apache-2.0
"""Random schedules, changed between their runs, give the same results as numpy."""

from __future__ import annotations

from random import Random

import pytest

from nexus.conformance.api.schedules.random_graphs import RandomGraph
from nexus.conformance.api.workbench import Workbench


@pytest.mark.promise(
    "order-branches",
    "replay-snapshot",
    "replay-rebind",
    "replay-resubmit",
    "replay-times",
    "edit-rebind",
    "edit-enabled",
    "edit-remove",
    "edit-array",
    "nest-order",
    "nest-runs",
    "host-order",
    "host-use",
    "scratch-shared",
    "cond-order",
    "cond-nest",
)
@pytest.mark.parametrize("seed", range(20))
def test_random_graphs_leave_what_numpy_has(work: Workbench, seed: int) -> None:
    RandomGraph(work, Random(seed), 40).run_and_check()
