# SPDX-License-Identifier: Apache-2.0
"""One module for each row: NAME, GOAL, and measure(smoke) -> Result."""
