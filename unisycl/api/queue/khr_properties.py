"""Properties with values, and lists of them (sycl_khr_properties).

Non-goals: properties of other classes than ``queue``, as the extension has none so far. Invariant:
each means properties of the core, or nothing; a queue made with it has those.
"""

from __future__ import annotations

from typing import Any

from unisycl.api.properties import Property, flatten, property, property_list
from unisycl.base.errors import UsageError, errc
from unisycl.base.tracebacks import ends_at_call


class Switch(Property):
    """Base of properties that are on or off."""

    core: type[Property]

    @ends_at_call
    def __init__(self, value: bool = True) -> None:
        if not isinstance(value, bool):
            raise UsageError(errc.invalid, f"{type(self).__name__}: expected True or False, got "
                             f"{value!r}")
        super().__init__(value)

    def means(self) -> tuple[Property, ...]:
        """Return the property of the core that it stands for; nothing if it is off."""
        return (self.core(),) if self.value else ()


class in_order(Switch):
    """Each command of the queue runs after the one before it: ``khr.in_order(True)``."""

    applies_to = ("queue",)
    core = property.queue.in_order


class enable_profiling(Switch):
    """Events of the queue have times: ``khr.enable_profiling(True)``."""

    applies_to = ("queue",)
    core = property.queue.enable_profiling


@ends_at_call
class properties(property_list):
    """A list of properties, no two of one kind: ``khr.properties(khr.in_order())``."""

    __slots__ = ("given",)

    def __init__(self, *given: Any) -> None:
        for one in given:
            if not is_property(type(one)):
                raise UsageError(errc.invalid, "khr.properties: expected properties such as "
                                 f"khr.in_order(), got {one!r}")
        if len({type(one) for one in given}) < len(given):
            raise UsageError(errc.invalid, "khr.properties: give each kind of property once")
        self.given = given
        self.properties = flatten(given)

    def has_property(self, key: Any) -> bool:
        """Say whether the list has a property of this class."""
        return any(isinstance(one, key) for one in self.given)

    def get_property(self, key: Any) -> Any:
        """Return the property of this class; ``errc.invalid`` if there is none."""
        for one in self.given:
            if isinstance(one, key):
                return one
        raise UsageError(errc.invalid, f"these properties have no {key.__name__}; ask has_property "
                         "first")

    def __repr__(self) -> str:
        return f"properties({', '.join(map(repr, self.given))})"


empty_properties_t = properties
"""The type of a list without properties: Python's lists of any are of one class."""


def is_property(kind: Any) -> bool:
    """Say whether a class is a property of this extension."""
    return isinstance(kind, type) and issubclass(kind, Switch) and kind is not Switch


def is_property_key(kind: Any) -> bool:
    """Say whether a class can be asked for in a list: properties are their own keys."""
    return is_property(kind)


def is_property_key_compile_time(kind: Any) -> bool:
    """Say whether all values of a property are known while compiling: none are so far."""
    return False


def is_property_for(kind: Any, owner: Any) -> bool:
    """Say whether a property may be given to a class."""
    return is_property(kind) and getattr(owner, "_takes_properties_of", "") in kind.applies_to


def is_property_key_for(kind: Any, owner: Any) -> bool:
    """Say whether the property of a key may be given to a class."""
    return is_property_for(kind, owner)


def is_property_list_for(given: Any, owner: Any) -> bool:
    """Say whether all properties of a list may be given to a class."""
    return isinstance(given, properties) and all(
        is_property_for(type(one), owner) for one in given.given)
