# SPDX-License-Identifier: Apache-2.0
"""Hands an array from numpy to nexus, and to torch and jax where they are installed, and back.

python examples/exchange.py
"""

from __future__ import annotations

import importlib.util

import numpy as np

import nexus

device = nexus.get_device()
buffer = device.create_buffer(np.arange(6, dtype=np.float32).reshape(2, 3))
print("nexus has", buffer.numpy().tolist(), "on", device.name)

if importlib.util.find_spec("torch"):
    import torch

    tensor = torch.from_dlpack(buffer)  # the same memory
    tensor *= 2
    print("torch has doubled it:", buffer.numpy().tolist())

if importlib.util.find_spec("jax"):
    import jax.numpy as jnp

    rows = jnp.asarray(buffer).sum(axis=1)
    print("jax has its rows' sums:", device.create_buffer(rows).numpy().tolist())

if device.get_property_str("Type") == "cpu":
    view = np.asarray(buffer)  # the same memory
    view += 1
    print("numpy has added 1:", buffer.numpy().tolist())
