# SPDX-License-Identifier: Apache-2.0
"""`python -m nexus.cli` is the command `nexus`."""

import sys

from nexus.cli import main

sys.exit(main())
