# SPDX-License-Identifier: Apache-2.0
"""Every command that a person or continuous integration runs. `nox --list` names them.

`nox` alone is the gate: what continuous integration runs, in at most 25 minutes on 2 cores. It ends
with a table of sessions, seconds and tests. `nox -s full` runs everything. Some useful lines:

    nox -s "suite-3.13(cpu)"        the CPU's tests on one Python
    nox -s lint typing              the quick checks
    nox -s "suite-3.13(cpu)" -- tests/api -k buffer
    nox -s full -- downstream sanitize      some sessions, with the tests that the gate leaves out

Wheels are built once for each state of the sources and kept in .nox: libnexus and the plug-ins
once, the bindings once for each Python.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import nox

ROOT = Path(__file__).resolve().parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests")]
import simulated  # noqa: E402

import gate  # noqa: E402
import sanitizers  # noqa: E402
import wheelhouse  # noqa: E402

# A shell that starts `nox &` ignores SIGINT, and all child processes would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
# Else each of the many short programs compiles pytest and its plug-ins anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

PYTHONS = ["3.10", "3.11", "3.12", "3.13"]
NEWEST = PYTHONS[-1]
# The gate runs those that are on the PATH too, and names the others. A "t" means free-threaded.
OPTIONAL_PYTHONS = ["3.14", "3.14t", "3.15", "3.15t"]
FOUND_PYTHONS = [version for version in OPTIONAL_PYTHONS if shutil.which(f"python{version}")]
GATE_PYTHONS = [NEWEST, *FOUND_PYTHONS]  # mypy checks for the oldest; `full` runs all
RELEASE_PYTHONS = [*PYTHONS, *FOUND_PYTHONS]
SANITIZERS = [nox.param(name, id=name.replace(",", "-")) for name in sanitizers.NAMES]
BACKENDS = [nox.param(name, id=name) for name in wheelhouse.backends()]
# On simulated GPUs; Metal's is a double of what macOS has. A process has one driver, so each list
# runs in a process of its own.
SIMULATED_TESTS = {
    "cuda": [
        ["tests/cuda/devices", "tests/drivers", "tests/gpu_benchmarks"],
        ["tests/cuda/compiling"],
        ["tests/cuda/failure"],
        ["tests/cuda/launching"],
        ["tests/cuda/sharing"],
    ],
    "hip": [["tests/hip"], ["tests/cuda/failure"]],
    "metal": [["tests/metal"], ["tests/gpu_benchmarks/test_prove_on_mac.py"]],
}
SIMULATED_ENVIRONMENTS: dict[str, Callable[..., dict[str, str]]] = {
    "cuda": simulated.environment,
    "hip": simulated.hip_environment,
    "metal": simulated.metal_environment,
}
OWN_SESSIONS = [
    "tests/cpp",
    "tests/cuda",
    "tests/dialects",
    "tests/distributed",
    "tests/docs",
    "tests/drivers",
    "tests/gpu_benchmarks",
    "tests/hip",
    "tests/macos",
    "tests/metal",
    "tests/notebooks",
    "tests/sanitize",
    "tests/site",
]
# Run under all sanitizers: tests of threads and lifetimes. `full` runs the rest of the API's tests.
SANITIZED_TESTS = ["tests/failure", "tests/interop", "tests/lifetime", "tests/promises"]
SANITIZED_CONFORMANCE = [
    f"nexus.conformance.api.{name}"
    for name in ("schedules", "test_events", "test_lifetime", "test_order", "test_threads")
]
MORE_SANITIZED_TESTS = {
    "address,undefined": [
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
# Tests of the bindings, which differ between Pythons. The smoke tests of these run on each.
SMOKE_TESTS = [
    "tests/api",
    "tests/bad_input",
    "tests/cli",
    "tests/lifetime",
    "tests/programs",
    "tests/promises",
    "tests/unit",
]
# What a free-threaded Python runs too: tests of threads and lifetimes.
THREAD_TESTS = ["tests/failure", "tests/lifetime", "tests/promises"]
THREAD_CONFORMANCE = ["nexus.conformance.api.test_threads", "nexus.conformance.capi.test_threads"]
# Two processes, each test file in one of them. A process that dies ends the run.
SIDE_BY_SIDE = ["-n", "2", "--dist", "loadfile", "--max-worker-restart=0"]
# For pytest in folders where it does not read our pyproject.toml, which has the same.
TEST_LIMIT = ["-o", "faulthandler_timeout=300", "-o", "faulthandler_exit_on_timeout=true"]
FULL = os.environ.get("NEXUS_FULL") == "1"  # set by the session `full`
SHORT = "not install and not long"
CHOSEN = "not install" if FULL else SHORT
COMPILING_TESTS = ["tests/programs", "tests/gallery"]  # with any compiler that Nexus finds
PACKAGING_TESTS = ("catalog", "index", "install", "new_backend", "release_files", "tutorial")
GENERATED = ("nxs_enums.h", "nxs_propertys.h")

nox.needs_version = ">=2025.5"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.download_python = "never"
nox.options.error_on_missing_interpreters = True
nox.options.reuse_venv = "yes"
nox.options.sessions = [
    "lint",
    *(f"build-{python}" for python in GATE_PYTHONS),
    "typing",
    "tests",
    "conformance(cpu)",
    "conformance(cuda)",  # HIP's backend has the same code from the kit
    "downstream",
    "pages",
]
# Not in the gate: run before an issue is closed, and before a release.
MORE_SESSIONS = [
    "tests-more",
    "opencl",
    "conformance(hip)",
    "conformance(metal)",
    "sanitize",
    "sanitize-more",
    "packaging",
    "packaging-more",
    f"release-{NEWEST}",  # `nox -s release macos` has the other Pythons, before a release
    f"macos-{NEWEST}",
    "ziglang",
    "dialects",
    "distributed",
    "docs",
    "notebooks",
    "bench-smoke",
]


def group(name: str) -> list[str]:
    """Returns a dependency group of pyproject.toml."""
    return list(nox.project.dependency_groups(nox.project.load_toml(), name))


def sources(*endings: str) -> list[str]:
    """Returns the files with that ending that git tracks or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    return [name for name in listed if name.endswith(endings) and (ROOT / name).is_file()]


