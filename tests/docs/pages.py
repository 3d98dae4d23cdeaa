# SPDX-License-Identifier: Apache-2.0
"""The documents: those that are written by hand, and those that `nox -s docs` builds."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import build_docs  # noqa: E402

BUILT_FOLDER = build_docs.BUILT
BUILT = build_docs.pages()
"""The text of each built page by its path, whether it was written there or not."""

_FOUND = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("packages/*/README.md")]
WRITTEN = sorted(path for path in _FOUND if BUILT_FOLDER not in path.parents)
