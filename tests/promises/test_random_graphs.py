# SPDX-License-Identifier: Apache-2.0
"""Random schedules, changed between their runs, leave what numpy has."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from workload import Workload

from nexus.conformance.api.schedules.random_graphs import RandomGraph

pytestmark = pytest.mark.long


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(random=st.randoms(use_true_random=False), size=st.integers(1, 40))
def test_random_graphs_leave_what_numpy_has(work: Workload, random: Random, size: int) -> None:
    RandomGraph(work, random, size).run_and_check()