def folder_of(name: str) -> str:
    """Returns the folder of a file."""
    return str(Path(name).parent)


@gate.session()
def lint(session: nox.Session) -> None:
    """Checks format and rules of Python and C++, generated files, licences, import circles."""
    session.install(*group("lint"))
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    clang_format(session, "--dry-run", "--Werror")
    session.run("python", "tools/gen.py", "--check")
    session.run("python", "tools/check_licences.py")
    backends = (f"packages/nexus-{name}/nexus_{name}" for name in wheelhouse.backends())
    session.run("python", "tools/cycles.py", "packages/nexus-core/nexus", *backends)
    core = (f"nexus-core/{folder}" for folder in ("src", "bindings", "include"))
    for folder in (*core, *(f"nexus-{name}/src" for name in wheelhouse.backends())):
        session.run("python", "tools/cycles.py", "--includes", f"packages/{folder}")


@gate.session(name="format")
def reformat(session: nox.Session) -> None:
    """Rewrites Python and C++ in the format that `lint` checks."""
    session.install(*group("lint"))
    session.run("ruff", "check", "--fix")
    session.run("ruff", "format")
    clang_format(session, "-i")


def clang_format(session: nox.Session, *options: str) -> None:
    """Runs clang-format on our C and C++, except generated files."""
    files = Path(session.create_tmp()) / "files.txt"
    names = sources(".c", ".h", ".hpp", ".cpp")
    files.write_text("\n".join(name for name in names if Path(name).name not in GENERATED))
    session.run("clang-format", *options, f"--files={files}")


