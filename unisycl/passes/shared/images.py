"""Reads and writes of images as loads, stores and arithmetic, for targets without images.

Non-goals: the rules of addressing, filtering and conversion (``ir.imaging``). Invariant: a sampled
read touches memory of the image only, whatever the coordinate; offsets are computed in 32 bits
unless the image is wide.
"""

from __future__ import annotations

from collections.abc import Sequence

from unisycl.base.dataclass import replace
from unisycl.base.dtypes import FLOAT32, INT32, INT64, UINT32, DType
from unisycl.base.image_formats import PixelFormat
from unisycl.base.spans import Span
from unisycl.ir import imaging, visit
from unisycl.ir import nodes as n
from unisycl.ir.builtins import BUILTINS
from unisycl.ir.types import BOOL, WEAK_INT, ImageView, Scalar


def expand(kernel: n.Kernel, *, many: bool = True) -> n.Kernel:
    """Return the kernel without ``ImageRead`` and ``ImageWrite``; itself if it has none.

    ``many``: the target has ``LoadMany`` and ``StoreMany`` and wants pixels read and written so.
    """
    if not visit.contains(kernel.body, (n.ImageRead, n.ImageWrite)):
        return kernel
    return replace(kernel, body=_Expansion(many).block(kernel.body))


class _Expansion(visit.Rewriter):
    """Puts loads, stores and arithmetic where images are used."""

    def __init__(self, many: bool) -> None:
        self.many = many

    def statement(self, stmt: n.Stmt) -> n.Block:
        """Return what stands for a statement."""
        match stmt:
            case n.ImageRead():
                return _read(stmt, self.many)
            case n.ImageWrite():
                return _write(stmt, self.many)
        return (self.inside(stmt),)


def _read(stmt: n.ImageRead, many: bool) -> n.Block:
    code = _Code(stmt.image, stmt.layer, stmt.span, many)
    form, color = code.view.form, code.view.color.dtype
    at = [code.keep(x) for x in stmt.coordinates]
    if stmt.sampler is None:
        colors = imaging.read(code, form, code.words(form, at), color)
    else:
        colors = imaging.sample(code, form, stmt.sampler, at, code.extents(len(at)),
                                lambda taps: code.words(form, taps), color)
    for local, x in zip(stmt.results, colors, strict=True):
        code.emit(n.Assign(local, x, span=stmt.span))
    return tuple(code.block)


def _write(stmt: n.ImageWrite, many: bool) -> n.Block:
    code = _Code(stmt.image, stmt.layer, stmt.span, many)
    form, color = code.view.form, code.view.color.dtype
    at = [code.keep(x) for x in stmt.coordinates]
    words = imaging.encode(code, form, [code.keep(x) for x in stmt.values], color)
    code.store(code.place(form, at), tuple(code.cast(w, form.word) for w in words))
    return tuple(code.block)


class _Code:
    """``ir.imaging.Algebra`` of IR expressions; collects the statements of one access."""

    def __init__(self, image: n.Param, layer: n.Expr | None, span: Span | None,
                 many: bool) -> None:
        assert isinstance(image.type, ImageView)
        self.image = image
        self.many = many
        self.view = image.type
        self.span = span
        self.block: list[n.Stmt] = []
        self.layer = None if layer is None else self.keep(layer)

    def emit(self, stmt: n.Stmt) -> None:
        self.block.append(stmt)

    # ---- memory
    def extents(self, count: int) -> list[n.Expr]:
        """Return the extents of x, y, z as float32."""
        last = self.view.ndim - 1
        return [self.keep(n.Cast(Scalar(FLOAT32), n.Extent(WEAK_INT, self.image, last - k)))
                for k in range(count)]

    def place(self, form: PixelFormat, at: Sequence[n.Expr]) -> n.Place:
        """Return the first word of a pixel at int32 coordinates x, y, z."""
        wide = INT64 if self.view.wide else INT32
        places = [*at, self.layer] if self.layer is not None else list(at)
        last = self.view.ndim - 1
        offset: n.Expr | None = None
        for k, x in reversed(list(enumerate(places))):
            step = self.cast(x, wide)
            if k:
                pitch = n.Cast(Scalar(wide), n.Pitch(WEAK_INT, self.image, last - k))
                step = self.binary("mul", step, pitch)
            offset = step if offset is None else self.binary("add", offset, step)
        assert offset is not None
        words = self.keep(self.binary("mul", offset, self.const(form.words, wide)))
        zeros = (n.Const(WEAK_INT, 0),) * self.view.ndim
        inner = ((words, form.word.size),)  # a pixel lies at a multiple of a word's size
        return n.Place(self.image, zeros, Scalar(form.word), 0, inner, self.span)

    def words(self, form: PixelFormat, at: Sequence[n.Expr]) -> list[n.Expr]:
        """Load a pixel and return its words as uint32."""
        place = self.place(form, at)
        if not self.many or form.words == 1:
            return [self.keep(self.cast(n.Load(part.type, part), UINT32))
                    for part in _parts(place, form.words)]
        locals = tuple(n.Local("word", place.type) for _ in range(form.words))
        self.emit(n.LoadMany(locals, place, span=self.span))
        return [self.keep(self.cast(n.Read(x.type, x), UINT32)) for x in locals]

    def store(self, place: n.Place, values: tuple[n.Expr, ...]) -> None:
        """Store the words of a pixel."""
        if self.many and len(values) > 1:
            self.emit(n.StoreMany(place, values, span=self.span))
            return
        for part, value in zip(_parts(place, len(values)), values, strict=True):
            self.emit(n.Store(part, value, span=self.span))

    # ---- arithmetic
    def const(self, value: float, dtype: DType) -> n.Expr:
        return n.Const(Scalar(dtype), float(value) if dtype.is_float else int(value))

    def binary(self, op: str, a: n.Expr, b: n.Expr) -> n.Expr:
        return n.Binary(a.type, op, a, b)

    def compare(self, op: str, a: n.Expr, b: n.Expr) -> n.Expr:
        return n.Compare(BOOL, op, a, b)

    def select(self, cond: n.Expr, a: n.Expr, b: n.Expr) -> n.Expr:
        return n.Select(a.type, cond, a, b)

    def cast(self, x: n.Expr, dtype: DType) -> n.Expr:
        return x if x.type == Scalar(dtype) else n.Cast(Scalar(dtype), x)

    def bitcast(self, x: n.Expr, dtype: DType) -> n.Expr:
        return x if x.type == Scalar(dtype) else n.Bitcast(Scalar(dtype), x)

    def call(self, name: str, *args: n.Expr) -> n.Expr:
        return n.Call(args[0].type, BUILTINS[name], args)

    def keep(self, x: n.Expr) -> n.Expr:
        if isinstance(x, n.Const | n.Read):
            return x
        local = n.Local("p", x.type)
        self.emit(n.Assign(local, x, span=self.span))
        return n.Read(local.type, local)


def _parts(place: n.Place, count: int) -> list[n.Place]:
    return [replace(place, offset=place.offset + k * place.type.size) for k in range(count)]
