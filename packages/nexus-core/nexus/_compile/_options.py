# SPDX-License-Identifier: Apache-2.0
"""Options for compiling a program."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from nexus import _checks, _core

if TYPE_CHECKING:
    from nexus import Device
    from nexus._types import Define, Path

V = TypeVar("V", covariant=True)

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_FAST_MATH, _DEBUG, _LINE_INFO, _RELOCATABLE = 1, 2, 4, 8  # NXS_CompileFlags_*

# Parameters of the extension: standard, NXS_CompileFlags_* bits, optimization, "NAME=value" of
# each define, include paths, extra flags, name expressions.
Settings = tuple[str, int, int, tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...]]


class FrozenMapping(Mapping[str, V]):
    """An immutable mapping, hashable so that its owner is too."""

    __slots__ = ("_items",)

    def __init__(self, items: Mapping[str, V]) -> None:
        self._items = dict(items)

    def __getitem__(self, key: str) -> V:
        return self._items[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(frozenset(self._items.items()))

    def __repr__(self) -> str:
        return repr(self._items)

    def __reduce__(self) -> tuple[Any, ...]:
        return FrozenMapping, (self._items,)


@dataclasses.dataclass(frozen=True, init=False, repr=False)
class ProgramOptions:
    """Options for compiling a program, the same for all backends.

    All are keyword arguments. Options are immutable, hashable and can be pickled; `replace()`
    returns a changed copy.

    Attributes:
        defines: the values of macros, by name: a str is inserted unchanged, a bool as 1 or 0, an
            int or float as Python prints it; None defines a macro without a value. Stored as str.
        include_paths: the folders in which `#include` searches, in this order.
        optimization: the level, from 0 (none) to 3 (all).
        fast_math: allows reordered and approximate floating-point arithmetic.
        debug: adds debug information.
        line_info: adds line numbers for profilers, without changing the code.
        standard: the standard of the language, such as 'c11' or 'c++20'; None leaves it to the
            backend.
        extra: more flags for a backend's compiler, by the backend's name, such as
            `{"cpu": ["-funroll-loops"]}`. Compiling fails if a name is neither cpu, cuda, hip,
            metal nor an installed backend.
        relocatable: makes a piece for `nexus.Linker`, which may call functions of other pieces.
        name_expressions: instances of kernel templates to compile, such as "scale<float>";
            `Library.get_kernel` finds them by these names. Only for CUDA.

    Raises:
        TypeError: there is no such option, or a value has a wrong type.
        ValueError: a value is not allowed.

    Example:
        >>> options = nexus.ProgramOptions(defines={"TILE": 16}, fast_math=True)
        >>> options
        ProgramOptions(defines={'TILE': '16'}, fast_math=True)
        >>> options.replace(fast_math=False, optimization=2)
        ProgramOptions(defines={'TILE': '16'}, optimization=2)
    """

    defines: Mapping[str, str | None] = FrozenMapping({})
    include_paths: tuple[str, ...] = ()
    optimization: int = 3
    fast_math: bool = False
    debug: bool = False
    line_info: bool = False
    standard: str | None = None
    extra: Mapping[str, tuple[str, ...]] = FrozenMapping({})
    relocatable: bool = False
    name_expressions: tuple[str, ...] = ()

    if not TYPE_CHECKING:  # type checkers read __init__ instead

        def __new__(cls, *unnamed: object, **fields: object) -> ProgramOptions:
            """Rejects unknown names and suggests a similar one, which __init__ could not."""
            if unnamed:
                raise TypeError("Options are given by name, such as ProgramOptions(debug=True).")
            check_names(fields)
            return super().__new__(cls)

    def __init__(
        self,
        *,
        defines: Mapping[str, Define] | None = None,
        include_paths: Sequence[Path] = (),
        optimization: int = 3,
        fast_math: bool = False,
        debug: bool = False,
        line_info: bool = False,
        standard: str | None = None,
        extra: Mapping[str, Sequence[str]] | None = None,
        relocatable: bool = False,
        name_expressions: Sequence[str] = (),
    ) -> None:
        put = object.__setattr__
        put(self, "defines", _defines({} if defines is None else defines))
        put(self, "include_paths", _include_paths(include_paths))
        put(self, "optimization", _optimization(optimization))
        put(self, "fast_math", _checks.boolean("fast_math", fast_math))
        put(self, "debug", _checks.boolean("debug", debug))
        put(self, "line_info", _checks.boolean("line_info", line_info))
        put(self, "standard", _standard(standard))
        put(self, "extra", _extra({} if extra is None else extra))
        put(self, "relocatable", _checks.boolean("relocatable", relocatable))
        put(self, "name_expressions", _name_expressions(name_expressions))

    def replace(self, **changes: Any) -> ProgramOptions:
        """Returns a copy with these options changed. Raises like the class.

        Example:
            >>> nexus.ProgramOptions().replace(debug=True)
            ProgramOptions(debug=True)
        """
        fields = {name: getattr(self, name) for name in OPTION_NAMES}
        return ProgramOptions(**(fields | changes))

    def flags(self, target: Device | str, language: str = "nexus") -> tuple[str, ...]:
        """Returns the exact flags for the compiler, without starting it.

        Args:
            target: a device or a str; see `Program.compile`.
            language: the program's language.

        Raises:
            NexusError: the target can't compile, does not support this language, or has no
                compiler.
            ValueError: the backend rejects an option or the target.
        """
        import json

        device, name, runtime = resolve_target(target)
        language = _checks.text("language", language, empty="name one, such as 'nexus'")
        told = _core.describe_compile(device, name, language, settings_of(self, runtime))
        return tuple(json.loads(told)["Flags"])

    def _repr_html_(self) -> str:
        from nexus import _html

        return _html.programoptions(self)

    def __repr__(self) -> str:
        changed = (
            f"{field.name}={getattr(self, field.name)!r}"
            for field in dataclasses.fields(self)
            if getattr(self, field.name) != field.default
        )
        return f"ProgramOptions({', '.join(changed)})"


ProgramOptions.__module__ = "nexus"

OPTION_NAMES = tuple(field.name for field in dataclasses.fields(ProgramOptions))


def check_names(fields: Iterable[str]) -> None:
    """Raises TypeError, suggesting a similar name, for a name that is not an option."""
    for name in fields:
        if name not in OPTION_NAMES:
            raise TypeError(
                f"'{name}' is not an option of a program{_checks.near(name, OPTION_NAMES)} "
                f"There are {', '.join(OPTION_NAMES)}."
            )


def check_options(options: object) -> ProgramOptions:
    """Returns the value of an `options` parameter; the defaults for None."""
    if options is None:
        return DEFAULT
    if not isinstance(options, ProgramOptions):
        raise _checks.wrong_type("options", "a nexus.ProgramOptions or None", options)
    return options


def resolve_target(target: object) -> tuple[Device | None, str, str]:
    """Returns the target's device or text, and its backend's name."""
    if isinstance(target, _core.Device):
        return target, "", target.runtime.name
    if not isinstance(target, str):
        raise _checks.wrong_type(
            "target", "a nexus.Device or a str such as 'cpu' or 'cuda:sm_90'", target
        )
    text = _checks.text("target", target, empty="name one, such as 'cpu' or 'cuda:sm_90'")
    from nexus import _discovery

    _discovery.discover()
    return None, text, text.partition(":")[0]


def settings_of(options: ProgramOptions, runtime: str) -> Settings:
    """Converts options to the extension's parameters for a backend."""
    for backend in options.extra:
        if backend != runtime:
            _check_backend(backend)
    bits = _FAST_MATH * options.fast_math | _DEBUG * options.debug
    bits |= _LINE_INFO * options.line_info | _RELOCATABLE * options.relocatable
    return (
        options.standard or "",
        bits,
        options.optimization,
        tuple(
            name if value is None else f"{name}={value}" for name, value in options.defines.items()
        ),
        options.include_paths,
        options.extra.get(runtime, ()),
        options.name_expressions,
    )


