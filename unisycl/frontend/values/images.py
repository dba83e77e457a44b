"""Image accessors in kernels: read, write, size (SYCL 2020 §4.7.6.13, §4.7.6.14).

SYCL 1.2's forms are here, too: ``acc[x, y]``, ``acc(sampler)[coordinate]``, and ``acc[i]`` of an
array of images (§3.6.4.5). Non-goals: what a read computes (``ir.imaging``). Invariants: each rule
here is that of ``lang.memory.image``; coordinates reach the IR as int32 or float32, x first.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from unisycl.base.dataclass import dataclass, replace
from unisycl.base.dtypes import FLOAT32, INT32
from unisycl.base.errors import UsageError
from unisycl.base.image_formats import image_sampler
from unisycl.frontend import coerce
from unisycl.frontend.parameters import match
from unisycl.frontend.values import vectors
from unisycl.frontend.values.absent import Nothing
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.kind import Kind, Lowering, Target, Value, describe
from unisycl.frontend.values.memory import Memory
from unisycl.frontend.values.methods import Method
from unisycl.frontend.values.tuples import Several
from unisycl.frontend.values.vectors import Vector
from unisycl.ir import nodes as n
from unisycl.ir.types import WEAK_INT, ImageView, Scalar
from unisycl.lang.memory.image import check_sampler
from unisycl.lang.numbers.elements import elements_type
from unisycl.lang.numbers.vec import vec_of

IMAGE_METHODS = frozenset(("read", "write", "size", "get_range"))


@dataclass(frozen=True, slots=True)
class Image(Kind):
    """An image accessor; ``sampler`` is its own or, as SYCL 1.2 has it, one it was called with.

    ``layer`` is the image of an array that was selected; ``index`` what is given of a pixel's
    coordinates so far, x first.
    """

    param: n.Param
    view: ImageView
    name: str = ""
    sampler: image_sampler | None = None
    layer: n.Expr | None = None
    index: tuple[n.Expr, ...] = ()

    @property
    def ndim(self) -> int:
        """How many coordinates a pixel has."""
        return self.view.ndim - self.view.layered

    def describe(self) -> str:
        return f"a {self.view}"

    def subscript(self, ctx: Lowering, node: ast.Subscript) -> Value:
        found = indexed(ctx, self, node)  # the colour, or what is left where more indices follow
        return read(ctx, found, found.index, node) if _is_pixel(found) else found

    def target(self, ctx: Lowering, node: ast.Subscript | ast.Attribute, *, read: bool) -> Target:
        if isinstance(node, ast.Subscript):
            return Pixel(indexed(ctx, self, node))
        return Kind.target(self, ctx, node, read=read)

    def named(self, ctx: Lowering, name: str, node: ast.AST) -> Value | None:
        return Method(self, name) if name in IMAGE_METHODS else None

    def names(self) -> Iterable[str]:
        return IMAGE_METHODS

    def call(self, ctx: Lowering, args: list[Value], keywords: dict[str, Value],
             node: ast.AST) -> Value:
        return call(ctx, self, args, node)

    def call_method(self, ctx: Lowering, name: str, args: list[Value], keywords: dict[str, Value],
                    node: ast.AST) -> Value:
        return call_method(ctx, self, name, args, keywords, node)


@dataclass(frozen=True, slots=True)
class Pixel(Target):
    """A pixel that is written."""

    of: Image

    def read(self, ctx: Lowering, node: ast.AST) -> Value:
        return read(ctx, self.of, self.of.index, node)

    def write(self, ctx: Lowering, value: Value, node: ast.AST, origin: ast.AST) -> None:
        assign(ctx, self.of, value, node)


# ---- methods
def call_method(ctx: Lowering, image: Image, name: str, args: Sequence[Value],
                keywords: dict[str, Value], node: ast.AST) -> Value:
    """Return a call of a method of an image accessor."""
    what = f"{image.name}.{name}"
    if name == "read":
        given = match(ctx, node, what, args, keywords, ("coordinates",))
        return read(ctx, image, parts(ctx, given["coordinates"], node), node)
    if name == "write":
        given = match(ctx, node, what, args, keywords, ("coordinates", "color"))
        return write(ctx, image, parts(ctx, given["coordinates"], node), given["color"], node)
    match(ctx, node, what, args, keywords, ())
    if name == "size":
        index = () if image.layer is None else (image.layer,)
        return Memory(image.param, image.view, index).size(ctx)
    last = image.view.ndim - 1
    count = image.ndim if image.layer is not None else image.view.ndim
    return Several(tuple(n.Extent(WEAK_INT, image.param, last - k) for k in range(count)), "range")


def color_of(image: Image) -> elements_type:
    """Return the vec type of an image's colours."""
    return vec_of(image.view.color.dtype.numpy, 4)


