# SPDX-License-Identifier: Apache-2.0
"""Builds the wheels once for each state of the sources, for all sessions that install them.

Wheels for tests are built with the machine's compiler. Wheels for a release are built with that of
the `ziglang` wheel, which compiles on x86-64 Linux for every target of TARGETS.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import nox
from nox.command import CommandFailed

ROOT = Path(__file__).resolve().parent.parent
BACKENDS = ["cpu", "cuda", "hip"]  # the backends with a wheel for Linux
MACOS_BACKENDS = ["metal"]  # on Linux built too, for the tests on a double of the system
PACKAGES = ["nexus-core", *(f"nexus-{name}" for name in (*BACKENDS, *MACOS_BACKENDS))]


@dataclass(frozen=True)
class Target:
    """A system that release wheels are built for.

    Attributes:
        zig: zig's name for it.
        platform: the platform tag of the wheels.
        extension: what the names of extension modules have after the version of Python.
        processor: its name in Linux.
    """

    zig: str
    platform: str
    extension: str
    processor: str


def _linux(processor: str, libc: str, zig_version: str, tag: str) -> Target:
    return Target(
        f"{processor}-linux-{libc}{zig_version}",
        f"{tag}_{processor}",
        f"{processor}-linux-{libc}",
        processor,
    )


LINUX_TARGETS = {
    "manylinux-x86_64": _linux("x86_64", "gnu", ".2.17", "manylinux_2_17"),
    "manylinux-aarch64": _linux("aarch64", "gnu", ".2.17", "manylinux_2_17"),
    "musllinux-x86_64": _linux("x86_64", "musl", "", "musllinux_1_2"),
    "musllinux-aarch64": _linux("aarch64", "musl", "", "musllinux_1_2"),
}
# macOS 13 is the oldest that has Metal 3. Apple's processors only.
TARGETS = {
    **LINUX_TARGETS,
    "macos": Target("aarch64-macos.13.0", "macosx_13_0_arm64", "darwin", "arm64"),
}
OWN_TARGET = f"manylinux-{platform.machine()}"


def wheels(session: nox.Session, compiler: str = "native") -> Path:
    """Returns the folder with all our wheels for the session's Python, built if they are outdated.

    `compiler` is "native", or for a release one of TARGETS, whose wheels zig builds.
    """
    folder = _current_folder(session, compiler)
    patterns = {"nexus-core": _core_pattern(session)}
    patterns |= {f"nexus-{name}": f"nexus_{name}-*.whl" for name in backends(compiler)}
    missing = [name for name, pattern in patterns.items() if not list(folder.glob(pattern))]
    environment: dict[str, str] = {}
    if missing:
        _install_builder(session)
        if compiler in TARGETS:
            environment = _released(session, compiler)  # once: both builds use the files it writes

    def build(name: str) -> None:
        _build(session, folder, f"packages/{name}", compiler, environment)

    # Two at once: most of a build is the work of one core.
    with ThreadPoolExecutor(max_workers=2) as pool:
        list(pool.map(build, missing))
    if not list(folder.glob("nexus-*.whl")):
        # From its sdist: built in the clone it would depend on the clone's folders.
        _install_builder(session)
        _pyproject_build(session, "--outdir", str(folder), ".")
    return folder


def backends(compiler: str = "native") -> list[str]:
    """Returns the backends with a wheel of that compiler."""
    if compiler == "macos":
        return ["cpu", *MACOS_BACKENDS]
    return BACKENDS if compiler in LINUX_TARGETS else [*BACKENDS, *MACOS_BACKENDS]


def sdists(session: nox.Session) -> Path:
    """Returns the folder with the sdists of all packages, built if they are outdated."""
    folder = _current_folder(session, "sdists")
    sources = [".", *(f"packages/{name}" for name in PACKAGES)]
    if len(list(folder.glob("*.tar.gz"))) < len(sources):
        _install_builder(session)
        for package in sources:
            _pyproject_build(session, "--sdist", "--outdir", str(folder), package)
    return folder


def released(session: nox.Session, pythons: Sequence[str]) -> list[Path]:
    """Returns the release wheels for all targets and these Pythons; fails if one is not built."""
    found: dict[str, Path] = {}
    missing = []
    for name, target in TARGETS.items():
        folder = _current_folder(session, name)
        found |= {wheel.name: wheel for wheel in folder.glob("*.whl")}
        patterns = [f"nexus_core-*-{_tags(each)}-*{target.platform}.whl" for each in pythons]
        patterns += [f"nexus_{each}-*{target.platform}.whl" for each in backends(name)]
        missing += [pattern for pattern in patterns if not list(folder.glob(pattern))]
    if missing:
        session.error(f"`nox -s release` has not built these wheels yet: {' '.join(missing)}")
    return [found[name] for name in sorted(found)]


def dependency_wheels(session: nox.Session, pythons: Sequence[str]) -> list[Path]:
    """Returns the wheels that pip installs beside ours, for all targets and these Pythons.

    pip's index has them. Warns where it lacks one.
    """
    folder = _cache(session, "dependencies")
    shutil.rmtree(folder)  # may have older versions
    session.install("pip")
    for python in pythons:
        # pip takes the version of Python, and the markers of requirements, from who runs it.
        interpreter = shutil.which(f"python{python}") or session.error(
            f"python{python} is not on the PATH"
        )
        pip = ["python", "-m", "pip", "--python", interpreter, "download", "--quiet"]
        for tags in [tags for name in TARGETS for tags in _platforms_of_dependencies(name)]:
            platforms = [f"--platform={tag}" for tag in tags]
            try:
                session.run(*pip, "--only-binary=:all:", *platforms, "--dest", str(folder),
                            *dependencies())  # fmt: skip
            except CommandFailed:
                session.warn(
                    f"Python {python} on {tags[0]}: pip found no wheel of what the lines above "
                    "name, so the index may not have all that nexus-core requires there"
                )
    return sorted(folder.glob("*.whl"))


def _platforms_of_dependencies(name: str) -> list[list[str]]:
    """Returns the platform tags of a target's dependencies, a list for each download.

    Two for glibc: the second has versions of numpy that are newer and need a newer glibc.
    """
    target = TARGETS[name]
    if not name.startswith("manylinux"):
        return [[target.platform]]
    newer = [f"manylinux_2_{minor}_{target.processor}" for minor in range(28, 17, -1)]
    oldest = [target.platform, f"manylinux2014_{target.processor}"]
    return [oldest, [*newer, *oldest]]


def pins() -> list[str]:
    """Returns the packages of the group `release` that have one version: what wheels contain."""
    group = nox.project.dependency_groups(nox.project.load_toml(), "release")
    return [line for line in group if "==" in line]


def install(session: nox.Session, *requirements: str, backends: Sequence[str] = ("cpu",)) -> None:
    """Installs our wheels, those of these backends, their dependencies, and the requirements."""
    folder = wheels(session)
    patterns = [_core_pattern(session), *(f"nexus_{name}-*.whl" for name in backends)]
    chosen = [str(wheel) for pattern in patterns for wheel in folder.glob(pattern)]
    session.install(*dependencies(), *requirements)
    session.install("--no-deps", "--no-index", "--force-reinstall", *chosen)


def dependencies() -> list[str]:
    """Returns the dependencies of nexus-core."""
    project = nox.project.load_toml(ROOT / "packages" / "nexus-core" / "pyproject.toml")
    return list(project["project"]["dependencies"])


def _core_pattern(session: nox.Session) -> str:
    return f"nexus_core-*-{_tags(_version(session))}-*.whl"


def _tags(python: str) -> str:
    """Returns what the names of wheels of nexus-core have for a Python such as 3.13 or 3.14t."""
    version = python.replace(".", "")
    return f"cp{version.rstrip('t')}-cp{version}"


def _version(session: nox.Session) -> str:
    """Returns a version such as '3.13'; nox' own for a session that names no Python."""
    return str(session.python or f"{sys.version_info.major}.{sys.version_info.minor}")


