# SPDX-License-Identifier: Apache-2.0
"""Runs the command `nexus` by `python -m nexus.cli`."""

import sys

from nexus.cli import main

sys.exit(main())
