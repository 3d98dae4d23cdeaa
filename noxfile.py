# SPDX-License-Identifier: Apache-2.0
"""Every command that a person or continuous integration runs. `nox --list` names them.

`nox` alone runs what continuous integration runs, on every supported Python. Some useful lines:

    nox -s "tests(cpu)"             the tests on every Python; "suite-3.13(cpu)" on one
    nox -s lint typing              the quick checks
    nox -s "suite-3.13(cpu)" -- tests/api -k buffer
    NEXUS_COMPILER=native nox ...   wheels with the machine's compiler: faster, no release

Wheels are built once for each Python and state of the sources, and kept in .nox.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import nox

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "tools"))
import wheelhouse  # noqa: E402

PYTHONS = ["3.10", "3.11", "3.12", "3.13"]
FULL = {PYTHONS[0], PYTHONS[-1]}  # the others run the tests marked `smoke`
BACKENDS = [nox.param("cpu", id="cpu")]
OWN_SESSIONS = ["tests/cpp", "tests/docs", "tests/sanitize"]  # downstream, docs, sanitize
NATIVE_TESTS = ["tests/abi", "tests/cpu"]  # C and C++, the same under every Python
GENERATED = ("nxs_enums.h", "nxs_propertys.h")

nox.needs_version = ">=2025.5"
nox.options.default_venv_backend = "virtualenv"
nox.options.reuse_venv = "yes"
nox.options.sessions = [
    "lint",
    "typing",
    "wheels",
    "tests",
    "packaging",
    "sanitize",
    "downstream",
    "docs",
    "bench-smoke",
]


def group(name: str) -> list[str]:
    """What the dependency group of pyproject.toml lists."""
    return list(nox.project.dependency_groups(nox.project.load_toml(), name))


def sources(*endings: str) -> list[str]:
    """The files under version control, or about to be, that end so."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    return [name for name in listed if name.endswith(endings) and (ROOT / name).is_file()]


def folder_of(name: str) -> str:
    """The folder of a file."""
    return str(Path(name).parent)


@nox.session
def lint(session: nox.Session) -> None:
    """Formats and rules of Python and C++, generated files, licence lines."""
    session.install(*group("lint"))
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    cpp = [f for f in sources(".c", ".h", ".hpp", ".cpp") if Path(f).name not in GENERATED]
    session.run("clang-format", "--dry-run", "--Werror", *cpp)
    session.run("python", "tools/gen.py", "--check")
    session.run("python", "tools/check_licences.py")


@nox.session(name="format")
def reformat(session: nox.Session) -> None:
    """Rewrites Python and C++ in the format that `lint` checks."""
    session.install(*group("lint"))
    session.run("ruff", "check", "--fix")
    session.run("ruff", "format")
    cpp = [f for f in sources(".c", ".h", ".hpp", ".cpp") if Path(f).name not in GENERATED]
    session.run("clang-format", "-i", *cpp)


@nox.session
def gen(session: nox.Session) -> None:
    """Generates what comes from schema/ and from docstrings. `-- --check` only looks."""
    session.run("python", "tools/gen.py", *session.posargs)
    wheelhouse.install(session)
    session.run("python", "tools/gen_stubs.py", *session.posargs)
    session.run("python", "tools/gen_reference.py", *session.posargs)


@nox.session
def changelog(session: nox.Session) -> None:
    """At a release: moves the fragments of changelog.d/ into CHANGELOG.md."""
    session.run("python", "tools/changelog.py")


@nox.session
def typing(session: nox.Session) -> None:
    """mypy, strict, over the package, its stubs, the tools and tests/typing."""
    session.install(*group("typing"))
    wheelhouse.install(session)
    session.run("mypy", "packages/nexus-core/nexus", "packages/nexus-cpu/nexus_cpu")
    session.run("mypy", "noxfile.py", "tools", "examples")
    session.run("mypy", "benchmarks")
    tests = [name for name in sources(".py") if name.startswith("tests/")]
    for _, names in itertools.groupby(sorted(tests, key=folder_of), key=folder_of):
        session.run("mypy", *names)  # one folder at a time, since each may have its conftest.py
    session.run("python", "tools/gen_stubs.py", "--check")
    session.run("python", "-m", "mypy.stubtest", "nexus._core",
                "--allowlist", "tools/stubtest_allowlist.txt")  # fmt: skip


@nox.session(python=PYTHONS)
def wheels(session: nox.Session) -> None:
    """Release wheels: built with zig, audited, installed without an index's help, and run."""
    folder = wheelhouse.wheels(session)
    session.install(*wheelhouse.dependencies())
    session.run("pip", "uninstall", "-qy", "nexus", "nexus-core", "nexus-cpu")
    session.install("--no-index", "--find-links", str(folder), "nexus[cpu]")
    session.run("pip", "check")
    session.run("nexus", "info")
    session.run("nexus", "demo")


