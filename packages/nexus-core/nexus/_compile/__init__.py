# SPDX-License-Identifier: Apache-2.0
"""Compiles programs to object code: programs, their options, and the linker."""
