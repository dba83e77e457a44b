"""libdnnl by its C interface: descriptors, attributes, errors.

Non-goals: primitives (``libdnnl``). Invariants: the library is loaded by its absolute path, from an
installed package; an object of the library is destroyed with ours.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from unisycl.oneapi.dnn import names
from unisycl.oneapi.dnn.attributes import primitive_attr
from unisycl.oneapi.dnn.descriptors import desc, format_kind, of_library
from unisycl.oneapi.dnn.layouts import Layout
from unisycl.oneapi.dnn.names import data_type, error, scratchpad_mode, status
from unisycl.oneapi.frame.library import Library, of_wheel

Pointer = ctypes.c_void_p
Dims = ctypes.c_int64 * 12
_WHEELS = ("onednn", "onednn-cpu-gomp", "onednn-cpu-iomp", "onednn-cpu-tbb")
"""The last one that is installed is taken: those for processors alone call in less time."""
_OF_SYCL = 512
"""What the library calls a processor that it reaches through SYCL's runtime."""
_NEEDED = (("tbb", "libtbb.so.12"), ("intel-cmplr-lib-rt", "libintlc.so.5"),
           ("intel-cmplr-lib-rt", "libirc.so"), ("intel-cmplr-lib-rt", "libimf.so"),
           ("intel-cmplr-lib-rt", "libsvml.so"), ("intel-sycl-rt", "libsycl.so.9"))
"""What the wheel of all devices is linked with: by wheel and file, in this order."""
_ANY, _UNKNOWN_TAG = 1, 0
_NDIMS, _DIMS, _TYPE, _OFFSET, _PADDED, _KIND, _BLOCKS, _SIZES, _PLACES = (
    256, 257, 258, 259, 260, 262, 263, 264, 265)
_STRIDES = 14
_BLOCKED = 2
_DOT_PRODUCTS = 0x48
"""The bits of an instruction set with AVX-VNNI's or AVX-512 VNNI's products of bytes."""
"""What ``dnnl_memory_desc_query`` is asked for, and the kind of format whose parts are known."""


class Native:
    """An object of the library, which is destroyed with this one."""

    __slots__ = ("_destroy", "at")

    def __init__(self, at: Any, destroy: Any) -> None:
        self.at, self._destroy = at, destroy

    def __del__(self) -> None:
        self._destroy(self.at)


