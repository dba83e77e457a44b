"""What ``vec`` and ``marray`` share: elements of one type, and operators element by element.

A value is a NumPy scalar (``numpy.void``) of a structured type, so arrays of them are ordinary
NumPy arrays. Non-goals: swizzles, constructors (``vec``, ``marray``). Invariants: a value keeps its
element type, and an operand that this type cannot hold is refused, never truncated.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from unisycl.base.dtypes import find_dtype, promote
from unisycl.base.errors import UsageError, errc
from unisycl.lang.index.environment import here
from unisycl.lang.index.item import item
from unisycl.lang.numbers import short_floats
from unisycl.lang.numbers.convert import convert
from unisycl.lang.numbers.written import EXACT, copying

Lanes = np.ndarray[tuple[int], np.dtype[Any]]
Operation = Callable[[Any, Any], Any]

SIGNED = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}
_NUMBERS = (bool, int, float, complex, np.number, np.bool_)
MOST = 1024


def quotient(a: Any, b: Any) -> Any:
    """Return ``a / b``: integers divide as in C++, towards zero (SYCL 2020 §4.14.2.1)."""
    if a.dtype.kind not in "iu":
        return np.divide(a, b)
    down = np.floor_divide(a, b)
    inexact = (np.remainder(a, b) != 0) & ((a < 0) != (b < 0))
    return (down + inexact).astype(a.dtype)


ARITHMETIC: dict[str, tuple[str, Operation]] = {
    "add": ("+", np.add), "sub": ("-", np.subtract), "mul": ("*", np.multiply),
    "truediv": ("/", quotient), "floordiv": ("//", np.floor_divide), "mod": ("%", np.remainder),
    "pow": ("**", np.power), "and": ("&", np.bitwise_and), "or": ("|", np.bitwise_or),
    "xor": ("^", np.bitwise_xor), "lshift": ("<<", np.left_shift), "rshift": (">>", np.right_shift),
}
COMPARISONS: dict[str, tuple[str, Operation]] = {
    "eq": ("==", np.equal), "ne": ("!=", np.not_equal), "lt": ("<", np.less),
    "le": ("<=", np.less_equal), "gt": (">", np.greater), "ge": (">=", np.greater_equal),
}
INTEGER_ONLY = frozenset(("%", "&", "|", "^", "<<", ">>", "~"))
_LOGICAL = frozenset(("&", "|", "^", "~"))
_UFUNCS: dict[Any, str] = {
    **{fn: f"__{name}__" for name, (_, fn) in {**ARITHMETIC, **COMPARISONS}.items()},
    np.divide: "__truediv__", np.negative: "__neg__", np.positive: "__pos__",
    np.invert: "__invert__", np.absolute: "__abs__",
}


def _swapped(name: str) -> str:
    """Return the operator that gives the same with its operands the other way round."""
    turned = {"__lt__": "__gt__", "__le__": "__ge__", "__gt__": "__lt__", "__ge__": "__le__"}
    return turned.get(name) or (name if name in ("__eq__", "__ne__") else f"__r{name[2:]}")


_SWAPPED: dict[Any, str] = {
    fn: _swapped(name) for fn, name in _UFUNCS.items()
    if fn not in (np.negative, np.positive, np.invert, np.absolute)}


def allows(symbol: str, dtype: np.dtype[Any]) -> bool:
    """Say whether an operator exists for an element type (SYCL 2020 §4.14.2.1)."""
    if dtype.kind == "b":
        return symbol in _LOGICAL
    return dtype.kind in "iu" or symbol not in INTEGER_ONLY


class elements_type(type):
    """The class of ``vec``, ``marray`` and concrete types such as ``float4``.

    ``element`` is the type of an element, ``count`` how many there are, ``dtype`` the layout in
    memory; ``kind`` is vec or marray. ``value`` is the class of the values, ``room`` how many
    elements would fill one, padding included. ``copied`` copies a value, perhaps from an offset in
    a record; ``build`` makes one of
    numbers, one for each element, or gives None; ``quicken`` gives a type such quick functions.
    """

    element: np.dtype[Any]
    count: int
    room: int
    dtype: np.dtype[Any]
    kind: str
    value: Any
    copied: Callable[..., Any]
    build: Callable[..., Any] | None = None
    quicken: Callable[[], None] | None = None

    def __call__(cls, *parts: Any) -> Any:
        """Return a concrete type if this is ``vec`` or ``marray`` itself, else a value."""
        build = cls.build
        if build is None and cls.quicken is not None and here.inside:
            cls.quicken()
            build = cls.build
        if build is not None:
            found = build(parts)
            if found is not None:
                return found
        if hasattr(cls, "count"):
            return cls._of(flat(cls, parts))
        if len(parts) != 2:
            raise UsageError(errc.invalid, f"{cls.kind} takes an element type and a number of "
                             f"elements: {cls.kind}(np.float32, 4)")
        return made(cls.kind, *parts)

    @property
    def quickly(cls) -> Callable[..., Any]:
        """A function that makes values as the type does when it is called, in less time."""
        def make(*parts: Any) -> Any:
            build = cls.build
            found = None if build is None else build(parts)
            return cls(*parts) if found is None else found
        return make

    def __getitem__(cls, parts: Any) -> Any:
        return cls(*parts) if isinstance(parts, tuple) else cls(parts)

    def __instancecheck__(cls, instance: object) -> bool:
        own = getattr(instance, "_type", None)
        return isinstance(own, elements_type) and issubclass(own, cls)

    def __repr__(cls) -> str:
        return f"<class 'unisycl.{cls.__name__}'>"

    def _of(cls, lanes: Any) -> Any:
        """Return the value with these elements, already of the element type."""
        whole = np.zeros(cls.room, cls.element)
        whole[:cls.count] = lanes
        return np.frombuffer(bytearray(whole.tobytes()), cls.dtype)[0]

    def _result(cls, lanes: Any) -> Any:
        """Return a value of this kind and size with elements of whatever type they are."""
        return cls._like(lanes.dtype)._of(lanes)

    def _like(cls, dtype: npt.DTypeLike) -> elements_type:
        """Return the type of this kind and size with another element type."""
        kind = np.dtype(dtype)
        return cls if kind == cls.element else made(cls.kind, kind, cls.count)

    def _test(cls, lanes: Any) -> Any:
        """Return what a comparison gives: -1 and 0 in integers of equal width, or bools."""
        if cls.kind == "marray":
            return cls._result(lanes)
        return cls._result(-lanes.astype(SIGNED[cls.element.itemsize]))


_MAKERS: dict[str, Callable[[np.dtype[Any], int], elements_type]] = {}


def maker(kind: str, make: Callable[[np.dtype[Any], int], elements_type]) -> None:
    """Register what makes the types of a kind; called once by each."""
    _MAKERS[kind] = make


def made(kind: str, dtype: np.dtype[Any], count: int) -> elements_type:
    """Return the type of a kind, always the same object."""
    return _MAKERS[kind](dtype, count)


def _find(kind: str, dtype: str, count: int, value: bool) -> Any:
    found = made(kind, np.dtype(dtype), count)
    return found.value if value else found


def _reduce_type(cls: Any) -> Any:
    """Return how a type is pickled."""
    if not hasattr(cls, "count"):
        return cls.__qualname__
    return _find, (cls.kind, cls.element.name, cls.count, False)


def _reduce_value(cls: Any) -> Any:
    own = cls._type
    return _find, (own.kind, own.element.name, own.count, True)


copyreg.pickle(elements_type, _reduce_type)


class _value_type(type):
    """The class of the classes of values; lets NumPy's types that name them be pickled."""


