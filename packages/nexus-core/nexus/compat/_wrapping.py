# SPDX-License-Identifier: Apache-2.0
"""Objects of the original, which hold objects of ours and forward their members."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import nexus
from nexus.property import Property

_Function = TypeVar("_Function", bound=Callable[..., Any])

CLASSES: dict[type, type[Any]] = {}
"""The original's class for each class of ours."""


class Objects(list[Any]):
    """A list of objects that also has size() and get()."""

    def size(self) -> int:
        """Returns the number of objects."""
        return len(self)

    def get(self, index: int) -> Any:
        """Returns the object at an index, from 0 on. Raises IndexError if there is none."""
        return nexus.ObjectList(self).get(index)


def wrap(value: Any) -> Any:
    """Returns the original's object for one of ours; lists and tuples of them too."""
    if type(value) in CLASSES:
        return CLASSES[type(value)](value)
    if isinstance(value, nexus.ObjectList):
        return Objects(map(wrap, value))
    if type(value) in (list, tuple):
        return type(value)(map(wrap, value))
    return value


def unwrap(value: Any) -> Any:
    """Returns our object for one of the original's; in lists, tuples and dicts too."""
    if isinstance(value, Wrapped):
        return value.plain
    if type(value) in (list, tuple, Objects):
        return (tuple if type(value) is tuple else list)(map(unwrap, value))
    if type(value) is dict:
        return {key: unwrap(each) for key, each in value.items()}
    return value


def forward(function: _Function) -> _Function:
    """Returns the function of ours for the original's objects."""

    @functools.wraps(function)
    def call(*args: Any, **named: Any) -> Any:
        return wrap(function(*unwrap(args), **unwrap(named)))

    return call  # type: ignore[return-value]


def or_empty(ours: type, find: Callable[[], Any]) -> Any:
    """Returns the result of find; if that fails, an empty object of the class ours."""
    try:
        return wrap(find())
    except nexus.NexusError as error:
        return CLASSES[ours](error)


def value_of(find: Callable[[], Any]) -> Value | None:
    """Returns the property that find returns; None if there is none."""
    try:
        return Value(find())
    except nexus.PropertyNotFoundError:
        return None


class Value(NamedTuple):
    """A property."""

    value: Any

    def get_value(self) -> Any:
        """Returns the value, of any type."""
        return self.value


class Wrapped:
    """An object of the original."""

    __slots__ = ("_object",)

    def __init__(self, ours: Any) -> None:
        self._object = ours

    @property
    def plain(self) -> Any:
        """The object of plain Nexus. Raises its error if the object is empty."""
        if isinstance(self._object, nexus.NexusError):  # an empty object
            raise self._object
        return self._object

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    def __bool__(self) -> bool:  # for a buffer too, although bool(ours) is its one element
        return not isinstance(self._object, nexus.NexusError)

    def __repr__(self) -> str:
        return repr(self._object)

    def get_property(self, key: Any) -> Value | None:
        """Returns a property; None if the object does not have it."""
        return value_of(lambda: self.plain.get_property(key))

    def get_property_keys(self) -> list[Any]:
        """Returns the keys of the object's properties, members of nexus.property."""
        keys = self.plain.get_property_keys()
        return [Property[key] for key in keys if key in Property.__members__]


_OWN = frozenset(
    {
        "__doc__",
        "__module__",
        "__new__",
        "__init__",
        "__reduce_ex__",
        "__release_buffer__",
        "__weakref__",
    }
)


def _member(name: str, ours: Any) -> Any:
    """Returns a member of a class of ours, for the original's objects."""
    if isinstance(ours, property):

        def get(self: Wrapped) -> Any:
            return wrap(getattr(self.plain, name))

        def put(self: Wrapped, value: Any) -> None:
            setattr(self.plain, name, unwrap(value))

        return property(get, put if ours.fset else None, doc=ours.__doc__)
    if isinstance(ours, staticmethod):
        return staticmethod(forward(ours.__func__))
    if not callable(ours):
        return ours

    @functools.wraps(ours)
    def call(self: Wrapped, *args: Any, **named: Any) -> Any:
        return wrap(getattr(self.plain, name)(*unwrap(args), **unwrap(named)))

    return call


def members_of(ours: type) -> Callable[[type], type]:
    """Adds the members of a class of ours that the decorated class does not have itself."""

    def complete(original: type) -> type:
        for name, member in vars(ours).items():
            private = name.startswith("_") and not name.startswith("__")
            if not (private or name in _OWN or name in vars(original) or name in vars(Wrapped)):
                setattr(original, name, _member(name, member))
        original.__module__ = "nexus.compat"
        original.__doc__ = ours.__doc__
        CLASSES[ours] = original
        return original

    return complete