def _cache(session: nox.Session, compiler: str) -> Path:
    folder = session.cache_dir.resolve() / "wheelhouse" / compiler
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _current_folder(session: nox.Session, compiler: str) -> Path:
    """Returns the folder of finished wheels, emptied if the sources changed."""
    folder = _cache(session, compiler) / "wheels"
    stamp = folder / "sources.sha256"
    digest = _digest()
    if not stamp.is_file() or stamp.read_text() != digest:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        stamp.write_text(digest)
    return folder


def _digest() -> str:
    """Returns a digest of all files that go into a wheel."""
    files = [ROOT / name for name in ("VERSION", "LICENSE", "README.md", "pyproject.toml")]
    tools = ("wheelhouse.py", "metapackage.py", "operator_new.cpp")
    files += [ROOT / "tools" / name for name in tools]
    for folder in ("packages", "devices", "schema", "tests/plugins/nexus-reference"):
        files += sorted(p for p in (ROOT / folder).rglob("*") if p.is_file())
    total = hashlib.sha256()
    for path in files:
        name = path.relative_to(ROOT)
        if not any(part == "__pycache__" or part.startswith(".") for part in name.parts):
            total.update(f"{name}\n{path.stat().st_size}\n".encode())
            total.update(path.read_bytes())
    return total.hexdigest()


