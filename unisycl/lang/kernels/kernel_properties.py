"""Properties of kernels: attributes as values (sycl_ext_oneapi_kernel_properties).

Non-goals: acting on them (``kernel`` has the attributes). Invariant: a property says exactly what
the attribute of SYCL 2020 §5.8.1 says that it corresponds to.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from unisycl.base.enums import aspect, data_placement_enum, group_memory
from unisycl.base.errors import UsageError, errc
from unisycl.base.forward_progress import Levels, ProgressRequest, required
from unisycl.base.tracebacks import ends_at_call


class KernelProperty:
    """Base of the properties of kernels; two of one class with equal values are equal."""

    __slots__ = ("value",)

    @ends_at_call
    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.value == getattr(other, "value", None)

    def __hash__(self) -> int:
        return hash((type(self), self.value))

    def __getitem__(self, dimension: int) -> int:
        return int(self.value[dimension])

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self.value!r}"


class Trait(KernelProperty):
    """Base of properties that are passed on to compilers and launches by ``name``."""

    __slots__ = ()
    name = ""

    def checked(self) -> tuple[str | int, ...]:
        """Return what the property says, for a kernel; ``errc.invalid`` if it makes no sense."""
        return tuple(self.value)


class work_group_size(KernelProperty):
    """The only work-group size the kernel may be launched with: ``work_group_size(8, 8)``."""

    @ends_at_call
    def __init__(self, *sizes: int) -> None:
        super().__init__(sizes_of("work_group_size", sizes))


class work_group_size_hint(KernelProperty):
    """The work-group size the kernel is written for."""

    @ends_at_call
    def __init__(self, *sizes: int) -> None:
        super().__init__(sizes_of("work_group_size_hint", sizes))


class sub_group_size(KernelProperty):
    """The sub-group size the kernel needs."""

    @ends_at_call
    def __init__(self, size: int) -> None:
        super().__init__(sizes_of("sub_group_size", (size,)))


class device_has(KernelProperty):
    """The aspects the kernel may use, and its device must have."""

    @ends_at_call
    def __init__(self, *aspects: aspect) -> None:
        given: tuple[object, ...] = aspects
        for one in given:
            if not isinstance(one, aspect):
                raise UsageError(errc.invalid, f"device_has: expected aspects, got {one!r}")
        super().__init__(aspects)


class free_function(KernelProperty):
    """The kernel is a plain function for one kind of launch.

    Its parameters are its arguments only; ``this_work_item`` tells the index
    (sycl_ext_oneapi_free_function_kernels). ``kernel`` has what makes it.
    """

    __slots__ = ()

    @ends_at_call
    def __init__(self, launch: tuple[str, int]) -> None:
        if launch[1] not in (1, 2, 3):
            raise UsageError(errc.invalid, f"nd_range_kernel: dimensions are 1, 2 or 3, not "
                             f"{launch[1]!r}")
        super().__init__(launch)


class properties:
    """A list of properties of a kernel, given to its launch before the reductions and the kernel.

    Args:
        given: ``work_group_size(...)``, ``sub_group_size(...)``, ``device_has(...)``,
            ``work_group_progress(...)`` and so on, each kind once.

    Example::

        q.parallel_for(nd_range(64, 8), properties(work_group_size(8)), kernel)
    """

    __slots__ = ("properties",)

    @ends_at_call
    def __init__(self, *given: Any) -> None:
        self.properties = tuple(given)
        attributes_of([p for p in given if not isinstance(p, _OF_GROUPS)])

    def has_property(self, kind: type) -> bool:
        """Say whether a property of this class was given."""
        return any(isinstance(p, kind) for p in self.properties)

    def get_property(self, kind: type) -> Any:
        """Return the property of this class; ``errc.invalid`` if there is none."""
        for p in self.properties:
            if isinstance(p, kind):
                return p
        raise UsageError(errc.invalid, f"these properties have no {kind.__name__}; ask "
                         "has_property first")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, properties) and set(self.properties) == set(other.properties)

    def __hash__(self) -> int:
        return hash(frozenset(self.properties))

    def __repr__(self) -> str:
        return f"properties({', '.join(map(repr, self.properties))})"


_OF_GROUPS = (data_placement_enum, group_memory)
"""Properties of loads and stores of groups: in a list of these, and refused of kernels."""
Traits = tuple[tuple[str, tuple[str | int, ...]], ...]
"""What ``Trait`` properties say, by name, in the order of the names."""


class Attributes(NamedTuple):
    """What properties ask for, as the attributes they stand for; empty where they do not say."""

    required: tuple[int, ...] = ()
    hint: tuple[int, ...] = ()
    sub_group: int = 0
    has: tuple[aspect, ...] | None = None
    progress: Levels | tuple[()] = ()
    free: tuple[()] | tuple[str, int] = ()
    traits: Traits = ()


def attributes_of(given: Any) -> Attributes:
    """Return what one property, a list of them or ``properties`` ask for."""
    found: dict[str, Any] = {}
    requests: list[ProgressRequest] = []
    traits: Traits = ()
    for one in _flat(given):
        if isinstance(one, ProgressRequest):
            requests.append(one)
            continue
        if isinstance(one, Trait):
            traits = joined("properties", traits, ((one.name, one.checked()),))
            continue
        name = "free" if isinstance(one, free_function) else _FIELDS.get(type(one))
        if name is None:
            raise UsageError(errc.invalid, "expected properties of kernels, such as "
                             f"work_group_size(64), got {one!r}")
        if found.get(name, one.value) != one.value:
            raise UsageError(errc.invalid, f"properties: {type(one).__name__} is given twice, as "
                             f"{found[name]} and as {one.value}")
        found[name] = one.value
    if "sub_group" in found:
        found["sub_group"] = found["sub_group"][0]
    return Attributes(**found, progress=required(requests) if requests else (), traits=traits)


def joined(what: str, one: Traits, other: Traits) -> Traits:
    """Return what two lists of traits say; ``errc.invalid`` where they contradict each other."""
    if not (one and other):
        return one or other
    found = dict(one)
    for name, value in other:
        if found.setdefault(name, value) != value:
            raise UsageError(errc.invalid, f"{what}: {name} is given twice, as {found[name]} and "
                             f"as {value}; say it once")
    return tuple(sorted(found.items()))


_FIELDS: dict[type, str] = {work_group_size: "required", work_group_size_hint: "hint",
                            sub_group_size: "sub_group", device_has: "has"}


def _flat(given: Any) -> Iterator[Any]:
    listed = getattr(given, "properties", given)
    yield from listed if isinstance(listed, list | tuple) else (listed,)


def sizes_of(what: str, value: Any) -> tuple[int, ...]:
    """Return 1 to 3 positive sizes; ``errc.invalid`` for anything else."""
    sizes = (value,) if isinstance(value, int) else tuple(value)
    if len(sizes) > 3 or any(not isinstance(s, int) or s < 1 for s in sizes):
        raise UsageError(errc.invalid, f"kernel: {what} must be 1 to 3 positive ints, "
                         f"got {value!r}")
    return sizes
