# SPDX-License-Identifier: Apache-2.0
"""One module for each row of the GPU's table: NAME, GOAL, and measure(smoke=...)."""
