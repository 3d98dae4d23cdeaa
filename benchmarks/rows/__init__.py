# SPDX-License-Identifier: Apache-2.0
"""One module a row: NAME, GOAL, and measure(smoke) -> Result."""