@nox.session(python=False)
@nox.parametrize("backend", BACKENDS)
def tests(session: nox.Session, backend: str) -> None:
    """The tests of a backend: all on the oldest and newest Python, the smoke tests between."""
    for python in PYTHONS:
        session.notify(f"suite-{python}({backend})", session.posargs)


@nox.session(python=PYTHONS)
@nox.parametrize("backend", BACKENDS)
def suite(session: nox.Session, backend: str) -> None:
    """The tests of a backend on one Python, with our wheels installed."""
    wheelhouse.install(session, *group("test"))
    arguments = list(session.posargs)
    if not arguments:
        arguments = ["tests", *(f"--ignore={folder}" for folder in OWN_SESSIONS)]
        if session.python != PYTHONS[-1]:
            arguments += [f"--ignore={folder}" for folder in NATIVE_TESTS]
        arguments += ["-m", "not install" if session.python in FULL else "smoke"]
    session.run("pytest", *arguments, env={"NEXUS_DEVICE": backend})


@nox.session(python=[PYTHONS[0], PYTHONS[-1]])
def packaging(session: nox.Session) -> None:
    """Every documented way to install, each in a fresh environment; two of them on the oldest."""
    folder = wheelhouse.wheels(session)
    session.install(*group("packaging"))
    some = [] if session.python == PYTHONS[-1] else ["-k", "from_their_folders or without_an_index"]
    session.run("pytest", "--confcutdir", "tests/packaging", "tests/packaging/test_install.py",
                *(session.posargs or some),
                env={"NEXUS_WHEELS": str(folder)})  # fmt: skip


@nox.session
@nox.parametrize(
    "sanitizers", [nox.param("address,undefined", id="address"), nox.param("thread", id="thread")]
)
def sanitize(session: nox.Session, sanitizers: str) -> None:
    """The C++ tests under ASan with UBSan, and under TSan, by gcc on Linux."""
    session.install(*group("native"), "pytest")
    build = session.cache_dir / "sanitize" / sanitizers.replace(",", "-")
    session.run("cmake", "-S", ".", "-B", str(build), "-G", "Ninja", "-DNEXUS_BUILD_TESTS=ON",
                "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1",
                f"-DNEXUS_SANITIZE={sanitizers}", "-DNEXUS_WARNINGS_AS_ERRORS=OFF",
                "-DCMAKE_C_COMPILER=gcc", "-DCMAKE_CXX_COMPILER=g++")  # fmt: skip
    session.run("cmake", "--build", str(build))
    options = {
        "ASAN_OPTIONS": "detect_stack_use_after_return=1",
        "TSAN_OPTIONS": "halt_on_error=1 die_after_fork=0",
    }
    session.run("ctest", "--test-dir", str(build), "--output-on-failure", *session.posargs,
                env=options)  # fmt: skip
    libraries = ["libtsan.so"] if sanitizers == "thread" else ["libasan.so", "libubsan.so"]
    found = [gcc_library(session, name) for name in [*libraries, "libstdc++.so"]]
    session.run(
        "pytest", "--noconftest", "tests/sanitize",
        env={
            "NEXUS_SANITIZE": sanitizers,
            "LD_PRELOAD": " ".join(found),
            "CC": "env -u LD_PRELOAD gcc",  # what tests compile is not what is tested
            "ASAN_OPTIONS": "detect_leaks=0",  # CPython's own
            "TSAN_OPTIONS": options["TSAN_OPTIONS"],
        },
    )  # fmt: skip


def gcc_library(session: nox.Session, name: str) -> str:
    """The path of a library that gcc brings."""
    path = session.run("gcc", f"-print-file-name={name}", external=True, silent=True)
    return str(path).strip()


@nox.session
def downstream(session: nox.Session) -> None:
    """C++ programs of others, built with find_package(nexus) from the installed wheels."""
    wheelhouse.install(session, *group("downstream"))
    session.run("pytest", "tests/cpp", *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """Runs the examples of the README and of docs/; the API reference is current and complete."""
    wheelhouse.install(session, *group("test"))
    session.run("pytest", "tests/docs", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Ours beside the peers' in one run: a table with ratios. `-- --json FILE` keeps it."""
    run_benchmarks(session, session.posargs)


@nox.session(name="bench-smoke")
def bench_smoke(session: nox.Session) -> None:
    """The benchmarks with small sizes: compares the results and shows that they run."""
    run_benchmarks(session, ["--smoke", *session.posargs])


def run_benchmarks(session: nox.Session, arguments: Sequence[str]) -> None:
    """Installs the peers and our wheels and runs the rows."""
    session.install("-r", "benchmarks/requirements.txt")
    wheelhouse.install(session)
    session.run("python", "benchmarks/run.py", *arguments)


@nox.session(python=False)
def full(session: nox.Session) -> None:
    """All that the bare `nox` runs, and every test on every Python."""
    for name in nox.options.sessions or ():
        session.notify(name, ["tests"] if name == "tests" else ())
