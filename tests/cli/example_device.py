# SPDX-License-Identifier: Apache-2.0
"""Two device files of a vendor that there is not."""

from __future__ import annotations

from typing import Any

Tree = dict[str, Any]

READ = "2026-01-02"


def source(title: str, *values: str) -> Tree:
    """An entry of Sources."""
    return {
        "Title": title, "Publisher": "Example Works", "Date": "2025", "Section": "Table 1",
        "Address": f"https://example.org/{title.lower()}", "Read": READ, "Values": list(values),
    }  # fmt: skip


GPU: Tree = {
    "Name": "Example One",
    "Aliases": ["EX-One"],
    "Vendor": "Example",
    "Type": "gpu",
    "Architecture": "ex1",
    "Description": "A device of the tests.",
    "CoreSubsystem": {"SubUnitType": "Cluster", "SIMDSize": 32, "MaxClock": 1500},
    "MemorySubsystem": {
        "MemoryTypes": [
            {"Name": "Global", "Technology": "HBM3", "BusWidth": 4096},
            {"Name": "L1", "Kind": "cache", "Size": 65536, "LineSize": 128, "SharedBy": "Cluster"},
        ]
    },
    "Limits": {"MaxGroupSize": [1024, 512, 64]},
    "Variants": [
        {
            "Name": "X100",
            "TransistorCount": 20000000000,
            "CoreSubsystem": {"Count": 10},
            "MemorySubsystem": {"MemoryTypes": [{"Name": "Global", "Bandwidth": 1000000000000}]},
            "PeakRates": [
                {"Name": "float32", "DataType": "float32", "Rate": 20000000000000},
                {
                    "Name": "float16 matrix", "DataType": "float16", "Unit": "matrix",
                    "Rate": 80000000000000, "Clock": 1400,
                },
            ],
            "Power": {"MaxPower": 300},
        },
        {
            "Name": "X200",
            "CoreSubsystem": {"Count": 20},
            "MemorySubsystem": {"MemoryTypes": [{"Name": "Global", "TransferRate": 4000}]},
            "PeakRates": [
                {"Name": "float32", "DataType": "float32", "OperationsPerClock": 1000},
                {"Name": "int8 matrix", "DataType": "int8", "Unit": "matrix", "Rate": 9e14},
            ],
        },
    ],
    "Sources": [
        source("Guide", "Name", "Aliases", "Architecture", "CoreSubsystem", "MemorySubsystem"),
        source("Limits", "Limits", "MemorySubsystem/MemoryTypes/L1/Size"),
        source("Sheet", "Variants/X100", "Variants/X200"),
    ],
}  # fmt: skip

CPU: Tree = {
    "Name": "Example Two",
    "Vendor": "Example",
    "Type": "cpu",
    "Architecture": "ex2",
    "KernelModel": {"Features": ["fast", "wide"]},
    "Sources": [source("Guide", "Name", "Architecture", "KernelModel")],
}