def _build(
    session: nox.Session, folder: Path, package: str, compiler: str, environment: dict[str, str]
) -> None:
    """Builds a package; libnexus' objects stay for the next Python's wheel."""
    # Not in session.create_tmp(): the session's tests would get their temporary folders there too,
    # within the clone, where pytest and git look for settings of parent folders.
    built = _cache(session, compiler) / "built" / Path(package).name
    shutil.rmtree(built, ignore_errors=True)
    environment = {
        "SKBUILD_BUILD_DIR": str(_cache(session, compiler) / "build" / Path(package).name),
        "SKBUILD_INSTALL_STRIP": "true",
        **environment,
    }
    options = []
    if compiler in TARGETS:
        # Told to the package's build alone: pip would get CMake for that system too.
        system = "linux" if compiler in LINUX_TARGETS else "macosx-13.0"
        options = [f"-Cenv._PYTHON_HOST_PLATFORM={system}-{TARGETS[compiler].processor}"]
    _pyproject_build(session, "--wheel", "--outdir", str(built), *options, package, env=environment)
    (wheel,) = built.glob("*.whl")
    if compiler in LINUX_TARGETS:
        _audit(session, wheel, folder, LINUX_TARGETS[compiler])
    else:
        shutil.copy2(wheel, folder)


def _install_builder(session: nox.Session) -> None:
    """Installs what _pyproject_build() runs."""
    session.install("build[uv]" if session.venv_backend == "uv" else "build")


def _pyproject_build(
    session: nox.Session, *arguments: str, env: dict[str, str] | None = None
) -> None:
    """Runs `python -m build`, with the installer that made the session's environment."""
    installer = "uv" if session.venv_backend == "uv" else "pip"
    session.run("python", "-m", "build", "--installer", installer, *arguments, env=env)


# auditwheel takes no tags of systems other than that it runs on, although it reads their wheels.
_AUDITWHEEL = """
import sys
from auditwheel.architecture import Architecture
from auditwheel.libc import Libc
processor, libc = Architecture(sys.argv.pop(1)), Libc(sys.argv.pop(1))
Architecture.detect = staticmethod(lambda **_: processor)
Libc.detect = staticmethod(lambda: libc)
from auditwheel.main import main
sys.exit(main())
"""


def _audit(session: nox.Session, wheel: Path, folder: Path, target: Target) -> None:
    """Tags the wheel with the target's platform; fails if it needs a newer one."""
    programs = tools(session) / "bin"
    session.run(
        str(programs / "python"), "-c", _AUDITWHEEL,
        target.processor, "musl" if target.extension.endswith("musl") else "glibc",
        # musl's loader is libc.so itself; here that name may be a linker script of glibc's.
        "repair", "--exclude", "libc.so",
        "--only-plat", "--plat", target.platform, "-w", str(folder), str(wheel),
        external=True, env={"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"},
    )  # fmt: skip


