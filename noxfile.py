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

import contextlib
import itertools
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import nox

ROOT = Path(__file__).resolve().parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests")]
import simulated  # noqa: E402

import sanitizers  # noqa: E402
import wheelhouse  # noqa: E402

PYTHONS = ["3.10", "3.11", "3.12", "3.13"]
FULL = {PYTHONS[0], PYTHONS[-1]}  # the others run the tests marked `smoke`
SANITIZERS = [nox.param(name, id=name) for name in sanitizers.NAMES]
BACKENDS = [nox.param(name, id=name) for name in wheelhouse.BACKENDS]
# A GPU that is simulated. A process has one driver, so each list is a process of its own.
CUDA_TESTS = [
    ["tests/cuda/devices", "tests/drivers", "tests/gpu_benchmarks"],
    ["tests/cuda/compiling"],
    ["tests/cuda/failure"],
    ["tests/cuda/launching"],
    ["tests/cuda/sharing"],
]
OWN_SESSIONS = [
    "tests/cpp",
    "tests/cuda",
    "tests/dialects",
    "tests/docs",
    "tests/drivers",
    "tests/gpu_benchmarks",
    "tests/sanitize",
]
# Under both sanitizers: what has threads and lifetimes. The rest of the API's tests is in `full`.
SANITIZED_TESTS = ["tests/failure", "tests/interop", "tests/lifetime", "tests/promises"]
MORE_SANITIZED_TESTS = {
    "address": [
        "tests/api",
        "tests/bad_input",
        "tests/cpu",
        "tests/drivers",
        "tests/gallery",
        "tests/kernel_language",
        "tests/programs",
    ],
    "thread": ["tests/api", "tests/cpu", "tests/drivers", "tests/programs"],
}
# C and C++, or long: on one Python, since they are the same under every one.
ONCE = [
    "tests/abi",
    "tests/conformance",
    "tests/cpu",
    "tests/failure/test_failing_copies.py",
    "tests/interop",
    "tests/layers",
    "tests/promises/test_leaks.py",
    "tests/scaffold",
    "tests/unit/test_side_by_side.py",
]
SIDE_BY_SIDE = ["-n", "2", "--dist", "loadfile"]  # two processes, each test file in one of them
COMPILING_TESTS = ["tests/programs", "tests/gallery"]  # need no compiler but Nexus' own choice
GENERATED = ("nxs_enums.h", "nxs_propertys.h")