@gate.session(python=NEWEST)
def gen(session: nox.Session) -> None:
    """Generates files from schema/, devices/ and docstrings. `-- --check` only compares."""
    session.run("python", "tools/gen.py", *session.posargs)
    wheelhouse.install(session)
    session.run("python", "tools/gen_stubs.py", *session.posargs)


@gate.session()
def changelog(session: nox.Session) -> None:
    """For a release: moves the fragments of changelog.d/ into CHANGELOG.md."""
    session.run("python", "tools/changelog.py")


@gate.session(python=NEWEST)
def typing(session: nox.Session) -> None:
    """Runs mypy, strict, on the package, its stubs, the tools and tests/typing."""
    session.install(*group("typing"))
    wheelhouse.install(session)
    backends = (f"packages/nexus-{name}/nexus_{name}" for name in wheelhouse.backends())
    session.run("mypy", "packages/nexus-core/nexus", *backends)
    session.run("mypy", "noxfile.py", "tools", "examples")
    session.run("mypy", "benchmarks")
    tests = [name for name in sources(".py") if name.startswith("tests/")]
    for _, names in itertools.groupby(sorted(tests, key=folder_of), key=folder_of):
        session.run("mypy", *names)  # one folder at a time, since each may have its conftest.py
    session.run("python", "tools/gen_stubs.py", "--check")
    session.run("python", "-m", "mypy.stubtest", "nexus._core",
                "--allowlist", "tools/stubtest_allowlist.txt")  # fmt: skip


@gate.session(python=[*PYTHONS, *OPTIONAL_PYTHONS])
def build(session: nox.Session) -> None:
    """Builds wheels for the tests: libnexus and the plug-ins once, the bindings for each Python."""
    wheelhouse.wheels(session)


@gate.session(python=RELEASE_PYTHONS, reuse_venv=False, limit=gate.LONG)
def release(session: nox.Session) -> None:
    """Makes a release in dist: builds all wheels with zig, installs and runs this machine's.

    For the optional Pythons on the PATH too. `-- manylinux-aarch64` builds the wheels for that
    target only, and no release. `full` builds this machine's only. Nothing is published.
    """
    every = [wheelhouse.OWN_TARGET] if FULL else list(wheelhouse.TARGETS)
    targets = session.posargs or every
    folders = {target: wheelhouse.wheels(session, target) for target in targets}
    if wheelhouse.OWN_TARGET in folders:
        folder = folders[wheelhouse.OWN_TARGET]
        session.install(*wheelhouse.dependencies())
        session.install("--no-index", "--find-links", str(folder), "nexus[cpu,cuda,hip]")
        session.run("nexus", "info")
        session.run("nexus", "demo")
    if targets == list(wheelhouse.TARGETS):
        session.notify("release-files")
        session.notify("index")


@gate.session(name="release-files", python=NEWEST)
def release_files(session: nox.Session) -> None:
    """Gathers a release in dist/release: wheels, sdists, checksums, an SBOM and notes."""
    wheels = wheelhouse.released(session, RELEASE_PYTHONS)
    files = [*wheels, *wheelhouse.sdists(session).glob("*.tar.gz")]
    pins = (f"--pinned={pin}" for pin in wheelhouse.pins())
    python = wheelhouse.tools(session) / "bin" / "python"
    session.run(str(python), "tools/release_files.py", "dist/release",
                *map(str, files), *pins, external=True)  # fmt: skip


@gate.session(python=NEWEST, limit=gate.LONG)  # downloads for minutes
def index(session: nox.Session) -> None:
    """Writes a package index into dist/index, for any web server.

    It has the wheels of `release`, and of what they require, which pip downloads.
    """
    wheels = wheelhouse.released(session, RELEASE_PYTHONS)
    wheels += wheelhouse.dependency_wheels(session, RELEASE_PYTHONS)
    session.run("python", "tools/package_index.py", "dist/index", *map(str, wheels))


