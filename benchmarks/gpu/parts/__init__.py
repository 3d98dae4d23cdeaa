# SPDX-License-Identifier: Apache-2.0
"""One module for each part of the run on a GPU; gpu_cases.PARTS has their order."""
