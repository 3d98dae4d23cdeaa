# SPDX-License-Identifier: Apache-2.0
"""Buffers as arrays: dtypes, values and creation. Importing it does not import numpy."""