@gate.session(python=PYTHONS, limit=gate.LONG)
def macos(session: nox.Session) -> None:
    """Builds release wheels for macOS with zig and reads them, and compares with Apple's headers.

    Nothing of them runs on Linux.
    """
    folder = wheelhouse.wheels(session, "macos")
    session.install(*group("macos"))
    apple = session.cache_dir.resolve() / "apple"
    session.run("python", "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:",
                "--platform", "macosx_14_0_arm64", "--python-version", "3.13",
                "-d", str(apple), *group("apple"))  # fmt: skip
    folders = {"NEXUS_MACOS_WHEELS": str(folder), "NEXUS_APPLE_WHEELS": str(apple),
               "NEXUS_SIMULATED": str(simulated_drivers(session))}  # fmt: skip
    gate.pytest(session, "--confcutdir", "tests/macos", *(session.posargs or ["tests/macos"]),
                env=folders)  # fmt: skip


@gate.session(python=False)
@nox.parametrize("backend", BACKENDS)
def tests(session: nox.Session, backend: str) -> None:
    """Runs a backend's tests, and the CPU's smoke tests on each optional Python on the PATH."""
    if backend == "cpu" and (missing := sorted({*OPTIONAL_PYTHONS} - {*FOUND_PYTHONS})):
        session.warn(f"Not on the PATH, so not tested: {', '.join(missing)}")
    for python in GATE_PYTHONS if backend == "cpu" else [NEWEST]:
        session.notify(f"suite-{python}({backend})", session.posargs)


@gate.session(python=[*PYTHONS, *OPTIONAL_PYTHONS])
@nox.parametrize("backend", BACKENDS)
def suite(session: nox.Session, backend: str) -> None:
    """Runs the tests of a backend on one Python, with our wheels installed.

    All on the newest, the smoke tests on others; a free-threaded one runs the tests of threads too.
    """
    if backend in SIMULATED_TESTS:
        wheelhouse.install(session, *group("test"), *group(backend), backends=wheelhouse.backends())
        simulation = str(simulated_drivers(session))
        environment = {"NEXUS_SIMULATED": simulation, "NEXUS_SIMULATED_BACKEND": backend,
                       "NEXUS_WHEELS": str(wheelhouse.wheels(session))}  # fmt: skip
        runs = [["-m", CHOSEN, *folders] for folders in SIMULATED_TESTS[backend]]
        for arguments in [session.posargs] if session.posargs else runs:
            gate.pytest(session, *SIDE_BY_SIDE, *arguments, env=environment)
        return
    wheelhouse.install(session, *group("test"))
    if session.python == NEWEST:
        run_suite(session, CHOSEN)
    else:
        gate.pytest(session, *(session.posargs or [*SIDE_BY_SIDE, *SMOKE_TESTS, "-m", "smoke"]),
                    env={"NEXUS_DEVICE": "cpu"})  # fmt: skip
        if str(session.python).endswith("t") and not session.posargs:
            gate.pytest(session, *SIDE_BY_SIDE, *THREAD_TESTS, "-m", "not long and not smoke",
                        env={"NEXUS_DEVICE": "cpu"})  # fmt: skip
            with without_our_settings(session):
                gate.pytest(session, *SIDE_BY_SIDE, *conformance_of("cpu", THREAD_CONFORMANCE))


@gate.session(name="tests-more", python=PYTHONS[:-1])
def tests_more(session: nox.Session) -> None:
    """Runs the CPU's tests on older Pythons, without the long ones."""
    wheelhouse.install(session, *group("test"))
    run_suite(session, SHORT)


def run_suite(session: nox.Session, marked: str) -> None:
    """Runs the CPU's tests, or those that the command line names."""
    others = (f"--ignore={folder}" for folder in OWN_SESSIONS)
    arguments = session.posargs or [*SIDE_BY_SIDE, "tests", *others, "-m", marked]
    gate.pytest(session, *arguments, env={"NEXUS_DEVICE": "cpu"})


