# SPDX-License-Identifier: Apache-2.0
"""Catalogs of kernels: reading their files, and finding the installed ones."""

from __future__ import annotations

import copy
import hashlib
import json
import logging
import math
import os
import re
import threading
from typing import TYPE_CHECKING, Any

from nexus import _checks, _core
from nexus._catalog import _architecture, _schema
from nexus._collections import CatalogLibrary, ObjectList
from nexus._errors import NexusError, NexusValueError, missing_file
from nexus.status import NXS_InvalidBinary

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "nexus.catalogs"  # of entry points; each names a package with a file of this name:
FILE = "kernel_catalog.json"

_OWN_FILE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]*)"', re.MULTILINE)
_LARGEST = 64 << 20  # bytes of the JSON file
_lock = threading.Lock()
_loaded: dict[str, Catalog] = {}  # by their paths


class Catalog:
    """A kernel catalog: libraries of kernels by name and version, compiled for several
    architectures or as source. `Device.load_library(catalog, name)` loads one.

    Made by `nexus.load_catalog` and `nexus.get_catalogs`. Immutable; can be pickled.

    Example:
        catalog = nexus.load_catalog("kernels/kernel_catalog.json")
        for library in catalog.libraries:
            print(library.name, library.version, library.targets)
    """

    __slots__ = ("__weakref__", "_path", "_tree")

    _path: str
    _tree: dict[str, Any]

    def __init__(self, *arguments: object) -> None:
        raise TypeError("nexus.Catalog can't be created: use nexus.load_catalog(path).")

    @property
    def path(self) -> str:
        """The path of the catalog's JSON file, absolute and without links."""
        return self._path

    @property
    def name(self) -> str:
        """The catalog's name."""
        return str(self._tree["Name"])

    @property
    def version(self) -> str:
        """The catalog's version, such as '1.0.0'."""
        return str(self._tree["Version"])

    @property
    def description(self) -> str:
        """The catalog's description; may be empty."""
        return str(self._tree.get("Description", ""))

    @property
    def license(self) -> str:
        """The licence of libraries without their own, such as 'Apache-2.0'; may be empty."""
        return str(self._tree.get("License", ""))

    @property
    def libraries(self) -> ObjectList[CatalogLibrary]:
        """The libraries, in the order of the file."""
        return ObjectList(_library(each, self.license) for each in self._tree["Libraries"])

    def to_dict(self) -> dict[str, Any]:
        """Returns a copy of the whole file's content, in the form of the JSON Schema
        `kernel_catalog.schema.json`."""
        return copy.deepcopy(self._tree)

    def verify(self) -> list[str]:
        """Reads all files of the catalog and compares them with their checksums and sizes.

        The architecture is read from object code of Nexus, from cubins and from PTX. Of another ELF
        file for the CPU only the family is known, x86-64 or aarch64; of other files nothing.

        Returns:
            A sentence for each file that is missing, was changed, lies outside of the catalog's
            folder, belongs to another user, or is for another architecture; empty if none is wrong.
        """
        found = [
            _wrong(self, entry, build)
            for entry in self._tree["Libraries"]
            for build in builds_of(entry)
        ]
        return [problem for problem in found if problem]

    def __repr__(self) -> str:
        from nexus._units import counted

        size = counted(len(self._tree["Libraries"]), "library")
        return f"<nexus.Catalog {self.name!r} {self.version}: {size}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (self._path, self._tree)

    def _repr_html_(self) -> str:
        from nexus import _html

        return _html.catalog(self)


Catalog.__module__ = "nexus"


def load(path: object) -> Catalog:
    """Implements nexus.load_catalog."""
    catalog = read(path)
    with _lock:
        _loaded[catalog.path] = catalog
    return catalog


def find() -> ObjectList[Catalog]:
    """Implements nexus.get_catalogs."""
    with _lock:
        found = dict(_loaded)
    for catalog in filter(None, map(_installed, _entry_points())):
        found.setdefault(catalog.path, catalog)
    return ObjectList(found.values())


