# SPDX-License-Identifier: Apache-2.0
"""From a program's text to object code: programs, their options, and the linker."""