class Described(Native):
    """A descriptor of memory of the library's, equal to those of the same layout."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Described) and bool(
            dnnl().call("memory_desc_equal", self.at, other.at))

    def __hash__(self) -> int:
        return 0


class Dnnl:
    """The functions of the library."""

    def __init__(self, path: Path) -> None:
        self._library = Library(path, "dnnl_{}")
        self.path = path
        found = self._library.find("version", [], ctypes.POINTER(_Version))().contents
        self.version = f"{found.major}.{found.minor}.{found.patch}"
        self.waits = found.runtime == _OF_SYCL
        """Whether an execution has ended only when its stream has been waited for."""
        made = ctypes.c_void_p()
        with _driver() if self.waits else contextlib.nullcontext():
            self.check("engine", self.call("engine_create", ctypes.byref(made), 1,
                                           ctypes.c_size_t(0)))
        self.engine = made
        self._destroy_md = self.function("memory_desc_destroy", [Pointer])
        isa = self.call("get_effective_cpu_isa")
        self.sums_bytes = not isa or bool(isa & _DOT_PRODUCTS)
        """Whether products of bytes are added in 32 bits; else two are first, in 16."""

    def function(self, name: str, arguments: list[Any] | None, result: Any = ctypes.c_int) -> Any:
        """Return a function by its name without the prefix."""
        found = self._library.find(name, arguments, result)
        if found is None:
            raise names.unimplemented(f"oneDNN {getattr(self, 'version', '')} has no dnnl_{name}")
        return found

    def call(self, name: str, *args: Any) -> int:
        """Call a function whose arguments are ctypes' or small whole numbers."""
        return int(self.function(name, None)(*args))

    def check(self, what: str, found: int) -> None:
        """Raise what a status says."""
        if found:
            why = status(found) if found in list(status) else status.runtime_error
            raise error(f"{what}: oneDNN {why.name}", why)

    def attribute(self, what: str, found: int) -> None:
        """Leave to others what the library does not have among its attributes."""
        if found:
            raise names.unimplemented(f"oneDNN {self.version} refuses {what}")

    # ------------------------------------------------------------------ descriptors
    def described(self, given: desc | None) -> Any:
        """Return a descriptor of the library's; None of nothing."""
        if given is None or given.is_zero():
            return None
        if given.native() is not None:
            return given.native()
        made = ctypes.c_void_p()
        n, dims, kind = len(given.dims), Dims(*given.dims), int(given.get_data_type())
        if given.get_format_kind() is format_kind.any:
            found = self.call("memory_desc_create_with_tag", ctypes.byref(made), n, dims, kind,
                              _ANY)
        elif given.layout().is_plain():
            found = self.call("memory_desc_create_with_strides", ctypes.byref(made), n, dims, kind,
                              Dims(*given.layout().strides))
        else:
            number = self._tag(given)
            found = self.call("memory_desc_create_with_tag", ctypes.byref(made), n, dims, kind,
                              number)
        if found in (status.unimplemented, status.invalid_arguments):
            raise names.unimplemented(f"oneDNN {self.version} has no such layout as {given!r}")
        self.check(repr(given), found)
        return Described(made, self._destroy_md)

    def _tag(self, given: desc) -> int:
        tag = given.format()
        number = _tags().get(tag.canonical, 0) if tag is not None else 0
        if not number or given.layout().offset:
            raise names.unimplemented(f"oneDNN has no name for the layout of {given!r}")
        return number

    def description(self, at: Any) -> desc:
        """Return a descriptor of ours for one of the library's, which is copied if it is needed."""
        if not at:
            return desc()
        n = self._number(at, _NDIMS)
        if n == 0:
            return desc()
        dims = self._list(at, _DIMS)[:n]
        kind = data_type(self._number(at, _TYPE))
        size = int(self.function("memory_desc_get_size", [Pointer], ctypes.c_size_t)(at))
        layout = self._layout(at, dims) if self._number(at, _KIND) == _BLOCKED else None
        if layout is not None and layout.extent() * names.numpy_type(kind).itemsize != size:
            layout = None  # something else lies there, too, of which only the library knows
        copied = ctypes.c_void_p()
        self.check("memory.desc", self.call("memory_desc_clone", ctypes.byref(copied),
                                            ctypes.c_void_p(_address(at))))
        return of_library(dims, kind, layout, Described(copied, self._destroy_md), size)

    def _layout(self, at: Any, dims: tuple[int, ...]) -> Layout:
        count = self._number(at, _BLOCKS)
        blocks = tuple(zip(self._list(at, _PLACES)[:count], self._list(at, _SIZES)[:count],
                           strict=True)) if count else ()
        return Layout(dims, self._list(at, _PADDED)[:len(dims)],
                      self._list(at, _STRIDES)[:len(dims)], blocks, 0)

    def _query(self, at: Any, what: int, result: Any) -> None:
        self.check("memory.desc", self.call("memory_desc_query", ctypes.c_void_p(_address(at)),
                                            what, ctypes.byref(result)))

    def _number(self, at: Any, what: int) -> int:
        found = ctypes.c_int()
        self._query(at, what, found)
        return found.value

    def _list(self, at: Any, what: int) -> tuple[int, ...]:
        found = ctypes.POINTER(ctypes.c_int64)()
        self._query(at, what, found)
        return tuple(found[k] for k in range(12))

    # ------------------------------------------------------------------ attributes
    def attributes(self, attr: primitive_attr) -> Native:
        """Return attributes of the library's."""
        made = ctypes.c_void_p()
        self.check("attr", self.call("primitive_attr_create", ctypes.byref(made)))
        found = Native(made, self.function("primitive_attr_destroy", [Pointer]))
        for number, mask in attr.scales.items():
            self.attribute("scales", self.call("primitive_attr_set_scales_mask", made, number,
                                               mask))
        for number, mask in attr.zero_points.items():
            self.attribute("zero points", self.call("primitive_attr_set_zero_points_mask", made,
                                                    number, mask))
        # the library's own is of the thread that made the primitive, not of that which executes it
        self.check("attr", self.call("primitive_attr_set_scratchpad_mode", made,
                                     int(scratchpad_mode.user)))
        self.check("attr", self.call("primitive_attr_set_fpmath_mode", made,
                                     int(attr.get_fpmath_mode())))
        if attr.ops:
            self._post_ops(made, attr)
        self._recurrent(made, attr)
        return found

    def _post_ops(self, made: Any, attr: primitive_attr) -> None:
        ops = ctypes.c_void_p()
        self.check("post-ops", self.call("post_ops_create", ctypes.byref(ops)))
        kept = Native(ops, self.function("post_ops_destroy", [Pointer]))
        for o in attr.ops:
            other = self.described(o.src1)
            if o.kind == "sum":
                found = self.call("post_ops_append_sum", ops, ctypes.c_float(o.scale),
                                  o.zero_point, int(o.type))
            elif o.kind == "eltwise":
                found = self.call("post_ops_append_eltwise", ops, int(o.algorithm),
                                  ctypes.c_float(o.alpha), ctypes.c_float(o.beta))
            elif o.kind == "binary":
                found = self.call("post_ops_append_binary", ops, int(o.algorithm), other.at)
            else:
                found = self.call("post_ops_append_prelu", ops, o.mask)
            self.attribute(f"post-op {o.kind}", found)
        self.check("post-ops", self.call("primitive_attr_set_post_ops", made, kept.at))

    def _recurrent(self, made: Any, attr: primitive_attr) -> None:
        for what, said in attr.rnn.items():
            if what == "data":
                found = self.call("primitive_attr_set_rnn_data_qparams", made,
                                  ctypes.c_float(said[0]), ctypes.c_float(said[1]))
            else:
                numbers = (ctypes.c_float * len(said[1]))(*said[1])
                found = self.call(f"primitive_attr_set_rnn_{what}_qparams", made,
                                  ctypes.c_int64(len(said[1])), said[0], numbers)
            self.attribute(f"rnn {what}", found)