def _installed(entry_point: EntryPoint) -> Catalog | None:
    """Returns the catalog of an entry point; logs a warning and returns None if it has none."""
    try:
        return read(_file_of(entry_point))
    except Exception as error:  # importing a parent package may raise anything
        logging.getLogger("nexus").warning(
            "The entry point '%s = %s' of the group '%s' gives no kernel catalog: %s",
            entry_point.name, entry_point.value, GROUP, error,
        )  # fmt: skip
        return None


def read(path: object, parameter: str = "path") -> Catalog:
    """Reads a catalog's file. Raises like nexus.load_catalog."""
    file = os.path.realpath(_checks.path(parameter, path))
    data = _content(parameter, file, _LARGEST)
    try:
        tree = json.loads(
            data.decode(),
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_number,
            parse_constant=_number,
        )
        json.dumps(tree, ensure_ascii=False).encode()  # fails for lone surrogates
        reason = _schema.problem(tree) or _repeated(tree)
    except RecursionError:
        reason = "its values are nested too deeply."
    except ValueError as error:  # also raised for a file that is not UTF-8 or not JSON
        reason = f"{error}."
    if reason:
        raise _bad(f"{parameter} is '{file}', which is not a kernel catalog: {reason}")
    return _made(file, tree)


def _made(path: str, tree: dict[str, Any]) -> Catalog:
    catalog = Catalog.__new__(Catalog)
    catalog._path = path  # noqa: SLF001
    catalog._tree = tree  # noqa: SLF001
    return catalog


def tree_of(catalog: Catalog) -> dict[str, Any]:
    """Returns the catalog's content, which must not be changed."""
    return catalog._tree  # noqa: SLF001