def tools(session: nox.Session) -> Path:
    """Returns an environment with the group `release`, shared by sessions since zig is large."""
    folder = session.cache_dir.resolve() / "wheelhouse" / "tools"
    group = nox.project.dependency_groups(nox.project.load_toml(), "release")
    stamp = folder / "installed.txt"
    if not stamp.is_file() or stamp.read_text() != "\n".join(group):
        shutil.rmtree(folder, ignore_errors=True)
        session.run(sys.executable, "-m", "venv", str(folder), external=True)
        session.run(str(folder / "bin" / "pip"), "install", "-q", *group, external=True)
        stamp.write_text("\n".join(group))
    return folder


def _zig(session: nox.Session, name: str) -> dict[str, str]:
    """Returns CC and CXX: scripts that start zig for the target. CMake wants no arguments."""
    (package,) = (tools(session) / "lib").glob("python3.*/site-packages/ziglang")
    folder = _cache(session, name)
    lines = "" if name in LINUX_TARGETS else _FOR_MACOS
    environment = {}
    for variable, command in (("CC", "cc"), ("CXX", "c++")):
        script = folder / command
        call = f'exec "{package / "zig"}" {command} -target {TARGETS[name].zig} "$@"'
        script.write_text(f"#!/bin/sh\n{lines}{call}\n")
        script.chmod(0o755)
        environment[variable] = str(script)
    return environment


# zig links no bundles, which is what CMake makes of a module: a library that has a name instead.
_FOR_MACOS = """\
for word; do
  shift
  case $last in -o) name=${word##*/} ;; esac
  last=$word
  case $word in -bundle) set -- "$@" -dynamiclib; bundle=yes ;; *) set -- "$@" "$word" ;; esac
done
set -- ${bundle:+"-Wl,-install_name,@rpath/$name"} "$@"
"""


def _released(session: nox.Session, name: str) -> dict[str, str]:
    """Returns the environment that builds a package for a target.

    The interpreter's headers are those of the session's Python. Their pyconfig.h says the same of
    sizes on each Linux of 64 bits, and pymacconfig.h sets them anew for macOS.
    """
    released = {
        **_zig(session, name),
        "LDFLAGS": "-s",  # zig signs what it links for macOS, so nothing may strip it after; and
        "SKBUILD_INSTALL_STRIP": "false",  # this machine's strip reads no other processor's code
    }
    constraints = _cache(session, name) / "constraints.txt"
    constraints.write_text("\n".join(pins()))
    released |= {"PIP_CONSTRAINT": str(constraints), "UV_CONSTRAINT": str(constraints)}
    if name == OWN_TARGET:
        return released
    defines = {
        "CMAKE_SYSTEM_NAME": "Linux" if name in LINUX_TARGETS else "Darwin",
        "CMAKE_SYSTEM_PROCESSOR": TARGETS[name].processor,
        "CMAKE_POLICY_DEFAULT_CMP0190": "NEW",  # so that FindPython asks, by way of the next line,
        "CMAKE_CROSSCOMPILING_EMULATOR": "/usr/bin/env",  # the Python of this machine
    }
    if name not in LINUX_TARGETS:
        defines["CMAKE_CXX_STANDARD_LIBRARIES"] = str(_own_new(session, released))
    return released | {
        "SKBUILD_CMAKE_VERSION": ">=4.1",  # has CMP0190; older ones write @rpath on macOS only
        "CMAKE_ARGS": " ".join(f"-D{key}={value}" for key, value in defines.items()),
        "SETUPTOOLS_EXT_SUFFIX": _extension_suffix(session, TARGETS[name]),
    }


def _extension_suffix(session: nox.Session, target: Target) -> str:
    version = _version(session)
    # Until 3.10 Python did not tell musl from glibc.
    extension = target.extension.replace("musl", "gnu") if version == "3.10" else target.extension
    return f".cpython-{version.replace('.', '')}-{extension}.so"


def _own_new(session: nox.Session, environment: dict[str, str]) -> Path:
    """Returns an object file with the allocation functions for libraries on macOS."""
    own_new = _cache(session, "macos") / "operator_new.o"
    session.run(
        environment["CXX"], "-c", "-O2", "-std=c++20", "-fvisibility=hidden",
        "-fvisibility-global-new-delete=force-hidden", "-D_LIBCPP_OVERRIDABLE_FUNC_VIS=",
        str(ROOT / "tools" / "operator_new.cpp"), "-o", str(own_new), external=True,
    )  # fmt: skip
    return own_new
