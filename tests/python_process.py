# SPDX-License-Identifier: Apache-2.0
"""Fresh Python processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def run_python(
    *arguments: str | Path,
    more: Mapping[str, str] | None = None,
    check: bool = False,
    timeout: float = 120,
    **options: Any,
) -> subprocess.CompletedProcess[str]:
    """Runs a fresh Python with the arguments and returns its output.

    Args:
        more: variables of its environment, beside those of this process.
        check: it has to end with 0.
        options: more arguments of subprocess.run.
    """
    if more is not None:
        options["env"] = os.environ | more
    done = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        **options,
    )
    assert not check or done.returncode == 0, done.stderr
    return done
