# SPDX-License-Identifier: Apache-2.0
"""A machine with the driver that a test gives it, and what Nexus reports on it."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeVar

from python_process import run_python

DEVICE = """
import json, nexus
device = nexus.get_device("%s:%d")
answers = {key: device.get_property(key) for key in device.get_property_keys()}
print(json.dumps(answers))
"""
INFO = """
import json, nexus
print(json.dumps(nexus.get_device("%s:0").get_info().to_dict()))
"""
BACKEND = """
import json, nexus
(backend,) = [each for each in nexus.get_backends() if each.name == "%s"]
cpu = nexus.get_device("cpu").get_property_str("Type")
print(json.dumps({"state": backend.state, "reason": backend.reason, "cpu": cpu}))
"""


Machine = TypeVar("Machine", bound="DriverMachine")


@dataclass(frozen=True)
class DriverMachine:
    """A machine with one backend's driver.

    Attributes:
        backend: its name.
        environment: variables added to those of this process.
    """

    backend: ClassVar[str]
    environment: dict[str, str] = field(default_factory=dict)

    def having(self: Machine, **variables: str) -> Machine:
        """Returns the same machine with more variables."""
        return replace(self, environment={**self.environment, **variables})

    def run(self, code: str) -> tuple[Any, str]:
        """Returns what Python code prints as JSON, and its log. The code must exit with 0."""
        hidden = ("CUDA_", "HIP_", "ROCR_", "NEXUS_DEVICE", "NEXUS_LAYERS", "NEXUS_LOG")
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(hidden)}
        logging = "import logging; logging.basicConfig(level=logging.INFO)\n"
        run = run_python(
            "-c",
            logging + code,
            env={**inherited, "NEXUS_LOG": "info", **self.environment},
            check=True,
        )
        return json.loads(run.stdout), run.stderr

    def device(self, ordinal: int = 0) -> dict[str, Any]:
        """Returns a device's own properties by name."""
        answers: dict[str, Any] = self.run(DEVICE % (self.backend, ordinal))[0]
        return answers

    def info(self) -> dict[str, Any]:
        """Returns the first device's properties, with its device file."""
        info: dict[str, Any] = self.run(INFO % self.backend)[0]
        return info

    def why_absent(self, state: str = "ABSENT") -> str:
        """Returns why there is no backend, in that state. Everything else must work."""
        backend = self.run(BACKEND % self.backend)[0]
        assert (backend["state"], backend["cpu"]) == (state, "cpu")
        return str(backend["reason"])
