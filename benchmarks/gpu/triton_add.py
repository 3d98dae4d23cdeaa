# SPDX-License-Identifier: Apache-2.0
"""A kernel of Triton's, which needs its source in a file."""

from __future__ import annotations

from typing import Any

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = tl = None

BLOCK = 256


def _add(a, b, c, n, BLOCK: "tl.constexpr"):  # type: ignore[no-untyped-def]  # noqa: N803, UP037
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(c + at, tl.load(a + at, inside) + tl.load(b + at, inside), inside)


def make(module: Any, torch: Any) -> Any:
    """Returns the compiled kernel, after Triton itself has run it."""
    kernel = module.jit(_add)
    values = torch.ones(BLOCK, device="cuda")
    total = torch.zeros(BLOCK, device="cuda")
    compiled = kernel[(1,)](values, values, total, BLOCK, BLOCK=BLOCK)
    torch.cuda.synchronize()
    assert bool((total == 2).all())
    return compiled