copyreg.pickle(_value_type, _reduce_value)


def silent(fn: Callable[..., Any], *operands: Any) -> Any:
    """Return a function of operands without NumPy's warnings, which a kernel has off anyway."""
    if here.inside:
        return fn(*operands)
    with np.errstate(all="ignore"):
        return fn(*operands)


class Operators:
    """Operators element by element, in terms of ``_type``, ``_get`` and ``_put``."""

    __slots__ = ()
    _type: elements_type
    __hash__ = None  # type: ignore[assignment]  # elements can change; tuple(v) can be a key

    def _get(self) -> Lanes:
        """Return a copy of the elements."""
        raise NotImplementedError

    def _look(self) -> Lanes:
        """Return the elements, to be read at once."""
        return self._get()

    def _put(self, places: Sequence[int], lanes: Any) -> None:
        """Overwrite some elements."""
        raise NotImplementedError

    # ---- operands
    def _operand(self, other: Any, symbol: str) -> Any:
        """Return the other operand's elements in this element type; None if it is no operand."""
        own = self._type
        if isinstance(other, Operators):
            if other._type is own:
                return other._get()
            if other._type.count != 1 or own.count == 1:
                raise UsageError(errc.invalid, f"'{symbol}' is not defined for {own.__name__} and "
                                 f"{other._type.__name__}; convert one of them first")
            other = other._get()[0]
        if isinstance(other, item):
            other = other.__index__()
        if not _is_number(other):
            return None
        return fitting(other, own, symbol)

    def _binary(self, other: Any, symbol: str, fn: Operation, *, swap: bool = False) -> Any:
        theirs = self._operand(other, symbol)
        if theirs is None:
            return NotImplemented
        own = self._type
        if not allows(symbol, own.element):
            needs = "bits" if own.element.kind == "b" else "integers"
            raise UsageError(errc.invalid, f"'{symbol}' is not defined for {own.__name__}; it "
                             f"needs {needs}")
        mine = self._get()
        theirs = np.broadcast_to(theirs, mine.shape)
        return own._of(silent(fn, theirs, mine) if swap else silent(fn, mine, theirs))

    def _compare(self, other: Any, symbol: str, fn: Operation) -> Any:
        theirs = self._operand(other, symbol)
        if theirs is None:
            return NotImplemented
        return self._type._test(fn(self._get(), theirs))

    # ---- unary
    def _unary(self, symbol: str, fn: Callable[[Any], Any]) -> Any:
        own = self._type
        if (symbol == "~" and own.element.kind == "f") or (symbol == "-"
                                                           and own.element.kind == "b"):
            raise UsageError(errc.invalid, f"'{symbol}' is not defined for {own.__name__}")
        return own._of(silent(fn, self._get()))

    def __neg__(self) -> Any:
        return self._unary("-", np.negative)

    def __pos__(self) -> Any:
        return self._unary("+", np.copy)

    def __invert__(self) -> Any:
        return self._unary("~", np.invert)

    def __abs__(self) -> Any:
        return self._unary("abs", np.abs)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if len(inputs) == 2 and inputs[1] is self and method == "__call__" and not options:
            # A NumPy number before a vector: what most kernels have.
            name = _SWAPPED.get(ufunc)
            if name is not None and inputs[0].__class__ is self._type.element.type:
                return getattr(self, name)(inputs[0])
        inputs = tuple(x[()] if isinstance(x, np.ndarray) and not x.ndim else x for x in inputs)
        if method != "__call__" or options or any(isinstance(x, np.ndarray) for x in inputs):
            return NotImplemented
        name = _UFUNCS.get(ufunc)
        if name is not None:
            return self._as_operator(name, inputs)
        own = self._type
        lanes = []
        for x in inputs:
            found = self._operand(x, ufunc.__name__)
            if found is None:
                return NotImplemented
            lanes.append(found)
        result = silent(ufunc, *lanes)
        return own._test(result) if result.dtype.kind == "b" else own._result(result)

    def _as_operator(self, name: str, inputs: tuple[Any, ...]) -> Any:
        first, *rest = inputs
        if isinstance(first, Operators):
            return getattr(first, name)(*rest)
        return getattr(rest[0], _swapped(name))(first)

    # ---- as a sequence and as a number
    def __len__(self) -> int:
        return self._type.count

    def __iter__(self) -> Iterator[Any]:
        return iter(self._get())

    def _index(self, index: Any) -> int:
        count = self._type.count
        try:
            k = index.__index__()
        except AttributeError:
            raise UsageError(errc.invalid, f"{self._type.__name__} is indexed by an integer, not "
                             f"by {type(index).__name__}") from None
        if not 0 <= k < count:
            raise UsageError(errc.invalid, f"element {k} of a {self._type.__name__} does not "
                             f"exist: it has {count}, counted from 0")
        return int(k)

    def _one(self, what: str) -> Any:
        if self._type.count != 1:
            raise TypeError(f"a {self._type.__name__} is no {what}; take one of its elements")
        return self._get()[0]

    def __bool__(self) -> bool:
        if self._type.count != 1:
            raise TypeError(f"the truth of a {self._type.__name__} is ambiguous; ask "
                            "unisycl.any() or unisycl.all() of it")
        return bool(self._get()[0])

    def __int__(self) -> int:
        return int(self._one("number"))

    def __float__(self) -> float:
        return float(self._one("number"))

    def __index__(self) -> int:
        result: int = self._one("integer").__index__()
        return result

    def __repr__(self) -> str:
        return f"{self._type.__name__}({', '.join(map(str, self._get()))})"

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        shown = ", ".join(format(x, spec) for x in self._get())
        return f"{self._type.__name__}({shown})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._type, self._get().tobytes())

    def __copy__(self) -> Any:
        return self._type._of(self._get())

    def __deepcopy__(self, memo: Any) -> Any:
        return self._type._of(self._get())


