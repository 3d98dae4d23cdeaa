# SPDX-License-Identifier: Apache-2.0
"""Generates headers, Python enumerations and a picture of the design.

``python tools/gen.py`` writes them; with ``--check`` it writes nothing and fails if a
committed file differs.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import cycles
import device_pages

ROOT = Path(__file__).resolve().parent.parent
CORE = ROOT / "packages" / "nexus-core"
HEADERS = CORE / "include" / "nexus-api"
PYTHON = CORE / "nexus"
BINDINGS = CORE / "bindings"
LICENCE = "SPDX-License-Identifier: Apache-2.0"
COMMAND = "nox -s gen"
DESIGN = ROOT / "docs" / "design" / "README.md"


def load(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((ROOT / "schema" / name).read_text(encoding="utf-8"))
    return data


def c_head(source: str, guard: str) -> list[str]:
    return [
        f"/* {LICENCE} */",
        f"/* Generated from {source} by `{COMMAND}`. Do not edit. */",
        "/* clang-format off */",
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        "#include <stdint.h>",
        "",
    ]


def python_head(source: str, docstring: str, module: str, base: str) -> list[str]:
    return [
        f"# {LICENCE}",
        f"# Generated from {source} by `{COMMAND}`. Do not edit.",
        f'"""{docstring}"""',
        "",
        f"from {module} import {base} as _{base}",
        "",
    ]


def enums_header(statuses: list[dict[str, Any]], enums: list[dict[str, Any]]) -> str:
    lines = c_head("schema/statuses.json and schema/enums.json", "NEXUS_API_NXS_ENUMS_H_")
    lines += ["/* Every function returns one of these. 0 is success, errors are negative. */"]
    lines += ["typedef int32_t nxs_status;", "", "enum {"]
    lines += [f"  NXS_{s['name']} = {s['number']}," for s in statuses]
    lines += [
        "};",
        "",
        "/* X(name, number) for each status. */",
        "#define NXS_FOR_EACH_STATUS(X) \\",
    ]
    lines += [f"  X({s['name']}, {s['number']}) \\" for s in statuses]
    lines += ["  /* end */", ""]
    for enum in enums:
        name = enum["name"]
        c_type = "nxs_" + enum["module"]
        lines.append(f"/* {enum['description']} */")
        if enum["bits"]:
            lines.append(f"typedef uint64_t {c_type};")
            lines += [
                f"#define NXS_{name}_{v['name']} (UINT64_C(1) << {v['number']})"
                f" /* {v['description']} */"
                for v in enum["values"]
            ]
        else:
            lines += [f"typedef int32_t {c_type};", "enum {"]
            lines += [
                f"  NXS_{name}_{v['name']} = {v['number']}, /* {v['description']} */"
                for v in enum["values"]
            ]
            lines.append("};")
        lines.append(f"#define NXS_FOR_EACH_{name}(X) \\")
        lines += [f"  X({v['name']}, {v['number']}) \\" for v in enum["values"]]
        lines += ["  /* end */", ""]
    lines += [
        (
            "/* The low bits of a data type word that hold flags, and the length of "
            "`NXS_DataType_`. */"
        ),
        "#define NXS_DataType_Flags_Mask 3",
        "#define NXS_DataType_PREFIX_LEN 13",
        "",
        "#endif /* NEXUS_API_NXS_ENUMS_H_ */",
        "",
    ]
    return "\n".join(lines)


def properties_header(properties: list[dict[str, Any]]) -> str:
    lines = c_head("schema/properties.json", "NEXUS_API_NXS_PROPERTYS_H_")
    lines += [
        "/* The key of a property. Numbers from NXS_PROPERTY_VENDOR_FIRST up are a vendor's own,",
        "   given by the host's intern_property. */",
        "typedef int32_t nxs_property;",
        "",
        "enum {",
    ]
    for p in properties:
        unit = f" Unit: {p['unit']}." if "unit" in p else ""
        lines.append(
            f"  NP_{p['name']} = {p['number']}, /* {p['type']}. {p['description']}{unit} */"
        )
    lines += [
        f"  NXS_PROPERTY_CNT = {len(properties)},",
        "  NXS_PROPERTY_VENDOR_FIRST = 65536,",
        "  NXS_PROPERTY_INVALID = -1",
        "};",
        "",
        "/* X(name, number, type) for each property. */",
        "#define NXS_FOR_EACH_PROPERTY(X) \\",
    ]
    lines += [f"  X({p['name']}, {p['number']}, {p['type']}) \\" for p in properties]
    lines += ["  /* end */", "", "#endif /* NEXUS_API_NXS_PROPERTYS_H_ */", ""]
    return "\n".join(lines)


def constant_objects(entry: dict[str, Any]) -> list[str]:
    """Returns the classes of objects for which a property never changes."""
    constant = entry.get("constant", False)
    objects: list[str] = entry["objects"] if constant is True else constant or []
    return objects


def constant_properties(properties: list[dict[str, Any]]) -> str:
    """Returns the table of the properties that Python reads once for each object."""
    lines = [
        f"// {LICENCE}",
        f"// Generated from schema/properties.json by `{COMMAND}`. Do not edit.",
        "// clang-format off",
        "#pragma once",
        "",
        "#include <cstdint>",
        "",
        "#include <nexus-api/nxs.h>",
        "",
        "namespace nexus::python {",
        "",
        "/// A property that never changes while the object lives.",
        "struct ConstantProperty {",
        "  const char *name;",
        "  nxs_property number;",
        "  nxs_value_type type;",
        "  std::uint32_t objects;  ///< Bit t: of objects of NXS_ObjectType t.",
        "};",
        "",
        "inline constexpr ConstantProperty kConstantProperties[] = {",
    ]
    for p in properties:
        bits = " | ".join(f"1U << NXS_ObjectType_{o.capitalize()}" for o in constant_objects(p))
        if bits and p["type"] in ("str", "int", "flt"):
            kind = p["type"].capitalize()
            lines.append(f'    {{"{p["name"]}", NP_{p["name"]}, NXS_ValueType_{kind}, {bits}}},')
    return "\n".join([*lines, "};", "", "}  // namespace nexus::python", ""])


def python_enum(
    source: str,
    docstring: str,
    class_name: str,
    members: list[tuple[str, int, str]],
    module: str = "enum",
    base: str = "IntEnum",
) -> str:
    """Returns a module that has the class and its members, and no other name."""
    lines = python_head(source, docstring, module, base)
    lines += ["", f"class {class_name}(_{base}):", f'    """{docstring}"""', ""]
    for name, number, description in members:
        lines.append(f"    {name} = {number}")
        if description:
            lines.append(f'    """{description}"""')
    lines += ["", ""]
    lines += [f"{name} = {class_name}.{name}" for name, _, _ in members]
    return "\n".join([*lines, ""])


def camel(module: str) -> str:
    return "".join(part.capitalize() for part in module.split("_"))


# Enumerations for Python users; the others are for plug-ins.
PYTHON_ENUMS = {
    "event_type",
    "event_status",
    "command_type",
    "execution_settings",
    "buffer_settings",
    "data_type",
    "capability",
}


def with_picture(page: str) -> str:
    """Returns the page with the current picture of libnexus' folders."""
    before, _, rest = page.partition("```mermaid\n")
    _, _, after = rest.partition("```\n")
    lines = cycles.picture(CORE / "src")
    return "\n".join([f"{before}```mermaid", *lines, f"```\n{after}"])


