# SPDX-License-Identifier: Apache-2.0
"""Schedules as plain data, as text and as pictures."""