def _restore(own: elements_type, data: bytes) -> Any:
    return own._of(np.frombuffer(data, own.element))


def fitting(number: Any, own: elements_type, symbol: str) -> Any:
    """Return a number as an operand of elements; refused if their type cannot hold its type."""
    element = own.element
    if isinstance(number, np.generic):
        shared, own_row = find_dtype(number.dtype), find_dtype(element)
        holds = shared is not None and own_row is not None and promote(own_row, shared) is own_row
    else:
        rank = {"b": 0, "i": 1, "u": 1, "f": 2, "V": 2, "c": 3}
        holds = rank[element.kind] >= (0 if isinstance(number, bool) else 1
                                       if isinstance(number, int) else 2
                                       if isinstance(number, float) else 3)
    if not holds:
        name = number.dtype if isinstance(number, np.generic) else f"Python {type(number).__name__}"
        raise UsageError(errc.invalid, f"'{symbol}' is not defined for {own.__name__} and {name}; "
                         f"convert the number first: {element.type.__name__}(...)")
    return element_of(number, own)


def _is_number(value: Any) -> bool:
    return isinstance(value, _NUMBERS) or (
        isinstance(value, np.generic) and short_floats.is_short(value.dtype))


def element_of(number: Any, own: elements_type) -> Any:
    """Return a number converted to an element; a Python integer must fit, as in NumPy."""
    if isinstance(number, item):
        number = number.__index__()
    if number.__class__ in (float, int) and own.element.kind == "f" and own.element.itemsize > 2 \
            and -EXACT <= number <= EXACT:
        return own.element.type(number)
    if not _is_number(number):
        raise UsageError(errc.invalid, f"{own.__name__} is made of numbers and vectors, not of "
                         f"{type(number).__name__}")
    if own.element.kind in "iu" and type(number) is int:
        info = np.iinfo(own.element)
        if not info.min <= number <= info.max:
            raise UsageError(errc.invalid, f"the Python integer {number} does not fit in "
                             f"{own.element}")
    return convert(number, own.element)


