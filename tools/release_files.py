# SPDX-License-Identifier: Apache-2.0
"""Gathers the files of a release in a folder, with what is published beside them.

    python tools/release_files.py FOLDER WHEEL_OR_SDIST ...

Beside the wheels and sdists the folder gets:

    SHA256SUMS            the digests, as `sha256sum --check` reads them
    subjects.intoto.json  the same as subjects of an in-toto attestation, for who signs one
    nexus.cdx.json        what the packages contain and need (SBOM), as CycloneDX describes it
    notes.md              the version's section of CHANGELOG.md; before `nox -s changelog` a draft
"""

from __future__ import annotations

import argparse
import datetime
import json
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.model.license import License
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packageurl import PackageURL
from packaging.requirements import Requirement

import changelog
import package_index

ROOT = Path(__file__).resolve().parent.parent
# The packages whose code the wheels contain: their licence, and what contains them.
COMPILED_IN = {
    "pybind11": ("BSD-3-Clause", ["nexus-core"]),
    # libc++, libc++abi, libunwind and compiler-rt
    "ziglang": (
        "Apache-2.0 WITH LLVM-exception",
        ["nexus-core", "nexus-cpu", "nexus-cuda", "nexus-hip", "nexus-metal"],
    ),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Replaces the folder by one with the files of the release."""
    parser = argparse.ArgumentParser(description="Gather the files of a release in a folder.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("files", type=Path, nargs="+", metavar="WHEEL_OR_SDIST")
    parser.add_argument("--pinned", action="append", default=[], metavar="NAME==VERSION",
                        help="a package whose code the wheels contain")  # fmt: skip
    options = parser.parse_args(arguments)
    folder: Path = options.folder
    if folder.is_dir() and any(folder.iterdir()) and not (folder / "SHA256SUMS").is_file():
        parser.error(f"{folder} has other files than those of a release; give a new folder")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    files = [Path(shutil.copy2(file, folder)) for file in sorted(options.files)]
    digests = {file.name: package_index.sha256(file) for file in files}
    version = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
    texts = {
        "SHA256SUMS": "".join(f"{digest}  {name}\n" for name, digest in digests.items()),
        "subjects.intoto.json": _subjects(digests),
        "nexus.cdx.json": _bill_of_materials(files, digests, version, options.pinned),
        "notes.md": changelog.notes(version, datetime.datetime.now(datetime.timezone.utc).date()),
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    print(f"{len(files)} wheels and sdists of version {version}, and {', '.join(texts)}: {folder}")
    return 0


def _subjects(digests: dict[str, str]) -> str:
    """Returns the files as in-toto's ResourceDescriptors."""
    subjects = [{"name": name, "digest": {"sha256": value}} for name, value in digests.items()]
    return json.dumps(subjects, indent=2) + "\n"


def _bill_of_materials(
    files: Sequence[Path], digests: dict[str, str], version: str, pinned: Iterable[str]
) -> str:
    """Returns the bill of materials; ValueError if it does not fit CycloneDX' schema."""
    ours = _ours(files, digests, version)
    compiled_in = _compiled_in(pinned)
    needed: dict[str, Component] = {}
    whole = Component(name="nexus", version=version, type=ComponentType.LIBRARY, bom_ref="nexus",
                      licenses=[_licence("Apache-2.0")])  # fmt: skip
    bom = Bom()
    bom.metadata.component = whole
    bom.register_dependency(whole, ours.values())
    for project, component in ours.items():
        parts = [part for name, part in compiled_in.items() if project in COMPILED_IN[name][1]]
        for requirement in _requirements(project, files):
            name = package_index.normalized(requirement.name)
            part = ours.get(name) or needed.setdefault(name, _package(name))
            if name in needed:
                _say_who_needs(part, project, requirement)
            parts.append(part)
        bom.register_dependency(component, parts)
    for component in (*ours.values(), *compiled_in.values(), *needed.values()):
        bom.components.add(component)
    text: str = JsonV1Dot6(bom).output_as_string(indent=2)
    fault = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if fault:
        raise ValueError(f"the bill of materials is not CycloneDX 1.6: {fault}")
    return text + "\n"


def _ours(files: Iterable[Path], digests: dict[str, str], version: str) -> dict[str, Component]:
    """Returns our packages, each with its files."""
    ours: dict[str, Component] = {}
    for file in files:
        project = _project_of(file)
        if project not in ours:
            ours[project] = _package(project, version, [_licence("Apache-2.0")])
        digest = HashType(alg=HashAlgorithm.SHA_256, content=digests[file.name])
        ours[project].components.add(
            Component(name=file.name, type=ComponentType.FILE, hashes=[digest], bom_ref=file.name)
        )
    return ours


def _compiled_in(pinned: Iterable[str]) -> dict[str, Component]:
    """Returns the packages whose code our wheels contain."""
    found = {}
    for requirement in map(Requirement, pinned):
        (pin,) = requirement.specifier
        licence = _licence(COMPILED_IN[requirement.name][0])
        found[requirement.name] = _package(requirement.name, pin.version, [licence])
    return found


def _requirements(project: str, files: Iterable[Path]) -> list[Requirement]:
    """Returns what the wheels of a project require, extras included, without repetition."""
    lines: set[str] = set()
    for file in files:
        if file.suffix == ".whl" and _project_of(file) == project:
            lines.update(package_index.metadata(file).get_all("Requires-Dist", []))
    return [Requirement(line) for line in sorted(lines)]


def _say_who_needs(package: Component, project: str, requirement: Requirement) -> None:
    """Adds the requirement to a package; one of an extra alone is optional."""
    name = f"nexus:required-by:{project}"
    package.properties.add(Property(name=name, value=str(requirement)))
    if "extra" not in str(requirement.marker or ""):
        package.scope = ComponentScope.REQUIRED
    elif package.scope is None:
        package.scope = ComponentScope.OPTIONAL


def _project_of(file: Path) -> str:
    """Returns the project of a wheel or an sdist."""
    return package_index.normalized(file.name.partition("-")[0])


def _licence(expression: str) -> License:
    return LicenseFactory().make_from_string(expression)


def _package(name: str, version: str | None = None, licences: Iterable[License] = ()) -> Component:
    """Returns a package; one without a version is not part of the release."""
    url = PackageURL("pypi", name=name, version=version)
    known = url if name != "nexus" else None  # which PyPI has of another project
    return Component(name=name, version=version, purl=known, bom_ref=str(url), licenses=licences,
                     type=ComponentType.LIBRARY)  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
