# SPDX-License-Identifier: Apache-2.0
"""Buffers as arrays: their dtypes, values and makers. Importing it does not import numpy."""