def simulated_drivers(session: nox.Session) -> Path:
    """Builds tests/drivers with the machine's compiler; returns the folder."""
    session.install(*group("native"))
    folder = (session.cache_dir / "simulated").resolve()
    session.run("cmake", "-S", ".", "-B", str(folder), "-G", "Ninja", "-DNEXUS_BUILD_TESTS=ON",
                "-DNEXUS_UNITY_BUILD=ON")  # fmt: skip
    session.run("cmake", "--build", str(folder), "--target", "simulated_drivers")
    return folder / "simulated"


@gate.session(python=NEWEST)
def packaging(session: nox.Session) -> None:
    """Tests the README's first command, and the content of installed packages."""
    test_packages(session, "-k", "from_their_folders", "tests/packaging/test_install.py")


@gate.session(name="packaging-more", python=[PYTHONS[0], NEWEST], limit=gate.LONG)
def packaging_more(session: nox.Session) -> None:
    """Tests every documented way to install, in fresh environments, and a vendor's commands."""
    tests = [f"tests/packaging/test_{name}.py" for name in PACKAGING_TESTS]
    test_packages(session, "-o", "faulthandler_timeout=900", *tests)  # one test builds for minutes


def test_packages(session: nox.Session, *arguments: str) -> None:
    """Runs tests that make environments and install our wheels, or us, into them."""
    folder = wheelhouse.wheels(session)
    session.install(*group("packaging"))
    gate.pytest(session, "--confcutdir", "tests/packaging", *(session.posargs or arguments),
                env={"NEXUS_WHEELS": str(folder)})  # fmt: skip


def sanitized(session: nox.Session, sanitizer: str) -> Path:
    """Builds all with a sanitizer; returns the folder."""
    session.install(*group("native"), *group("sanitize"), *wheelhouse.dependencies())
    return sanitizers.build(session, sanitizer)


@gate.session(python=NEWEST)
def native(session: nox.Session) -> None:
    """Runs the C++ tests under ASan, by gcc on Linux, and the fuzzer for 15 seconds.

    `sanitize` has all of it, and is in `full`.
    """
    session.install(*group("native"))
    folder = sanitizers.build(session, "address", "cpp_tests")
    sanitizers.ctest(session, folder)
    sanitizers.fuzz(session, folder, seconds=15)


@gate.session(python=NEWEST, limit=gate.LONG)
@nox.parametrize("sanitizer", SANITIZERS)
def sanitize(session: nox.Session, sanitizer: str) -> None:
    """Runs C++ and Python tests under ASan with UBSan, and under TSan, by gcc on Linux.

    `-- tests/api/test_stream.py -k wait` runs those Python tests only.
    """
    folder = sanitized(session, sanitizer)
    if session.posargs:
        sanitizers.pytest(session, sanitizer, folder, *session.posargs)
        return
    sanitizers.ctest(session, folder)
    sanitizers.fuzz(session, folder, seconds=60)
    sanitizers.pytest(session, sanitizer, folder, "tests/sanitize")  # else the rest proves nothing
    sanitizers.pytest(session, sanitizer, folder, *SIDE_BY_SIDE, *SANITIZED_TESTS)
    with without_our_settings(session):
        modules = conformance_of("cpu", SANITIZED_CONFORMANCE)
        sanitizers.pytest(session, sanitizer, folder, *SIDE_BY_SIDE, *modules)
    sanitizers.pytest(session, sanitizer, folder, *SIDE_BY_SIDE, "tests/cuda/launching")


