# SPDX-License-Identifier: Apache-2.0
"""One module for each work of the GPU's table: NAME, GOAL, and measure(smoke=...)."""
