# SPDX-License-Identifier: Apache-2.0
"""The conformance suite of Nexus, which comes with nexus-core. Run it alone to see each test:

pytest --pyargs nexus.conformance --nexus-backend reference
"""

from __future__ import annotations

import subprocess
import sys


def test_the_backend_conforms() -> None:
    """Tests every promise of Nexus that applies to the backend's capabilities."""
    suite = ["-m", "pytest", "--pyargs", "nexus.conformance", "--nexus-backend", "reference", "-q"]
    done = subprocess.run([sys.executable, *suite], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