@gate.session(name="sanitize-more", python=NEWEST, limit=gate.LONG)
@nox.parametrize("sanitizer", SANITIZERS)
def sanitize_more(session: nox.Session, sanitizer: str) -> None:
    """Runs long tests under the sanitizers, and the conformance suite on the simulated GPUs."""
    folder = sanitized(session, sanitizer)
    for name in ("cuda/failure", "cuda/sharing", "hip", "metal"):
        sanitizers.pytest(session, sanitizer, folder, *SIDE_BY_SIDE, f"tests/{name}")
    sanitizers.pytest(session, sanitizer, folder, *SIDE_BY_SIDE, "tests/cuda/failure",
                      environment={"NEXUS_SIMULATED_BACKEND": "hip"})  # fmt: skip
    # Too little for the suite's buffer of 4 GiB, of which a sanitizer needs four times as much.
    for backend, make in SIMULATED_ENVIRONMENTS.items():
        drivers = make(libraries=folder / "simulated", memory=2 << 30)
        with without_our_settings(session):
            sanitizers.pytest(session, sanitizer, folder, *SIDE_BY_SIDE, *conformance_of(backend),
                              environment=drivers)  # fmt: skip
    sanitizers.pytest(session, sanitizer, folder, *SIDE_BY_SIDE, *MORE_SANITIZED_TESTS[sanitizer])


@gate.session(python=NEWEST)
@nox.parametrize("backend", BACKENDS)
def conformance(session: nox.Session, backend: str) -> None:
    """Runs the conformance suite on a backend's wheel. `-- --nexus-report FILE` keeps the report.

    CUDA's, HIP's and Metal's run on the simulated drivers; on Metal's the gallery's kernels too.
    """
    wheelhouse.install(session, *group("conformance"), backends=[backend])
    environment = {}
    if backend in SIMULATED_ENVIRONMENTS:
        make = SIMULATED_ENVIRONMENTS[backend]
        environment = make(libraries=simulated_drivers(session), memory=16 << 30)
    with without_our_settings(session):
        gate.pytest(session, *SIDE_BY_SIDE, *conformance_of(backend), *session.posargs,
                    env=environment)  # fmt: skip
    if backend in wheelhouse.MACOS_BACKENDS and not session.posargs:
        session.install(*group("test"))
        gate.pytest(session, *SIDE_BY_SIDE, "tests/gallery",
                    env={**environment, "NEXUS_DEVICE": f"{backend}:0"})  # fmt: skip


def conformance_of(backend: str, modules: Sequence[str] = ("nexus.conformance",)) -> list[str]:
    """Returns pytest's arguments to run the conformance suite, or some modules, on a backend."""
    settings = ROOT / "tests" / "conformance" / backend / "nexus_conformance.toml"
    return ["--pyargs", *modules, "-q", *TEST_LIMIT,
            "--nexus-backend", backend, "--nexus-settings", str(settings)]  # fmt: skip


@contextlib.contextmanager
def without_our_settings(session: nox.Session) -> Iterator[None]:
    """Enters an empty folder, so that pytest does not find our pyproject.toml."""
    with tempfile.TemporaryDirectory() as folder, session.chdir(folder):
        yield


@gate.session(python=NEWEST)
def downstream(session: nox.Session) -> None:
    """Tests C++ programs that are built on our wheels."""
    wheelhouse.install(session, *group("downstream"))
    gate.pytest(session, *(session.posargs or [*SIDE_BY_SIDE, "-m", CHOSEN, "tests/cpp"]))


@gate.session(python=NEWEST, limit=gate.LONG)
def opencl(session: nox.Session) -> None:
    """Builds the OpenCL backend as a stranger would, in a fresh environment, and tests it there."""
    folder = wheelhouse.wheels(session)
    environment = Path(session.create_tmp()).resolve() / "opencl"
    shutil.rmtree(environment, ignore_errors=True)
    session.run("python", "-m", "venv", str(environment))  # the wheels are for this Python
    python = str(environment / "bin" / "python")
    session.run(python, "-m", "pip", "install", "-q", "nexus-core[conformance]",
                "./examples/plugins/nexus-opencl[test]",
                external=True, env={"PIP_FIND_LINKS": str(folder)})  # fmt: skip
    with session.chdir("examples/plugins/nexus-opencl"):
        pytest = str(environment / "bin" / "pytest")
        gate.pytest(session, *SIDE_BY_SIDE, "tests", program=pytest, external=True)


