# SPDX-License-Identifier: Apache-2.0
"""MLX and PyTorch's MPS as peers on an Apple GPU."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Peer:
    """A library that computes on the GPU.

    Attributes:
        label: the name and version.
        array: copies an array of numpy's to the GPU.
        functions: its function for each work; elementwise is `2.5 * x + y`.
        finish: waits until a result is computed.
        numpy: returns a result as numpy's array.
    """

    label: str
    array: Callable[[Any], Any]
    functions: Mapping[str, Callable[..., Any]]
    finish: Callable[[Any], Any]
    numpy: Callable[[Any], Any]


def peers() -> tuple[list[Peer], list[str]]:
    """Returns the peers that are installed and see a GPU, and a sentence for each that does not."""
    found, missing = [], []
    for make in (_mlx, _torch):
        try:
            found.append(make())
        except Exception as error:
            missing.append(f"without {make.__name__[1:]}: {type(error).__name__}: {error}")
    return found, missing


def _mlx() -> Peer:
    mx = importlib.import_module("mlx.core")
    if not mx.metal.is_available():
        raise RuntimeError("MLX sees no GPU")
    functions = {"elementwise": lambda x, y: 2.5 * x + y, "sum": mx.sum, "sort": mx.sort,
                 "matmul": mx.matmul}  # fmt: skip
    return Peer(f"mlx {mx.__version__}", mx.array, functions, mx.eval, np.array)


def _torch() -> Peer:
    torch = importlib.import_module("torch")
    if not torch.backends.mps.is_available():
        raise RuntimeError("PyTorch sees no GPU of Apple's")
    functions = {"elementwise": lambda x, y: 2.5 * x + y, "sum": torch.sum,
                 "sort": lambda x: torch.sort(x).values, "matmul": torch.matmul}  # fmt: skip
    return Peer(
        f"torch {torch.__version__}, MPS",
        lambda values: torch.from_numpy(values).to("mps"),
        functions,
        lambda _: torch.mps.synchronize(),
        lambda result: result.cpu().numpy(),
    )
