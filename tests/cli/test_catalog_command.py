# SPDX-License-Identifier: Apache-2.0
"""`nexus catalog`: building catalogs, and looking into them."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from example_catalog import FILE, SCALE, elf, library_of, object_of, source_of, write_catalog

import nexus

Nexus = Callable[..., tuple[int, str, str]]
Json = dict[str, Any]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """The file of a program with one kernel."""
    path = tmp_path / "vector.c"
    path.write_text(SCALE)
    return path


def library_in(folder: Path, name: str = "vector") -> Json:
    """The entry of a library in the catalog of a folder."""
    tree = json.loads((folder / FILE).read_text())
    (found,) = [each for each in tree["Libraries"] if each["Name"] == name]
    return dict(found)


# ---- list, show, verify ----------------------------------------------------------------------


def test_a_line_for_each_library(run_nexus: Nexus, tmp_path: Path) -> None:
    objects = [object_of(tmp_path, b"", "sm_90", "cuda")]
    library = library_of(Objects=objects, Sources=[source_of(tmp_path)])
    path = write_catalog(tmp_path, library, library_of("2.0.0"))
    assert run_nexus("catalog", "list", str(path)) == (
        0,
        "example  vector  1.0.0  cuda:sm_90, source in nexus\n"
        "example  vector  2.0.0\n"
        "1 catalog, 2 libraries\n",
        "",
    )


def test_the_list_as_json(run_nexus: Nexus, tmp_path: Path) -> None:
    path = write_catalog(tmp_path)
    _, out, _ = run_nexus("catalog", "list", str(tmp_path), "--json")
    (catalog,) = json.loads(out)["catalogs"]
    assert (catalog["path"], catalog["libraries"][0]["languages"]) == (str(path), ["nexus"])


@pytest.mark.parametrize("words", [["list"], ["show"], ["verify"]], ids=lambda words: words[0])
def test_what_is_no_catalog_is_2(run_nexus: Nexus, words: list[str]) -> None:
    status, _, err = run_nexus("catalog", *words, "nowhere")
    assert (status, "'nowhere' is neither the file or folder of a catalog" in err) == (2, True)


def test_a_broken_catalog_is_1(run_nexus: Nexus, tmp_path: Path) -> None:
    path = write_catalog(tmp_path, Version="one")
    status, _, err = run_nexus("catalog", "list", str(path))
    assert (status, "Version is 'one'" in err) == (1, True)


def test_a_library_is_shown_with_its_kernels_and_builds(run_nexus: Nexus, tmp_path: Path) -> None:
    kernel = {
        "Name": "scale",
        "Arguments": [{"Name": "x", "Type": "float *"}, {"Name": "n", "DataType": "int32"}],
        "GroupSize": [64, 4],
        "LocalMemory": 1024,
        "Tuning": {"tile": 16},
    }
    source = source_of(tmp_path, Kernels=[{"Name": "scale", "GroupSize": [8]}])
    path = write_catalog(tmp_path, library_of(Kernels=[kernel], Sources=[source]))
    _, out, _ = run_nexus("catalog", "show", str(path), "vector")
    for words in (
        "float * x, int32 n",
        "group size 64 x 4, local memory 1 KiB, tile=16",
        f"source in nexus       sources/vector.c, SHA-256 {source['SHA256'][:12]}...",
        "scale: group size 8",
        "Apache-2.0",
    ):
        assert words in out


def test_a_catalog_is_shown_with_its_libraries(run_nexus: Nexus, tmp_path: Path) -> None:
    path = write_catalog(tmp_path, Description="Kernels for tests.")
    _, out, _ = run_nexus("catalog", "show", str(path))
    for words in ("example 1.0.0", "Kernels for tests.", str(path), "source in nexus"):
        assert words in out


def test_a_library_as_json(run_nexus: Nexus, tmp_path: Path) -> None:
    path = write_catalog(tmp_path)
    _, out, _ = run_nexus("catalog", "show", str(path), "vector", "--json")
    assert json.loads(out) == json.loads(path.read_text())["Libraries"][0]


def test_an_unknown_library_is_2(run_nexus: Nexus, tmp_path: Path) -> None:
    status, _, err = run_nexus("catalog", "show", str(write_catalog(tmp_path)), "vectr")
    assert (status, "did you mean 'vector'?" in err) == (2, True)


def test_a_whole_catalog_verifies(run_nexus: Nexus, tmp_path: Path) -> None:
    path = write_catalog(tmp_path)
    assert run_nexus("catalog", "verify", str(path)) == (0, "1 catalog, 0 problems\n", "")


def test_a_changed_file_does_not_verify(run_nexus: Nexus, tmp_path: Path) -> None:
    path = write_catalog(tmp_path)
    (tmp_path / "sources/vector.c").write_text("changed")
    status, out, _ = run_nexus("catalog", "verify", str(path))
    assert (status, "'sources/vector.c', whose SHA-256 is" in out) == (1, True)


def test_the_problems_as_json(run_nexus: Nexus, tmp_path: Path) -> None:
    path = write_catalog(tmp_path, Name="")
    status, out, _ = run_nexus("catalog", "verify", str(path), "--json")
    (problem,) = json.loads(out)["problems"]
    assert (status, problem["catalog"], "Name is ''" in problem["reason"]) == (1, str(path), True)


# ---- build -----------------------------------------------------------------------------------


def test_a_built_catalog_loads_its_object(run_nexus: Nexus, source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "built"
    status, out, _ = run_nexus("catalog", "build", str(folder), str(source), "--target", "cpu")
    assert (status, f"{folder / FILE}: 2 builds" in out) == (0, True)
    library = nexus.get_device("cpu").load_library(folder / FILE, "vector")
    assert library.get_info()["Match"] == "architecture"


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="levels of x86-64")
def test_the_best_of_several_levels_is_loaded(
    run_nexus: Nexus, source: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "built"
    levels = ["x86-64", "x86-64-v3", "x86-64-v4"]
    run_nexus("catalog", "build", str(folder), str(source), *(f"--target=cpu:{n}" for n in levels))
    cpu = nexus.get_device("cpu")
    present = set(cpu.get_info().get_str("Features").split(","))
    info = cpu.load_library(folder / FILE, "vector").get_info()
    best = levels[("avx2" in present) + ("avx512vl" in present)]
    assert info["Build"]["Architecture"] == best


def test_the_source_is_compiled_by_the_wheels_compiler(
    run_nexus: Nexus, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = find_spec("ziglang")
    if spec is None or spec.origin is None:
        pytest.skip("needs the package ziglang")
    monkeypatch.setenv("NEXUS_CPU_CC", f"'{Path(spec.origin).with_name('zig')}' cc")
    run_nexus("catalog", "build", str(tmp_path / "built"), str(source))
    cpu = nexus.get_device("cpu")
    library = cpu.load_library(tmp_path / "built" / FILE, "vector")
    x = nexus.ones(3, device=cpu)
    library.get_kernel("scale")(x, 2.0, 3, grid=3)
    assert (library.get_info()["Match"], x.numpy().tolist()) == ("source", [2, 2, 2])


def test_a_target_that_the_compiler_does_not_know_is_one_sentence(
    run_nexus: Nexus, source: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "built"
    status, _, err = run_nexus("catalog", "build", str(folder), str(source), "--target", "cpu:sm_9")
    assert (status != 0, "does not know; give a processor or level" in err) == (True, True)
    assert len(err.splitlines()) < 5


def test_a_built_catalog_has_no_problems(run_nexus: Nexus, source: Path, tmp_path: Path) -> None:
    run_nexus("catalog", "build", str(tmp_path / "built"), str(source), "--target", "cpu")
    assert nexus.load_catalog(tmp_path / "built" / FILE).verify() == []


def test_a_build_describes_its_kernels(run_nexus: Nexus, source: Path, tmp_path: Path) -> None:
    run_nexus("catalog", "build", str(tmp_path / "built"), str(source), "--target", "cpu")
    (kernel,) = library_in(tmp_path / "built")["Kernels"]
    assert [each["Name"] for each in kernel["Arguments"]] == ["x", "a", "n"]


def test_the_head_of_a_catalog_is_given(run_nexus: Nexus, source: Path, tmp_path: Path) -> None:
    run_nexus(
        "catalog", "build", str(tmp_path / "built"), str(source), "--name", "acme", "--version",
        "2.1.0", "--license", "MIT", "--description", "Ours.",
    )  # fmt: skip
    catalog = nexus.load_catalog(tmp_path / "built" / FILE)
    assert (catalog.name, catalog.version, catalog.license, catalog.description) == (
        "acme", "2.1.0", "MIT", "Ours.",
    )  # fmt: skip
    assert catalog.libraries[0].version == "2.1.0"


def test_a_source_keeps_the_options(run_nexus: Nexus, source: Path, tmp_path: Path) -> None:
    run_nexus(
        "catalog", "build", str(tmp_path / "built"), str(source), "-D", "TILE=16", "--fast-math",
    )  # fmt: skip
    (entry,) = library_in(tmp_path / "built")["Sources"]
    assert entry["Options"] == {"defines": {"TILE": "16"}, "fast_math": True}


def test_a_second_build_adds_to_the_catalog(run_nexus: Nexus, source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "built"
    other = tmp_path / "other.c"
    other.write_text(SCALE)
    for file in (source, other, other):
        assert run_nexus("catalog", "build", str(folder), str(file))[0] == 0
    names = [library.name for library in nexus.load_catalog(folder / FILE).libraries]
    assert names == ["vector", "other"]


@pytest.mark.parametrize(
    ("ending", "language"),
    [(".cu", "cuda"), (".hip", "hip"), (".metal", "metal"), (".cl", "opencl"), (".c", "nexus")],
)
def test_the_language_is_the_files(
    run_nexus: Nexus, tmp_path: Path, ending: str, language: str
) -> None:
    file = tmp_path / f"vector{ending}"
    file.write_text("// a kernel\nvoid f();")
    run_nexus("catalog", "build", str(tmp_path / "built"), str(file))
    assert library_in(tmp_path / "built")["Sources"][0]["Language"] == language


def test_a_backends_own_program_comes_before_the_portable_one(
    run_nexus: Nexus, source: Path, tmp_path: Path
) -> None:
    own = tmp_path / "vector.cu"
    own.write_text("__global__ void scale(float *x) {}")
    run_nexus("catalog", "build", str(tmp_path / "built"), str(source), str(own))
    languages = [each["Language"] for each in library_in(tmp_path / "built")["Sources"]]
    assert languages == ["cuda", "nexus"]


def test_objects_of_other_compilers_are_added(run_nexus: Nexus, tmp_path: Path) -> None:
    for name in ("vector.cubin", "vector.so"):
        (tmp_path / name).write_bytes(b"code")
    run_nexus(
        "catalog", "build", str(tmp_path / "built"),
        "--object", f"{tmp_path / 'vector.cubin'}=cuda:sm_90",
        "--object", f"{tmp_path / 'vector.so'}=cpu:x86-64",
    )  # fmt: skip
    objects = library_in(tmp_path / "built")["Objects"]
    assert [(each["Architecture"], each["Format"]) for each in objects] == [
        ("sm_90", "cubin"),
        ("x86-64", "so"),
    ]


def test_an_object_for_another_architecture_is_refused(run_nexus: Nexus, tmp_path: Path) -> None:
    (tmp_path / "vector.so").write_bytes(elf(183))
    word = f"{tmp_path / 'vector.so'}=cpu:x86-64"
    status, _, err = run_nexus("catalog", "build", str(tmp_path / "built"), "--object", word)
    assert (status, "says cpu:x86-64, and the file is code for cpu:aarch64" in err) == (2, True)


def test_newer_architectures_come_first(run_nexus: Nexus, tmp_path: Path) -> None:
    (tmp_path / "vector.cubin").write_bytes(b"code")
    words = [
        word
        for name in ("sm_80", "sm_100", "compute_80", "sm_90")
        for word in ("--object", f"{tmp_path / 'vector.cubin'}=cuda:{name}")
    ]
    run_nexus("catalog", "build", str(tmp_path / "built"), *words)
    objects = library_in(tmp_path / "built")["Objects"]
    assert [each["Architecture"] for each in objects] == ["sm_100", "sm_90", "sm_80", "compute_80"]


def test_a_target_that_fails_stops_the_build(
    run_nexus: Nexus, source: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "built"
    status, _, err = run_nexus("catalog", "build", str(folder), str(source), "--target", "nope:x")
    assert (status != 0, "nope" in err, folder.exists()) == (True, True, False)


def test_the_rest_is_written_with_keep_going(
    run_nexus: Nexus, source: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "built"
    status, _, err = run_nexus(
        "catalog", "build", str(folder), str(source), "--target", "nope:x", "--target", "cpu",
        "--keep-going",
    )  # fmt: skip
    assert (status, f"{source} for nope:x" in err) == (1, True)
    assert len(library_in(folder)["Objects"]) == 1


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ([], "Name a program"),
        (["nowhere.c"], "There is no file 'nowhere.c'"),
        (["{source}", "--target", "cuda:sm_90", "--language", "c"], "no FILE is in a language of"),
        (["{source}", "{source}"], "makes the library 'vector' too"),
        (["{source}", "-I", "include"], "-I needs --no-source"),
        (["{source}", "-O", "7"], "-O is '7'"),
        (["{source}", "--name", "a/b"], "Name is 'a/b'"),
        (["{source}", "--version", "1"], "Version is '1'"),
        (["{source}", "--license", ""], "License is ''"),
        (["--object", "nowhere.cubin=cuda:sm_90"], "'nowhere.cubin'"),
        (["--object", "{source}"], "names no backend and architecture"),
        (["--object", "{source}=cuda:"], "names no backend and architecture"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_wrong_build_is_2(
    run_nexus: Nexus, source: Path, tmp_path: Path, words: list[str], text: str
) -> None:
    folder = tmp_path / "built"
    words = [word.format(source=source) for word in words]
    status, _, err = run_nexus("catalog", "build", str(folder), *words)
    assert (status, text in err, folder.exists()) == (2, True, False), err


@pytest.mark.parametrize(
    ("text", "reason"),
    [(b'#include "other.h"\n', 'includes "other.h"'), (b"\xff", "not UTF-8")],
    ids=["two files", "no text"],
)
def test_a_source_that_a_catalog_can_not_have_is_refused(
    run_nexus: Nexus, tmp_path: Path, text: bytes, reason: str
) -> None:
    file = tmp_path / "vector.c"
    file.write_bytes(text)
    status, _, err = run_nexus("catalog", "build", str(tmp_path / "built"), str(file))
    assert (status in (1, 2), reason in err) == (True, True)


def test_a_file_in_place_of_the_folder_is_2(run_nexus: Nexus, source: Path, tmp_path: Path) -> None:
    status, _, err = run_nexus("catalog", "build", str(source), str(source))
    assert (status, "is not a folder" in err) == (2, True)


# ---- Triton ----------------------------------------------------------------------------------

TTIR = """\
module {
  tt.func public @add(%x_ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("x_ptr"(#loc)), \
%n: i32 loc("n"(#loc))) attributes {noinline = false} {
"""


def triton_kernel(cache: Path, name: str, backend: str, arch: int | str, **fields: Any) -> Path:
    """Writes a kernel's folder in a cache of Triton; returns the .json file."""
    folder = cache / f"{name}{backend}{arch}{fields.get('hash', '')}"
    folder.mkdir(parents=True)
    told = {
        "name": name,
        "hash": "0123456789abcdef",
        "target": {"backend": backend, "arch": arch, "warp_size": 32 if backend == "cuda" else 64},
        "num_warps": 4,
        "num_stages": 3,
        "num_ctas": 1,
        "shared": 512,
        "global_scratch_size": 0,
        "profile_scratch_size": 0,
        **fields,
    }
    (folder / f"{name}.json").write_text(json.dumps(told))
    (folder / f"__grp__{name}.json").write_text(json.dumps({"child_paths": {}}))
    (folder / f"{name}.{'cubin' if backend == 'cuda' else 'hsaco'}").write_bytes(b"code")
    (folder / f"{name}.ttir").write_text(TTIR)
    return folder / f"{name}.json"


def test_kernels_of_triton_are_added(run_nexus: Nexus, tmp_path: Path) -> None:
    triton_kernel(tmp_path / "cache", "add", "cuda", 90)
    triton_kernel(tmp_path / "cache", "add", "hip", "gfx942")
    run_nexus("catalog", "build", str(tmp_path / "built"), "--triton", str(tmp_path / "cache"))
    amd, nvidia = library_in(tmp_path / "built", "add")["Objects"]
    assert (nvidia["Architecture"], amd["Architecture"]) == ("sm_90", "gfx942")
    assert nvidia["Kernels"] == [
        {
            "Name": "add",
            "GroupSize": [128],
            "Tuning": {"num_warps": 4, "num_stages": 3, "num_ctas": 1},
            "LocalMemory": 512,
        }
    ]
    assert amd["Kernels"][0]["GroupSize"] == [256]


def test_the_arguments_are_tritons(run_nexus: Nexus, tmp_path: Path) -> None:
    file = triton_kernel(tmp_path / "cache", "add", "cuda", 90)
    run_nexus("catalog", "build", str(tmp_path / "built"), "--triton", str(file))
    (kernel,) = library_in(tmp_path / "built", "add")["Kernels"]
    assert [(each["Name"], each["Kind"], each.get("DataType")) for each in kernel["Arguments"]] == [
        ("x_ptr", "buffer", "float32"),
        ("n", "scalar", "int32"),
        ("global_scratch", "buffer", None),
        ("profile_scratch", "buffer", None),
    ]
    assert kernel["Arguments"][0]["Description"] == "Compiled for values that are divisible by 16."


@pytest.mark.parametrize("text", ["", TTIR.replace("i32 loc", "!tt.tensordesc<f32> loc")])
def test_arguments_that_are_not_understood_are_left_out(
    run_nexus: Nexus, tmp_path: Path, text: str
) -> None:
    file = triton_kernel(tmp_path / "cache", "add", "cuda", 90)
    file.with_suffix(".ttir").write_text(text)
    run_nexus("catalog", "build", str(tmp_path / "built"), "--triton", str(file))
    assert library_in(tmp_path / "built", "add")["Kernels"] == [{"Name": "add"}]


def test_variants_of_a_kernel_have_its_hash(run_nexus: Nexus, tmp_path: Path) -> None:
    for digits in ("aaaaaaaaaa", "bbbbbbbbbb"):
        triton_kernel(tmp_path / "cache", "add", "cuda", 90, hash=digits)
    run_nexus("catalog", "build", str(tmp_path / "built"), "--triton", str(tmp_path / "cache"))
    catalog = nexus.load_catalog(tmp_path / "built" / FILE)
    assert [library.name for library in catalog.libraries] == ["add-aaaaaaaa", "add-bbbbbbbb"]


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (lambda file: file.write_text("{"), "has no kernel that Triton compiled"),
        (lambda file: file.write_text("[]"), "has no kernel that Triton compiled"),
        (lambda file: file.write_text('{"target": 3}'), "has no kernel that Triton compiled"),
        (lambda file: file.with_suffix(".cubin").unlink(), "the code of 'add.json'"),
        (lambda file: file.unlink(), "There is no file or folder"),
    ],
    ids=["cut", "a list", "other JSON", "no code", "missing"],
)
def test_what_triton_did_not_write_is_refused(
    run_nexus: Nexus, tmp_path: Path, spoil: Callable[[Path], Any], text: str
) -> None:
    file = triton_kernel(tmp_path / "cache", "add", "cuda", 90)
    spoil(file)
    status, _, err = run_nexus("catalog", "build", str(tmp_path / "built"), "--triton", str(file))
    assert (status, text in err) == (1, True), err