@gate.session(python=NEWEST)
def ziglang(session: nox.Session) -> None:
    """Runs programs, the gallery and the demonstration with the ziglang wheel's compiler only."""
    wheelhouse.install(session, *group("test"), *group("compiler"))
    alone = {"PATH": session.bin, "CC": ""}
    session.run("nexus", "demo", env=alone)
    gate.pytest(session, *(session.posargs or [*SIDE_BY_SIDE, *COMPILING_TESTS]), env=alone)


@gate.session(python=NEWEST)
def dialects(session: nox.Session) -> None:
    """Compiles the kernel language as CUDA, HIP, OpenCL and Metal, and runs it if possible."""
    wheelhouse.install(session, *group("dialects"))
    folders = session.posargs or ["tests/dialects"]
    gate.pytest(session, "--confcutdir", "tests/dialects", *folders)


@gate.session(python=NEWEST)
def distributed(session: nox.Session) -> None:
    """Runs clusters of Dask on this machine, with CPUs and simulated GPUs, and mpi4py."""
    wheelhouse.install(session, *group("distributed"), backends=["cpu", "cuda"])
    simulation = str(simulated_drivers(session))
    gate.pytest(session, *(session.posargs or ["-m", CHOSEN, "tests/distributed"]),
                env={"NEXUS_DEVICE": "cpu", "NEXUS_SIMULATED": simulation})  # fmt: skip


@gate.session(python=NEWEST)
def pages(session: nox.Session) -> None:
    """Builds the reference and the device pages; runs the examples of all documents."""
    session.run("python", "tools/build_docs.py")
    wheelhouse.install(session, *group("test"))
    gate.pytest(session, *(session.posargs or [*SIDE_BY_SIDE, "tests/docs"]))


@gate.session(python=NEWEST)
def docs(session: nox.Session) -> None:
    """Builds the documents as a site in docs/built/site, and looks at it in Chromium."""
    wheelhouse.install(session, *group("docs"))
    session.run("python", "tools/build_docs.py")
    session.run("python", "tools/build_site.py", env={"NEXUS_DEVICE": "cpu"})
    gate.pytest(session, "--confcutdir", "tests/site", "tests/site")


@gate.session(python=NEWEST)
def notebooks(session: nox.Session) -> None:
    """Runs the notebooks of examples/notebooks on the CPU."""
    wheelhouse.install(session, *group("notebooks"))
    # A cell may take 300 s, after which its notebook fails.
    gate.pytest(session, "--confcutdir", "tests/notebooks", "-o", "faulthandler_timeout=600",
                *(session.posargs or ["tests/notebooks"]), env={"NEXUS_DEVICE": "cpu"})  # fmt: skip


@gate.session(python=NEWEST)
def bench(session: nox.Session) -> None:
    """Measures ours beside the peers: a table with ratios. `-- --json FILE` keeps it."""
    run_benchmarks(session, session.posargs)


@gate.session(name="bench-smoke", python=NEWEST)
def bench_smoke(session: nox.Session) -> None:
    """Runs the benchmarks with small sizes, to compare the results."""
    run_benchmarks(session, ["--smoke", *session.posargs])


def run_benchmarks(session: nox.Session, arguments: Sequence[str]) -> None:
    """Installs the peers and our wheels and runs the rows."""
    session.install("-r", "benchmarks/requirements.txt")
    wheelhouse.install(session)
    session.install(*group("native"), "scikit-build-core>=1.1,<2")
    # An isolated build would ask the index for nexus-core.
    session.install("--no-build-isolation", "--no-deps", "./tests/plugins/nexus-reference",
                    "./examples/plugins/nexus-opencl")  # fmt: skip
    session.run("python", "benchmarks/run.py", *arguments)


@nox.session(python=False)
def full(session: nox.Session) -> None:
    """Runs the gate and what it leaves out: long tests, every Python. `-- NAME...` runs some."""
    names = session.posargs or [*(nox.options.sessions or ()), *MORE_SESSIONS]
    session.run(sys.executable, "-m", "nox", "-s", *names, env={"NEXUS_FULL": "1"},
                external=True)  # fmt: skip