class _Version(ctypes.Structure):
    _fields_ = (("major", ctypes.c_int), ("minor", ctypes.c_int), ("patch", ctypes.c_int),
                ("hash", ctypes.c_char_p), ("runtime", ctypes.c_uint))


def _address(at: Any) -> int:
    return int((at.value or 0) if isinstance(at, ctypes.c_void_p) else at)


@functools.cache
def _tags() -> dict[str, int]:
    """Return the library's numbers of tags by their names."""
    text = dnnl().function("fmt_tag2str", [ctypes.c_int], ctypes.c_char_p)
    found: dict[str, int] = {}
    unknown = text(_UNKNOWN_TAG)
    for number in range(2, 2000):
        name = text(number)
        if name in (unknown, b"unknown fmt_tag", b"format_tag_last"):
            break
        found.setdefault(name.decode(), number)
    return found


def _paths() -> list[Path]:
    return [p for wheel in _WHEELS for p in of_wheel(wheel, "libdnnl.so") if p.exists()]


def _libraries(wheel: str, name: str) -> list[Path]:
    """Return libraries of a wheel, without what debuggers have beside them."""
    return [p for p in of_wheel(wheel, name) if p.suffix not in (".py", ".pyc")]


@contextlib.contextmanager
def _driver() -> Iterator[None]:
    """Let SYCL's runtime find the driver of processors that a wheel has, which no system knows."""
    name, files = "OCL_ICD_FILENAMES", [
        p.parent / "libintelocl.so" for p in _libraries(*_NEEDED[-1])]
    if name in os.environ or not files or not files[0].exists():
        yield
        return
    os.environ[name] = str(files[0])
    try:
        yield
    finally:
        del os.environ[name]


def _load_needed() -> None:
    """Load what the wheel of all devices is linked with, from wheels that know nothing of it."""
    for wheel, file in _NEEDED:
        for path in _libraries(wheel, file)[:1]:
            ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)


@functools.cache
def dnnl() -> Dnnl:
    """Return the library; raises ``OSError`` where it is not installed."""
    found = _paths()
    if not found:
        raise OSError("no package with libdnnl is installed")
    if of_wheel(_WHEELS[0], "libdnnl.so") == found:
        _load_needed()
    return Dnnl(found[-1])
