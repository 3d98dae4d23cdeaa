# SPDX-License-Identifier: Apache-2.0
"""The names of a new backend, checked."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass

_NAME = re.compile(r"[a-z][a-z0-9]{0,31}")
_VENDOR = re.compile(r"[A-Za-z0-9][A-Za-z0-9 .&+]{0,62}")
_LONGEST_DESCRIPTION = 200

_OURS = {"cpu", "cuda", "hip", "metal", "opencl", "reference"}  # existing backends
_RESERVED = {"api", "conformance", "core", "kernel", "nexus", "plugin", "scaffold"}
_CPP_KEYWORDS = re.compile(  # those that Python does not have
    r"alignas|alignof|asm|auto|bool|case|catch|char|concept|const|constexpr|consteval|constinit|"
    r"decltype|default|delete|do|double|enum|explicit|export|extern|false|float|friend|goto|"
    r"inline|int|long|mutable|namespace|new|noexcept|nullptr|operator|private|protected|public|"
    r"register|requires|short|signed|sizeof|static|struct|switch|template|this|throw|true|"
    r"typedef|typeid|typename|union|unsigned|using|virtual|void|volatile"
)


@dataclass(frozen=True)
class Names:
    """The names of a new backend. Raises ValueError for bad names."""

    backend: str  # such as acme, in selectors acme:0
    vendor: str  # for people
    description: str  # one line, for the package index

    @staticmethod
    def of(backend: str, vendor: str | None = None, description: str | None = None) -> Names:
        """Creates the names; derives names that are not given from the backend's name."""
        check_backend(backend)
        chosen = backend.capitalize() if vendor is None else vendor
        _check_vendor(chosen)
        line = f"The {chosen} backend of Nexus" if description is None else description
        _check_description(line)
        return Names(backend, chosen, line)

    @property
    def distribution(self) -> str:
        """The name on the package index."""
        return f"nexus-{self.backend}"

    @property
    def device(self) -> str:
        """The name of the project's first device."""
        same = self.vendor.lower() == self.backend
        return f"{self.vendor} device" if same else f"{self.vendor} {self.backend} device"

    @property
    def vendor_word(self) -> str:
        """The vendor in the names of device files."""
        return re.sub(r"[^a-z0-9.+-]", "_", self.vendor.lower())


def check_backend(name: str) -> None:
    """Raises ValueError if no new backend can have the name."""
    if not _NAME.fullmatch(name):
        raise ValueError(
            f"NAME is {name!r}; a backend's name here is a lower-case letter and up to 31 "
            "lower-case letters and digits, since it becomes part of Python's and C++'s names"
        )
    if keyword.iskeyword(name) or _CPP_KEYWORDS.fullmatch(name):
        raise ValueError(f"NAME is {name!r}, a word of Python or C++; take another")
    if name in _OURS:
        raise ValueError(f"NAME is {name!r}, a backend that there is already; take another")
    if name in _RESERVED:
        raise ValueError(f"NAME is {name!r}, which Nexus uses itself (nexus-{name}); take another")


def _check_vendor(vendor: str) -> None:
    if not _VENDOR.fullmatch(vendor):
        raise ValueError(
            f"--vendor is {vendor!r}; it takes up to 63 of the letters A to Z and a to z, digits, "
            "blanks and . & +, and begins with a letter or a digit"
        )


def _check_description(description: str) -> None:
    if not description.strip() or not description.isprintable():
        raise ValueError(f"--description is {description!r}; it takes one line of text")
    if len(description) > _LONGEST_DESCRIPTION:
        raise ValueError(
            f"--description has {len(description)} letters; at most {_LONGEST_DESCRIPTION} are "
            "allowed"
        )