def read(ctx: Lowering, image: Image, where: Sequence[n.Expr], node: ast.AST) -> Value:
    """Return the colour at a coordinate."""
    if not image.view.mode.reads:
        raise ctx.refuse("K058", node, name=image.name)
    at = _coordinates(ctx, image, where, node)
    _need(ctx, image)
    results = tuple(n.Local(c, image.view.color) for c in ("red", "green", "blue", "alpha"))
    ctx.emit(n.ImageRead(results, image.param, at, image.sampler, image.layer,
                         span=ctx.span(node)))
    return vectors.of(color_of(image), [n.Read(x.type, x) for x in results])


def write(ctx: Lowering, image: Image, where: Sequence[n.Expr], color: Value,
          node: ast.AST) -> Value:
    """Store a colour at a pixel."""
    if not image.view.mode.writes:
        raise ctx.refuse("K039", node, name=image.name)
    at = _coordinates(ctx, image, where, node)
    own = color_of(image)
    if not isinstance(color, Vector) or vectors.type_of(color) is not own:
        raise ctx.refuse("K112", node, name=image.name, expected=own.__name__,
                         found=describe(color))
    _need(ctx, image)
    ctx.emit(n.ImageWrite(image.param, at, color.loaded(ctx).items, image.layer,
                          span=ctx.span(node)))
    return Nothing()


def _need(ctx: Lowering, image: Image) -> None:
    ctx.needs.aspects.add("image")
    ctx.need(image.view.color)


def _coordinates(ctx: Lowering, image: Image, where: Sequence[n.Expr],
                 node: ast.AST) -> tuple[n.Expr, ...]:
    """Return x, y, z in the type that the image is addressed by."""
    if image.view.layered and image.layer is None:
        raise ctx.refuse("K113", node, name=image.name, what="it is an array of images",
                         help="select one first: images[i]")
    count = image.ndim
    if len(where) != count and not (count == 3 and len(where) == 4):
        raise ctx.refuse("K111", node, name=image.name, expected=count, found=len(where))
    sampled = image.sampler is not None
    kind = Scalar(FLOAT32 if sampled else INT32)
    for x in where[:count]:
        fits = x.type.dtype.kind == "f" and (x.type.weak or x.type.dtype.bits <= 32) \
            if sampled else x.type.dtype.kind in "iu"
        if not fits:
            raise ctx.refuse(
                "K110", node, name=image.name, expected=kind.dtype, found=x.type,
                help="convert it first: np.float32(...), or make a float2 or float4" if sampled
                else "convert it first: np.int32(...); only a sampled_image takes floats")
    return tuple(ctx.once(coerce.cast(x, kind)) for x in where[:count])


def parts(ctx: Lowering, where: Value, node: ast.AST) -> list[n.Expr]:
    """Return the components of a coordinate: of a vec, an id, an item or a tuple, or a number."""
    return ctx.of(where).components(ctx, node)


# ---- SYCL 1.2
def assign(ctx: Lowering, pixel: Image, color: Value, node: ast.AST) -> None:
    """Do ``acc[coordinate] = color``."""
    if pixel.sampler is not None:
        raise ctx.refuse("K039", node, name=pixel.name)
    write(ctx, pixel, pixel.index, color, node)


def indexed(ctx: Lowering, image: Image, node: ast.Subscript) -> Image:
    """Add a subscript's indices: the image of an array first, then x, y, z."""
    nodes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    new = [x for value, part in zip(ctx.operands(*nodes), nodes, strict=True)
           for x in parts(ctx, value, part)]
    if image.view.layered and image.layer is None:
        layer, *new = new
        if layer.type.dtype.kind not in "iu":
            raise ctx.refuse("K038", node, found=layer.type)
        image = replace(image, layer=ctx.once(coerce.cast(layer, Scalar(INT32))))
    return replace(image, index=(*image.index, *map(ctx.once, new)))


def _is_pixel(image: Image) -> bool:
    return len(image.index) >= image.ndim


def call(ctx: Lowering, image: Image, args: Sequence[Value], node: ast.AST) -> Value:
    """Return ``acc(sampler)``: the image as seen through a sampler."""
    sampler = args[0].object if len(args) == 1 and isinstance(args[0], Constant) else None
    if not isinstance(sampler, image_sampler):
        raise ctx.refuse("K034", node, what=f"'{image.name}'", expected="an image_sampler",
                         found=len(args))
    try:
        check_sampler(sampler, image.view.form)
    except UsageError as error:
        what, _, help = error.what().partition(" [")[0].partition("; ")
        raise ctx.refuse("K113", node, name=image.name, what=what, help=help) from None
    return replace(image, sampler=sampler)