def flat(own: elements_type, parts: tuple[Any, ...]) -> Any:
    """Return the elements that the arguments of a constructor make up."""
    if len(parts) == 1 and isinstance(parts[0], tuple | list | np.ndarray):
        parts = tuple(parts[0])
    if not parts:
        return 0
    if len(parts) == 1 and not isinstance(parts[0], Operators):
        return element_of(parts[0], own)
    lanes: list[Any] = []
    for part in parts:
        if part.__class__ is own.element.type:
            lanes.append(part)
        elif not isinstance(part, Operators):
            lanes.append(element_of(part, own))
        elif (part._type.kind, part._type.element) != (own.kind, own.element):
            raise UsageError(errc.invalid, f"{own.__name__} cannot take a {part._type.__name__}: "
                             f"convert it first, .convert({own.element.type.__name__})")
        else:
            lanes.extend(part._get())
    if len(lanes) != own.count and len(lanes) != 1:
        raise UsageError(errc.invalid, f"{own.__name__} has {own.count} elements; {len(lanes)} "
                         "given")
    return lanes


def _install() -> None:
    """Give ``Operators`` its methods from the tables."""
    def binary(symbol: str, fn: Operation, *, swap: bool) -> Callable[[Any, Any], Any]:
        return lambda self, other: self._binary(other, symbol, fn, swap=swap)

    def compare(symbol: str, fn: Operation) -> Callable[[Any, Any], Any]:
        return lambda self, other: self._compare(other, symbol, fn)
    for name, (symbol, fn) in ARITHMETIC.items():
        setattr(Operators, f"__{name}__", binary(symbol, fn, swap=False))
        setattr(Operators, f"__r{name}__", binary(symbol, fn, swap=True))
    for name, (symbol, fn) in COMPARISONS.items():
        setattr(Operators, f"__{name}__", compare(symbol, fn))