def _check_backend(name: str) -> None:
    """Raises ValueError for an unknown backend, since its flags would be silently ignored."""
    from nexus import _discovery

    _discovery.of_backend(name, lambda: _core.check_backend_name(name, "extra"))


def _defines(given: Any) -> FrozenMapping[str | None]:
    if not isinstance(given, Mapping):
        raise _checks.wrong_type("defines", "a mapping such as {'TILE': 16}", given)
    made: dict[str, str | None] = {}
    for name, value in given.items():
        if not isinstance(name, str):
            raise _checks.wrong_type("a name in defines", "a str", name)
        if not _NAME.fullmatch(name):
            raise _checks.wrong_value(
                "a name in defines", name, "it has to be letters, digits and _, no digit first"
            )
        made[name] = _define(f"defines[{name!r}]", value)
    return FrozenMapping(made)


def _define(parameter: str, value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, str):
        return _checks.text(parameter, value)
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise _checks.wrong_value(parameter, value, "C can't represent it")
        return float.__repr__(value)
    try:
        return str(_checks.integer(parameter, value))
    except TypeError:
        raise _checks.wrong_type(parameter, "a str, int, float, bool or None", value) from None


def _include_paths(given: Any) -> tuple[str, ...]:
    if isinstance(given, (str, bytes, os.PathLike)) or not isinstance(given, Sequence):
        raise _checks.wrong_type("include_paths", "a list or tuple of folders", given)
    return tuple(_checks.path(f"include_paths[{index}]", each) for index, each in enumerate(given))


def _name_expressions(given: Any) -> tuple[str, ...]:
    if isinstance(given, (str, bytes)) or not isinstance(given, Sequence):
        raise _checks.wrong_type("name_expressions", "a list or tuple of kernels' names", given)
    return tuple(
        _checks.text(f"name_expressions[{index}]", each, empty="name a kernel, or leave it out")
        for index, each in enumerate(given)
    )


def _optimization(given: Any) -> int:
    number = _checks.integer("optimization", given)
    if not 0 <= number <= 3:
        raise _checks.wrong_value("optimization", given, "it has to be from 0 to 3")
    return number


def _standard(given: Any) -> str | None:
    if given is None:
        return None
    if not isinstance(given, str):
        raise _checks.wrong_type("standard", "a str such as 'c11', or None", given)
    return _checks.text("standard", given, empty="name one, such as 'c11', or leave it out")


def _extra(given: Any) -> FrozenMapping[tuple[str, ...]]:
    if not isinstance(given, Mapping):
        raise _checks.wrong_type("extra", "a mapping such as {'cpu': ['-funroll-loops']}", given)
    made = {}
    for backend, flags in given.items():
        name = _checks.text("a backend's name in extra", backend, empty="name one, such as 'cpu'")
        parameter = f"extra[{backend!r}]"
        if isinstance(flags, (str, bytes)) or not isinstance(flags, Sequence):
            raise _checks.wrong_type(parameter, "a list or tuple of flags", flags)
        made[name] = tuple(
            _checks.text(f"{parameter}[{index}]", flag, empty="leave it out")
            for index, flag in enumerate(flags)
        )
    return FrozenMapping(made)


DEFAULT = ProgramOptions()

__all__ = ["FrozenMapping", "ProgramOptions"]
