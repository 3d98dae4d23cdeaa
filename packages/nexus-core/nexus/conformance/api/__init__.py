# SPDX-License-Identifier: Apache-2.0
"""What a backend promises, tested through the Python API."""