def builds_of(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns the objects and sources of a library's entry."""
    return [*entry.get("Objects", ()), *entry.get("Sources", ())]


def title(entry: dict[str, Any]) -> str:
    """Returns "'vector' 1.0.0" for a library's entry."""
    return f"'{entry['Name']}' {entry['Version']}"


def target(build: dict[str, Any]) -> str:
    """Returns 'cuda:sm_90' for an object's entry, 'source in nexus' for a source's."""
    if "Language" in build:
        return f"source in {build['Language']}"
    return f"{build['Runtime']}:{build['Architecture']}"


def read_build(catalog: Catalog, entry: dict[str, Any], build: dict[str, Any]) -> bytes:
    """Returns the content of an object's or source's file, checked against the catalog.

    Raises:
        NexusError: it is missing, outside of the catalog's folder, belongs to another user, or
            its checksum or size differs.
    """
    file = path_of(catalog, entry, build)
    parameter = f"File of {title(entry)} in the catalog '{catalog.path}'"
    data = _content(parameter, file)
    found = hashlib.sha256(data).hexdigest()
    if found != build["SHA256"]:
        raise _bad(
            f"{parameter} is '{build['File']}', whose SHA-256 is {found}, and the catalog says "
            f"{build['SHA256']}: restore the file, or build the catalog again."
        )
    if len(data) != build.get("FileSize", len(data)):
        raise _bad(
            f"{parameter} is '{build['File']}' of {len(data)} bytes, and the catalog says "
            f"{build['FileSize']}: build the catalog again."
        )
    return data


def object_code(
    catalog: Catalog, entry: dict[str, Any], build: dict[str, Any]
) -> _core.ObjectCode | bytes:
    """Returns the code of an object's entry; bytes if the file is not from ObjectCode.save.

    Raises:
        NexusError: like read_build, and if the code is for another backend or architecture than
            the catalog says.
    """
    data = read_build(catalog, entry, build)
    code: _core.ObjectCode | bytes = data
    if data.startswith(b"NEXUSOBJ"):
        code = _core.read_object_code(data)
        told = f"{code.runtime}:{base_of(code.target, code.runtime)}"
    else:
        named = _architecture.contradiction(data, build["Runtime"], build["Architecture"])
        told = named or target(build)
    if told != target(build):
        raise _bad(
            f"File of {title(entry)} in the catalog '{catalog.path}' is '{build['File']}', object "
            f"code for {told}, and the catalog says {target(build)}: build the catalog again."
        )
    return code


def check_source(data: bytes, path: str) -> str:
    """Returns the text of a catalog's source.

    Raises:
        NexusError: it is not a text, or includes a file of its own, which has no checksum.
    """
    try:
        text = data.decode().replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise _bad(f"The source '{path}' is not UTF-8 (byte {error.start}).") from None
    if found := _OWN_FILE.search(text):
        raise _bad(
            f"The source '{path}' includes \"{found[1]}\", and a catalog's source is one file: "
            "paste the other file into it."
        )
    return text


def base_of(architecture: str, runtime: str) -> str:
    """Returns the architecture without the features in the target of object code for the CPU."""
    return architecture.partition("+")[0] if runtime == "cpu" else architecture


def path_of(catalog: Catalog, entry: dict[str, Any], build: dict[str, Any]) -> str:
    """Returns the path of a build's file. Raises NexusError if it is outside of the folder."""
    folder = os.path.dirname(catalog.path)  # noqa: PTH120  # without links, as realpath made it
    path = os.path.realpath(f"{folder}/{build['File']}")
    if not path.startswith(folder.rstrip("/") + "/"):
        raise _bad(
            f"File of {title(entry)} in the catalog '{catalog.path}' is '{build['File']}', which "
            f"leads to '{path}', out of the catalog's folder: move the file there."
        )
    return path


def _content(parameter: str, path: str, largest: int = 1 << 30) -> bytes:
    try:
        return _checks.read_file(parameter, path, largest=largest, trusted=True)
    except FileNotFoundError as error:
        text = f"{parameter} is '{path}', and there is no such file."
        raise missing_file(path, text) from error
    except NexusError:
        raise
    except OSError as error:
        raise _bad(f"{parameter} is '{path}', which can't be read: {error.strerror}.") from error


def _wrong(catalog: Catalog, entry: dict[str, Any], build: dict[str, Any]) -> str:
    """Returns a sentence if a build's file differs from its catalog entry; else an empty str."""
    try:
        if "Language" in build:
            check_source(read_build(catalog, entry, build), build["File"])
        else:
            object_code(catalog, entry, build)
    except NexusError as error:
        return f"{title(entry)}, {target(build)}: {error}"
    return ""


def _library(entry: dict[str, Any], license_: str) -> CatalogLibrary:
    return CatalogLibrary(
        entry["Name"],
        entry["Version"],
        entry.get("Description", ""),
        entry.get("License", license_),
        tuple(each["Name"] for each in entry.get("Kernels", ())),
        tuple(target(each) for each in entry.get("Objects", ())),
        tuple(each["Language"] for each in entry.get("Sources", ())),
    )


def _bad(text: str) -> NexusError:
    return NexusError(text, NXS_InvalidBinary)


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """Makes an object of JSON. Raises ValueError for a name that occurs twice."""
    made = dict(members)
    if len(made) < len(members):
        names = [name for name, _ in members]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"an object has the field {twice!r} twice")
    return made


def _integer(digits: str) -> int:
    if len(digits) > 20 or not -(1 << 63) <= int(digits) < 1 << 63:
        raise ValueError(f"the integer {digits[:40]} does not fit into 64 bits")
    return int(digits)


def _number(digits: str) -> float:
    if not math.isfinite(number := float(digits)):
        raise ValueError(f"the number {digits[:40]} is not finite")
    return number


def _repeated(tree: dict[str, Any]) -> str:
    """Returns a sentence about the first library that occurs twice; empty if there is none."""
    seen = set()
    for entry in tree["Libraries"]:
        if title(entry) in seen:
            return f"Libraries has {title(entry)} twice."
        seen.add(title(entry))
    return ""


def _entry_points() -> list[EntryPoint]:
    from importlib.metadata import entry_points

    return sorted(entry_points(group=GROUP), key=lambda each: (each.name, each.value))


def _file_of(entry_point: EntryPoint) -> str:
    """Returns the path of the catalog in the entry point's package, which is not imported."""
    import importlib.util

    spec = importlib.util.find_spec(entry_point.value)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    if not folders:
        raise NexusValueError(f"there is no package '{entry_point.value}'.")
    paths = [os.path.join(folder, FILE) for folder in folders]  # noqa: PTH118
    return next(filter(os.path.exists, paths), paths[0])


__all__ = ["Catalog"]
