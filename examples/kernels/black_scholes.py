# SPDX-License-Identifier: Apache-2.0
"""Prices of European options by Black and Scholes."""

from __future__ import annotations

import math

import numpy as np
from launch import Floats, kernel, launch, show
from numpy.typing import NDArray

import nexus


def black_scholes(
    device: nexus.Device,
    price: Floats,
    strike: Floats,
    years: Floats,
    rate: float,
    volatility: float,
) -> Floats:
    """Returns the prices of the calls and of the puts (2 x n)."""
    calls, puts = device.create_buffer((price.size,)), device.create_buffer((price.size,))
    given = [device.create_buffer(each) for each in (price, strike, years)]
    arguments = (*given, calls, puts, rate, volatility, price.size)
    launch(device, kernel(device, "black_scholes.c"), arguments, price.size)
    return np.stack([calls.numpy(), puts.numpy()])


def black_scholes_by_python(
    price: Floats, strike: Floats, years: Floats, rate: float, volatility: float
) -> NDArray[np.float64]:
    below = np.vectorize(lambda x: 0.5 * math.erfc(-x / math.sqrt(2)), otypes=[np.float64])
    s, k, t = (each.astype(np.float64) for each in (price, strike, years))
    deviation = volatility * np.sqrt(t)
    d1 = (np.log(s / k) + (rate + 0.5 * volatility**2) * t) / deviation
    d2 = d1 - deviation
    call = s * below(d1) - k * np.exp(-rate * t) * below(d2)
    return np.stack([call, call - s + k * np.exp(-rate * t)])


def example(device: nexus.Device) -> tuple[Floats, NDArray[np.float64]]:
    random = np.random.default_rng(1)
    price, strike, years = (
        random.uniform(low, high, 100_000).astype(np.float32)
        for low, high in ((5, 30), (1, 100), (0.25, 10))
    )
    options = (price, strike, years, 0.02, 0.3)
    return black_scholes(device, *options), black_scholes_by_python(*options)


if __name__ == "__main__":
    show(example)