nox.needs_version = ">=2025.5"
nox.options.default_venv_backend = "virtualenv"
nox.options.reuse_venv = "yes"
nox.options.sessions = [
    "lint",
    "typing",
    "wheels",
    "tests",
    f"packaging-{PYTHONS[-1]}",
    "conformance",
    "sanitize",
    "downstream",
    "ziglang",
    "dialects",
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
    backends = (f"packages/nexus-{name}/nexus_{name}" for name in wheelhouse.BACKENDS)
    session.run("mypy", "packages/nexus-core/nexus", *backends)
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
    ours = ["nexus", "nexus-core", *(f"nexus-{name}" for name in wheelhouse.BACKENDS)]
    session.run("pip", "uninstall", "-qy", *ours)
    session.install("--no-index", "--find-links", str(folder), "nexus[cpu,cuda]")
    session.run("pip", "check")
    session.run("nexus", "info")
    session.run("nexus", "demo")


@nox.session(python=False)
@nox.parametrize("backend", BACKENDS)
def tests(session: nox.Session, backend: str) -> None:
    """The tests of a backend: all on the oldest and newest Python, the smoke tests between.

    Those of a backend without its hardware run on the newest alone.
    """
    for python in PYTHONS if backend == "cpu" else PYTHONS[-1:]:
        session.notify(f"suite-{python}({backend})", session.posargs)


@nox.session(python=PYTHONS)
@nox.parametrize("backend", BACKENDS)
def suite(session: nox.Session, backend: str) -> None:
    """The tests of a backend on one Python, with our wheels installed."""
    if backend == "cuda":
        wheelhouse.install(session, *group("test"), *group("cuda"), backends=wheelhouse.BACKENDS)
        environment = {"NEXUS_SIMULATED": str(simulated_drivers(session))}
        for folders in [session.posargs] if session.posargs else CUDA_TESTS:
            session.run("pytest", *folders, env=environment)
        return
    wheelhouse.install(session, *group("test"))
    arguments = list(session.posargs)
    if not arguments:
        arguments = [*SIDE_BY_SIDE, "tests", *(f"--ignore={folder}" for folder in OWN_SESSIONS)]
        if session.python != PYTHONS[-1]:
            arguments += [f"--ignore={folder}" for folder in ONCE]
        arguments += ["-m", "not install" if session.python in FULL else "smoke"]
    session.run("pytest", *arguments, env={"NEXUS_DEVICE": backend})


def simulated_drivers(session: nox.Session) -> Path:
    """Builds tests/drivers with the machine's compiler, and returns the folder."""
    session.install(*group("native"))
    folder = (session.cache_dir / "simulated").resolve()
    session.run("cmake", "-S", ".", "-B", str(folder), "-G", "Ninja", "-DNEXUS_BUILD_TESTS=ON")
    session.run("cmake", "--build", str(folder), "--target", "simulated_drivers")
    return folder / "simulated"


@nox.session(python=[PYTHONS[0], PYTHONS[-1]])
def packaging(session: nox.Session) -> None:
    """Every documented way to install, each in a fresh environment; two of them on the oldest."""
    folder = wheelhouse.wheels(session)
    session.install(*group("packaging"))
    some = [] if session.python == PYTHONS[-1] else ["-k", "from_their_folders or without_an_index"]
    session.run("pytest", "--confcutdir", "tests/packaging", "tests/packaging/test_install.py",
                *(session.posargs or some),
                env={"NEXUS_WHEELS": str(folder)})  # fmt: skip


def sanitized(session: nox.Session, sanitizer: str) -> Path:
    """Builds all with a sanitizer, and returns the folder."""
    session.install(*group("native"), *group("sanitize"), *wheelhouse.dependencies())
    return sanitizers.build(session, sanitizer)


@nox.session
@nox.parametrize("sanitizer", SANITIZERS)
def sanitize(session: nox.Session, sanitizer: str) -> None:
    """C++ and Python tests under ASan with UBSan, and under TSan, by gcc on Linux.

    `-- tests/api/test_event.py -k wait` runs those Python tests only.
    """
    folder = sanitized(session, sanitizer)
    if session.posargs:
        sanitizers.pytest(session, sanitizer, folder, *session.posargs)
        return
    sanitizers.ctest(session, folder)
    if sanitizer == "address":
        sanitizers.fuzz(session, folder, seconds=60)
    sanitizers.pytest(session, sanitizer, folder, "tests/sanitize")  # else the rest proves nothing
    sanitizers.pytest(session, sanitizer, folder, *SIDE_BY_SIDE, *SANITIZED_TESTS)
    sanitizers.pytest(session, sanitizer, folder, "tests/cuda/launching")


@nox.session(name="sanitize-more")
@nox.parametrize("sanitizer", SANITIZERS)
def sanitize_more(session: nox.Session, sanitizer: str) -> None:
    """The long tests under the sanitizers, and the conformance suite on the simulated GPU."""
    folder = sanitized(session, sanitizer)
    for name in ("failure", "sharing"):
        sanitizers.pytest(session, sanitizer, folder, f"tests/cuda/{name}")
    # Too little for the suite's buffer of 4 GiB, of which a sanitizer needs four times as much.
    drivers = simulated.environment(folder / "simulated", memory=2 << 30)
    with without_our_settings(session):
        sanitizers.pytest(session, sanitizer, folder, *conformance_of("cuda"), environment=drivers)
    sanitizers.pytest(session, sanitizer, folder, *SIDE_BY_SIDE, *MORE_SANITIZED_TESTS[sanitizer])


@nox.session
@nox.parametrize("backend", BACKENDS)
def conformance(session: nox.Session, backend: str) -> None:
    """The conformance suite on a backend's wheel. `-- --nexus-report FILE` keeps the report.

    CUDA's runs on the simulated driver.
    """
    wheelhouse.install(session, *group("conformance"), backends=[backend])
    environment = {}
    if backend == "cuda":
        environment = simulated.environment(simulated_drivers(session), memory=16 << 30)
    with without_our_settings(session):
        session.run("pytest", *conformance_of(backend), *session.posargs, env=environment)


def conformance_of(backend: str) -> list[str]:
    """What pytest is told to run the conformance suite on a backend."""
    settings = ROOT / "tests" / "conformance" / backend / "nexus_conformance.toml"
    return ["--pyargs", "nexus.conformance", "-q",
            "--nexus-backend", backend, "--nexus-settings", str(settings)]  # fmt: skip


@contextlib.contextmanager
def without_our_settings(session: nox.Session) -> Iterator[None]:
    """In an empty folder, where pytest does not find our pyproject.toml."""
    with tempfile.TemporaryDirectory() as folder, session.chdir(folder):
        yield


@nox.session
def downstream(session: nox.Session) -> None:
    """Others' work on our wheels: a C++ program, a generated backend, and the OpenCL backend."""
    folder = wheelhouse.wheels(session)
    wheelhouse.install(session, *group("downstream"), *group("packaging"))
    session.run("pytest", "tests/cpp", *session.posargs)
    if session.posargs:
        return
    session.run("pytest", "--confcutdir", "tests/packaging",
                "tests/packaging/test_new_backend.py", "tests/packaging/test_tutorial.py",
                env={"NEXUS_WHEELS": str(folder)})  # fmt: skip
    test_opencl(session, folder)


def test_opencl(session: nox.Session, folder: Path) -> None:
    """Builds the OpenCL backend as a stranger would, in a fresh environment, and tests it there."""
    environment = Path(session.create_tmp()).resolve() / "opencl"
    shutil.rmtree(environment, ignore_errors=True)
    session.run("python", "-m", "venv", str(environment))
    python = str(environment / "bin" / "python")
    session.run(python, "-m", "pip", "install", "-q", "nexus-core[conformance]",
                "./examples/plugins/nexus-opencl[test]",
                external=True, env={"PIP_FIND_LINKS": str(folder)})  # fmt: skip
    with session.chdir("examples/plugins/nexus-opencl"):
        session.run(str(environment / "bin" / "pytest"), "tests", external=True)


@nox.session
def ziglang(session: nox.Session) -> None:
    """Programs, the gallery and the demonstration where the wheel's compiler is the only one."""
    wheelhouse.install(session, *group("test"), *group("compiler"))
    alone = {"PATH": session.bin, "CC": ""}
    session.run("nexus", "demo", env=alone)
    session.run("pytest", *(session.posargs or [*SIDE_BY_SIDE, *COMPILING_TESTS]), env=alone)


@nox.session
def dialects(session: nox.Session) -> None:
    """The kernel language as CUDA, HIP, OpenCL and Metal: compiled, and run where that can be."""
    wheelhouse.install(session, *group("dialects"))
    session.run(
        "pytest", "--confcutdir", "tests/dialects", *(session.posargs or ["tests/dialects"])
    )


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
    session.install("./tests/plugins/nexus-reference", "./examples/plugins/nexus-opencl",
                    env={"PIP_FIND_LINKS": str(wheelhouse.wheels(session))})  # fmt: skip
    session.run("python", "benchmarks/run.py", *arguments)


@nox.session(python=False)
def full(session: nox.Session) -> None:
    """All that the bare `nox` runs, and every test on every Python."""
    variants = {
        "wheels": [f"wheels-{python}" for python in PYTHONS],
        f"packaging-{PYTHONS[-1]}": [f"packaging-{python}" for python in (PYTHONS[0], PYTHONS[-1])],
        "conformance": [f"conformance({backend.id})" for backend in BACKENDS],
        "sanitize": [
            f"{session}({name})"
            for session in ("sanitize", "sanitize-more")
            for name in sanitizers.NAMES
        ],
        "tests": [f"tests({backend.id})" for backend in BACKENDS],
    }
    for name in nox.options.sessions or ():
        for variant in variants.get(name, [name]):
            session.notify(variant, ["tests"] if variant == "tests(cpu)" else ())
