"""Functions in a device's own language that kernels call, with a Python body for other devices.

Non-goals: compiling the text (backends), calls in kernels (``frontend.forms.foreign_functions``).
Invariants: types are those of the text, and annotations say the same; a call of the Python body
converts as a call of the text's function does.
"""

from __future__ import annotations

import dis
import functools
import inspect
import os
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from unisycl.base.annotations import signature_of
from unisycl.base.enums import EXTERN_LANGUAGES, address_space, backend
from unisycl.base.errors import UnsupportedError, UsageError, errc
from unisycl.base.tracebacks import ends_at_call
from unisycl.ir.foreign_functions import ForeignFunction, ForeignParameter
from unisycl.ir.types import Scalar, Struct, element_type
from unisycl.lang.kernels.c_prototype import Declared, prototype
from unisycl.lang.memory.pointer import multi_ptr, named_space, pointer_type
from unisycl.lang.memory.stored_pointers import pointer_class
from unisycl.lang.numbers.convert import convert
from unisycl.lang.numbers.elements import elements_type

_EMPTY = frozenset(("RESUME", "NOP", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST"))
_GENERIC = address_space.generic_space


class extern_function:
    """A function written in a device's own language; kernels call it like one of Python's.

    On the host, as on devices that do not compile that language, its Python body runs; without one
    a call raises ``errc.feature_not_supported``.
    """

    def __init__(self, stub: FunctionType, signature: ForeignFunction) -> None:
        functools.update_wrapper(self, stub)
        self.signature = signature
        self.body = None if _is_empty(stub) else stub

    def __call__(self, *args: Any, **named: Any) -> Any:
        if self.body is None:
            raise UnsupportedError(errc.feature_not_supported, f"'{self.signature.name}' is a "
                                   f"function in {self.signature.language}, called on the host; "
                                   "give it a Python body that says the same")
        bound = signature_of(self.body).bind(*args, **named)
        for p in self.signature.parameters:
            bound.arguments[p.name] = _given(p, bound.arguments[p.name])
        result, kind = self.body(*bound.args, **bound.kwargs), self.signature.result
        return convert(result, kind.dtype.numpy) if isinstance(kind, Scalar) else result

    def __repr__(self) -> str:
        return f"<function '{self.signature.name}' in {self.signature.language}>"


def _given(parameter: ForeignParameter, value: Any) -> Any:
    """Return an argument converted to the parameter's type."""
    if parameter.space is not None:
        return value if value is None or isinstance(value, multi_ptr) else multi_ptr(value)
    kind = parameter.type
    return convert(value, kind.dtype.numpy) if isinstance(kind, Scalar) else value


def declared(source: str | os.PathLike[str], language: str, suffix: str, target: backend,
             ) -> Callable[[Callable[..., Any]], extern_function]:
    """Return a decorator that makes functions of a text those of Python's that it is put on.

    Args:
        source: the text, or the path of a file with it.
        language: what the text is written in; suffix: that of names of its files.
        target: the backend whose devices compile it.
    """
    path, text = _text(source, language)

    @ends_at_call
    def make(stub: Callable[..., Any]) -> extern_function:
        if not isinstance(stub, FunctionType):
            raise UsageError(errc.invalid, f"extern: expected a function, got "
                             f"{type(stub).__name__}")
        name = stub.__name__
        label = f"{name}{suffix}" if path is None else path.name
        head = prototype(text, name)
        names = list(signature_of(stub).parameters)
        if len(names) != len(head.parameters):
            raise UsageError(errc.invalid, f"'{name}' has {len(head.parameters)} parameter(s) in "
                             f"{language} and {len(names)} in Python")
        hints = _hints(stub)
        parameters = tuple(_parameter(name, own, found, hints.get(own), language)
                           for own, found in zip(names, head.parameters, strict=True))
        result = _result(name, head.result, hints.get("return"), language)
        return extern_function(stub, ForeignFunction(name, text, label, language, target,
                                                     parameters, result))
    return make


@ends_at_call
def extern(source: str | os.PathLike[str], target: backend,
           ) -> Callable[[Callable[..., Any]], extern_function]:
    """Let kernels call functions written in the language of a backend's devices; a decorator.

    The function it is put on has the name of one in the text, and its body is what runs elsewhere.
    With ``...`` for a body it is refused there (``errc.kernel_not_supported`` for kernels).

    Args:
        source: the text, or the path of a file of it. All of it is compiled with each kernel that
            calls one of its functions, before the kernel.
        target: the backend whose devices compile it.

    Raises ``errc.invalid`` where the text has no such function, where its parameters are not those
    of the Python function, or where a type is not known; ``errc.feature_not_supported`` for a
    backend without such a language.
    """
    if target not in EXTERN_LANGUAGES:
        known = ", ".join(f"backend.{b.name}" for b in EXTERN_LANGUAGES)
        raise UsageError(errc.feature_not_supported, f"extern: functions are compiled by devices "
                         f"of {known}, not of {target!r}")
    return declared(source, *EXTERN_LANGUAGES[target], target)


def _text(source: Any, language: str) -> tuple[Path | None, str]:
    """Return the path of a text if it is in a file, and the text."""
    if isinstance(source, str):
        return None, source
    if not isinstance(source, os.PathLike):
        raise UsageError(errc.invalid, f"extern: expected {language} in a str, or the path of a "
                         f"file of it, got {type(source).__name__}; write '@extern(text)' above "
                         "a Python function of the same name and parameters")
    path = Path(source)
    try:
        return path, path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as err:
        raise UsageError(errc.invalid, f"extern: '{path}' cannot be read: {err}") from err


def _is_empty(stub: FunctionType) -> bool:
    """Say whether a function does nothing: ``...`` and the like."""
    return all(i.opname in _EMPTY and ("CONST" not in i.opname or i.argval is None)
               for i in dis.get_instructions(stub))


def _hints(stub: FunctionType) -> dict[str, Any]:
    """Return the annotations; none if one of them is a name of type checkers only, say."""
    try:
        return inspect.get_annotations(stub, eval_str=True)
    except (AttributeError, NameError, SyntaxError, TypeError):
        return {}


def _parameter(function: str, name: str, found: Declared, hint: Any, language: str,
               ) -> ForeignParameter:
    """Return a parameter by the text and, if there is one, the annotation."""
    what = f"'{function}': parameter '{name}' is '{found.spelt}' in {language}"
    kind, space = _meant(hint)
    if _differs(found, kind, space):
        raise UsageError(errc.invalid, f"{what}, and {_spelt(hint)} in Python")
    if found.opaque:
        raise UsageError(errc.invalid, f"{what}, of which kernels in Python have no values; pass "
                         "numbers, vectors or pointers to memory")
    if found.pointer and found.space is address_space.constant_space:
        raise UsageError(errc.invalid, f"{what}; kernels have their constant memory in the global "
                         "address space: declare the parameter '__global const'")
    known = found.type or kind
    if known is None and not (found.void and found.pointer):
        raise UsageError(errc.invalid, f"{what}, which says nothing of it to Python; annotate it "
                         "with a type of NumPy's or SYCL's, such as np.int32 or "
                         "sycl.global_ptr[np.float32]")
    return ForeignParameter(name, known, found.spelt, found.space if found.pointer else None,
                            found.const)


def _differs(found: Declared, kind: Scalar | Struct | None, space: address_space | None) -> bool:
    """Say whether an annotation contradicts the text; one of a global pointer is that of any."""
    if kind is None and space is None:
        return False
    if found.pointer is (space is None):
        return True
    if kind is not None and found.type is not None and kind != found.type:
        return True
    if space is None or _GENERIC in (space, found.space):
        return False
    return named_space(found.space) is not named_space(space)


def _result(function: str, found: Declared, hint: Any, language: str) -> Scalar | Struct | None:
    what = f"'{function}' returns '{found.spelt}' in {language}"
    if found.pointer:
        raise UsageError(errc.invalid, f"{what}; kernels take numbers and vectors only: return an "
                         "index")
    kind, space = _meant(hint)
    if space is not None or (kind is not None and (found.void or kind != (found.type or kind))):
        raise UsageError(errc.invalid, f"{what}, and {_spelt(hint)} in Python")
    if found.void:
        return None
    known = found.type or kind
    if known is None:
        raise UsageError(errc.invalid, f"{what}, which says nothing of it to Python; annotate "
                         "what it returns with a type of NumPy's or SYCL's, such as np.float32")
    return known


def _meant(hint: Any) -> tuple[Scalar | Struct | None, address_space | None]:
    """Return the type an annotation means, and the space if it is that of a pointer."""
    if isinstance(hint, pointer_class):
        return element_type(hint.element()), address_space.global_space
    if isinstance(hint, pointer_type):
        return None, hint.address_space
    if isinstance(hint, elements_type):
        return element_type(hint.dtype), None
    if isinstance(hint, type) and issubclass(hint, np.generic):
        return element_type(np.dtype(hint)), None
    return None, None


def _spelt(hint: Any) -> str:
    """Return an annotation as it is written."""
    module = getattr(hint, "__module__", "")
    name = getattr(hint, "__name__", None)
    return f"np.{name}" if module == "numpy" and name else repr(hint)