_install()


def elementwise(fn: Callable[..., Any], name: str, operands: Sequence[Any]) -> Any:
    """Return a function of numbers applied to elements; numbers go to each (SYCL 2020 §4.17).

    Results of several values, such as those of sincos, become as many vectors.
    """
    own = next(x for x in operands if isinstance(x, Operators))._type
    columns = []
    for x in operands:
        if isinstance(x, Operators) and (x._type.kind, x._type.count) != (own.kind, own.count):
            raise UsageError(errc.invalid, f"{name} is not defined for {own.__name__} and "
                             f"{x._type.__name__}: give it vectors of one size")
        columns.append(list(x) if isinstance(x, Operators) else [x] * own.count)
    results = [fn(*row) for row in zip(*columns, strict=True)]
    if isinstance(results[0], tuple):
        return tuple(_assembled(own, part) for part in zip(*results, strict=True))
    return _assembled(own, results)


def _assembled(own: elements_type, results: Sequence[Any]) -> Any:
    lanes = np.array(results)
    return own._test(lanes) if lanes.dtype.kind == "b" else own._result(lanes)


class Count(int):
    """An int that gives itself when it is called: SYCL has a method where NumPy has a number."""

    def __call__(self) -> int:
        return int(self)


class Elements(Operators, np.void):  # type: ignore[misc]  # final for type checkers only
    """A value: elements of one type that lie in memory as an array of its type has them."""

    __slots__ = ()

    def _get(self) -> Lanes:
        own = self._type
        return np.frombuffer(self, own.element, own.count).copy()

    def _look(self) -> Lanes:
        """Return the elements in place, for reading only, as long as the value is not changed."""
        own = self._type
        return np.frombuffer(self, own.element, own.count)

    def _put(self, places: Sequence[int], lanes: Any) -> None:
        names, count = self._type.dtype.names or (), self._type.count
        if here.watch is not None:
            here.watch.elements(self, [k for k in places if k < count], writes=True)
        for k, x in zip(places, np.broadcast_to(lanes, len(places)), strict=True):
            if k < count:  # three count as four: what is beyond them is nowhere
                np.void.__setitem__(self, names[k], x)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, str):
            return np.void.__getitem__(self, index)
        return self._look()[self._index(index)]

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, str):
            np.void.__setitem__(self, index, value)
        else:
            self._put((self._index(index),), element_of(value, self._type))

    size = property(lambda self: Count(self._type.count))
    get_count = size

    def byte_size(self) -> int:
        """Return the bytes a value takes in memory, padding included."""
        return self._type.dtype.itemsize

    get_size = byte_size


def layout(element: np.dtype[Any], names: Sequence[str], size: int) -> np.dtype[Any]:
    """Return the structured type of elements side by side, padded to ``size`` bytes."""
    width = element.itemsize
    return np.dtype({"names": list(names), "formats": [element] * len(names),
                     "offsets": [k * width for k in range(len(names))], "itemsize": size})


def new_type(base: Any, name: str, element: np.dtype[Any], plain: np.dtype[Any], count: int,
             values: Any) -> Any:
    """Return a concrete type and make the class of its values.

    Args:
        base: the public class it derives from.
        name: what messages call it.
        element: the type of an element.
        plain: the layout.
        count: the number of elements.
        values: the class its values derive from.
    """
    space = {"__slots__": (), "__module__": base.__module__}
    value: Any = _value_type(name, (values,), dict(space))
    own = type.__new__(type(base), name, (base,), {
        **space, "__doc__": f"{count} elements of type {element} (SYCL 2020 §4.14).",
        "element": element, "count": count, "value": value, "kind": base.kind,
        "room": plain.itemsize // element.itemsize, "dtype": np.dtype((value, plain))})
    value._type = own
    own.copied = copying(own.dtype)
    return own


def checked(kind: str, dtype: npt.DTypeLike) -> np.dtype[Any]:
    """Return an element type; ``errc.invalid`` if kernels have no such scalar."""
    row = find_dtype(dtype)
    if row is None:
        raise UsageError(errc.invalid, f"{kind}: kernels have no scalar type {np.dtype(dtype)}")
    if row.kind == "c" and kind == "vec":
        raise UsageError(errc.invalid, f"{kind}: elements are bool, integers or floats, not {row}; "
                         "use an marray of it")
    return row.numpy