def outputs() -> dict[Path, str]:
    properties = load("properties.json")["properties"]
    statuses = load("statuses.json")["statuses"]
    enums = load("enums.json")["enums"]
    files = {
        HEADERS / "nxs_enums.h": enums_header(statuses, enums),
        HEADERS / "nxs_propertys.h": properties_header(properties),
        BINDINGS / "types" / "constant_properties.hpp": constant_properties(properties),
        PYTHON / "status.py": python_enum(
            "schema/statuses.json",
            "The statuses that Nexus functions and errors carry.",
            "Status",
            [(f"NXS_{s['name']}", s["number"], "") for s in statuses],
        ),
        PYTHON / "property.py": python_enum(
            "schema/properties.json",
            "The keys of the properties that objects answer.",
            "Property",
            [(p["name"], p["number"], p["description"].replace('"', "'")) for p in properties],
            "nexus._property_key",
            "PropertyKey",
        ),
    }
    files[DESIGN] = with_picture(DESIGN.read_text(encoding="utf-8"))
    for enum in enums:
        if enum["module"] not in PYTHON_ENUMS:
            continue
        members = [
            (v["name"], 1 << v["number"] if enum["bits"] else v["number"], v["description"])
            for v in enum["values"]
        ]
        files[PYTHON / f"{enum['module']}.py"] = python_enum(
            "schema/enums.json", enum["description"], camel(enum["module"]), members
        )
    return files | device_pages.index()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail when a file is not current"
    )
    check = parser.parse_args().check
    stale = []
    for path, text in outputs().items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(path.relative_to(ROOT))
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    for path in stale:
        print(f"{'not current' if check else 'written'}: {path}")
    if check and stale:
        print(f"Run `{COMMAND}` and commit what it writes.")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
