# SPDX-License-Identifier: Apache-2.0
"""Builds the wheels once for each state of the sources, for all sessions that install them.

Wheels for tests are built with the machine's compiler. Wheels for a release and for macOS are built
with the compiler of the `ziglang` wheel, whose code runs on any Linux with glibc 2.17.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nox

ROOT = Path(__file__).resolve().parent.parent
GLIBC = "2.17"
PLATFORM = "manylinux_2_17"
MACOS = "13.0"  # the oldest that has Metal 3; Apple's processors only
BACKENDS = ["cpu", "cuda", "hip"]  # the backends with a wheel for Linux
MACOS_BACKENDS = ["metal"]  # on Linux built too, for the tests on a double of the system


def wheels(session: nox.Session, compiler: str = "native") -> Path:
    """Returns the folder with all our wheels for the session's Python, built if they are outdated.

    `compiler` is "native", or for a release "zig" (Linux) or "macos".
    """
    folder = _current_folder(session, compiler)
    patterns = {"nexus-core": _core_pattern(session)}
    patterns |= {f"nexus-{name}": f"nexus_{name}-*.whl" for name in backends(compiler)}
    missing = [name for name, pattern in patterns.items() if not list(folder.glob(pattern))]
    if missing:
        _install_builder(session)
        if compiler != "native":
            _tools(session)  # for both builds
    # Two at once: most of a build is the work of one core.
    with ThreadPoolExecutor(max_workers=2) as pool:
        list(pool.map(lambda name: _build(session, folder, f"packages/{name}", compiler), missing))
    if not list(folder.glob("nexus-*.whl")):
        # From its sdist: built in the clone it would depend on the clone's folders.
        _install_builder(session)
        _pyproject_build(session, "--outdir", str(folder), ".")
    return folder


def backends(compiler: str = "native") -> list[str]:
    """Returns the backends with a wheel of that compiler."""
    if compiler == "macos":
        return ["cpu", *MACOS_BACKENDS]
    return BACKENDS if compiler == "zig" else [*BACKENDS, *MACOS_BACKENDS]


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
    version = _version(session).replace(".", "")  # "313", or "313t" if it is free-threaded
    return f"nexus_core-*-cp{version.rstrip('t')}-cp{version}-*.whl"


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


def _build(session: nox.Session, folder: Path, package: str, compiler: str) -> None:
    """Builds a package; libnexus' objects stay for the next Python's wheel."""
    # Not in session.create_tmp(): the session's tests would get their temporary folders there too,
    # within the clone, where pytest and git look for settings of parent folders.
    built = _cache(session, compiler) / "built" / Path(package).name
    shutil.rmtree(built, ignore_errors=True)
    environment = {
        "SKBUILD_BUILD_DIR": str(_cache(session, compiler) / "build" / Path(package).name),
        "SKBUILD_INSTALL_STRIP": "true",
    }
    options = []
    if compiler == "zig":
        environment |= _zig(session, compiler, f"{platform.machine()}-linux-gnu.{GLIBC}")
    elif compiler == "macos":
        environment |= _zig(session, compiler, f"aarch64-macos.{MACOS}", _FOR_MACOS)
        environment |= _macos(session, environment)
        # Told to the package's build alone: pip would get CMake for that system too.
        options = [f"-Cenv._PYTHON_HOST_PLATFORM=macosx-{MACOS}-arm64"]
    _pyproject_build(session, "--wheel", "--outdir", str(built), *options, package, env=environment)
    (wheel,) = built.glob("*.whl")
    if compiler == "zig":
        _audit(session, wheel, folder)
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


def _audit(session: nox.Session, wheel: Path, folder: Path) -> None:
    """Tags the wheel with the oldest Linux that it runs on; fails if that is not ours."""
    tag = f"{PLATFORM}_{platform.machine()}"
    tools = _tools(session)
    session.run(
        str(tools / "bin" / "python"), "-m", "auditwheel", "repair", "--only-plat", "--plat", tag,
        "-w", str(folder), str(wheel), external=True,
        env={"PATH": f"{tools / 'bin'}{os.pathsep}{os.environ['PATH']}"},
    )  # fmt: skip


def _tools(session: nox.Session) -> Path:
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


def _zig(session: nox.Session, compiler: str, target: str, lines: str = "") -> dict[str, str]:
    """Returns CC and CXX: scripts that start zig for the target. CMake wants no arguments.

    `lines` of the script change the arguments of a call.
    """
    (package,) = (_tools(session) / "lib").glob("python3.*/site-packages/ziglang")
    folder = _cache(session, compiler)
    environment = {}
    for variable, command in (("CC", "cc"), ("CXX", "c++")):
        script = folder / command
        call = f'exec "{package / "zig"}" {command} -target {target} "$@"'
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


def _macos(session: nox.Session, environment: dict[str, str]) -> dict[str, str]:
    """Returns what else builds a package for macOS on this machine.

    The interpreter's headers are those of the session's Python, where pymacconfig.h sets anew for
    macOS what pyconfig.h says of sizes.
    """
    own_new = _cache(session, "macos") / "operator_new.o"
    session.run(
        environment["CXX"], "-c", "-O2", "-std=c++20", "-fvisibility=hidden",
        "-fvisibility-global-new-delete=force-hidden", "-D_LIBCPP_OVERRIDABLE_FUNC_VIS=",
        str(ROOT / "tools" / "operator_new.cpp"), "-o", str(own_new), external=True,
    )  # fmt: skip
    defines = {
        "CMAKE_SYSTEM_NAME": "Darwin",
        "CMAKE_POLICY_DEFAULT_CMP0190": "NEW",  # so that FindPython asks, by way of the next line,
        "CMAKE_CROSSCOMPILING_EMULATOR": "/usr/bin/env",  # the Python of this machine
        "CMAKE_CXX_STANDARD_LIBRARIES": str(own_new),
    }
    tag = "cpython-" + _version(session).replace(".", "")
    return {
        "SKBUILD_CMAKE_VERSION": ">=4.1",  # has CMP0190; older ones write @rpath on macOS only
        "CMAKE_ARGS": " ".join(f"-D{name}={value}" for name, value in defines.items()),
        "LDFLAGS": "-s",  # zig signs what it links, so nothing may strip it after
        "SKBUILD_INSTALL_STRIP": "false",
        "SETUPTOOLS_EXT_SUFFIX": f".{tag}-darwin.so",
    }
