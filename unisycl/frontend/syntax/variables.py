"""What names of a frame denote, and what an assignment emits.

A number lives in a typed variable of the IR, a tuple or vec in one for each of its elements; a name
has one for each type it is given. Non-goals: how an expression is lowered, which definition of a
name a way of control flow brings (``flow``). Invariants: a definition has the type of its value,
whatever the name is given elsewhere; an object that two names may share is never changed in place,
because Python would change both and C++ one: such programs are refused.
"""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from unisycl.frontend import absorbed, coerce
from unisycl.frontend.syntax.flow import Definition, lost, owner, resolve, same, spread
from unisycl.frontend.syntax.unassigned import note_flag
from unisycl.frontend.values import functions, memories, stored_pointers
from unisycl.frontend.values.items import ITEM_KINDS
from unisycl.frontend.values.joins import (
    ChoiceForm,
    Form,
    FunctionForm,
    Met,
    ObjectForm,
    PlaceForm,
    ThingForm,
    TupleForm,
    VectorForm,
    form_of,
    meet,
    steps,
    with_steps,
)
from unisycl.frontend.values.kind import Frame, Lowering, Refused, Value
from unisycl.frontend.values.kinds import (
    Choice,
    Closure,
    Constant,
    Either,
    Instance,
    Item,
    Lost,
    Memory,
    Partial,
    Pending,
    Poison,
    Record,
    Several,
    Vector,
)
from unisycl.frontend.values.unsure import Unsure, plain
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import WEAK_INT, PointerType, Scalar, Struct, numbers


class Variables(Lowering):
    """The part of a ``Context`` that binds names."""

    known: dict[n.Local, n.Const]

    # ---- values that stay what they are
    def hold(self, x: n.Expr, name: str = "t") -> n.Expr:
        """Return an expression of the same value that later statements cannot change."""
        if is_stable(x):
            return x
        local = n.Local(name, plain(x).type)
        self.emit(n.Assign(local, plain(x)))
        return n.Read(x.type, local)

    def named(self, x: n.Expr) -> n.Local:
        """Return a variable of its own for a number."""
        local = n.Local("t", x.type)
        self.emit(n.Assign(local, x))
        return local

    def hold_value(self, value: Value) -> Value:
        """Return a value that later statements cannot change, whatever it is made of."""
        if isinstance(value, n.Expr):
            return self.hold(value)
        if isinstance(value, Vector):
            vector: Vector = self.loaded(value)
            return replace(vector, items=tuple(self.hold(x) for x in vector.items), exact=False)
        if isinstance(value, Instance):
            return replace(value, items=tuple(self.hold_value(v) for v in value.items),
                           exact=False)
        if isinstance(value, Several):
            return replace(value, items=tuple(self.hold_value(v) for v in value.items))
        if isinstance(value, Choice):
            return replace(value, which=self.hold(value.which))
        if isinstance(value, Closure | Either | Partial):
            return functions.held(self, value)
        if isinstance(value, Memory | Record) and steps(value):
            value = with_steps(value, tuple(self.hold(x) for x in steps(value)))
        return self.overwrites.named(value) if isinstance(value, Record) else value

    def once(self, x: n.Expr) -> n.Expr:
        """Return an expression of the same value that may be used several times."""
        if isinstance(x, n.Const | n.Read | n.ParamRead | n.Query):
            return x
        local = n.Local("t", plain(x).type)
        self.emit(n.Assign(local, x))
        return n.Read(local.type, local)

    def keep(self, value: Value, position: int) -> Value:
        """Save a value before the statements at ``position`` if they could change it."""
        if isinstance(value, n.Expr):
            return self.keep_number(value, position)
        if isinstance(value, Several):
            return Several(tuple(self.keep(v, position) for v in value.items), value.kind)
        if isinstance(value, Vector):
            kept = tuple(self.keep_number(x, position) for x in value.items)
            return replace(value, items=kept, exact=kept == value.items and value.exact)
        if isinstance(value, Choice):
            return replace(value, which=self.keep_number(value.which, position))
        if isinstance(value, Closure | Either | Partial):
            return functions.kept_before(self, value, position)
        if isinstance(value, Instance):
            parts = tuple(self.keep(v, position) for v in value.items)
            return replace(value, items=parts, exact=parts == value.items and value.exact)
        return value

    def keep_number(self, x: n.Expr, position: int) -> n.Expr:
        """Save a number before the statements at ``position`` if they could change it."""
        if is_stable(x):
            return x
        local = n.Local("t", plain(x).type)
        self.block.insert(position, n.Assign(local, plain(x)))
        return n.Read(x.type, local)

    def unknown(self, node: ast.AST) -> Refused:
        """Give up a statement that needs a value of which nothing is known.

        That was reported, or a later round knows it: no statement is left out in silence.
        """
        if self.refusals:
            return Refused()
        if "final" in self.facts:
            what = f"'{node.id}'" if isinstance(node, ast.Name) else "this"
            return self.refuse("K054", node, what=f"{what} may have no value here, and is no "
                               "number, which would be zero then",
                               help="assign it before the loop or branch")
        self.unsure = True
        return Refused()

    # ---- names
    def assign(self, name: str, value: Value, node: ast.AST) -> None:
        """Bind a name in the current frame, as ``name = value`` does."""
        frame = owner(self.frames[-1], name)
        if isinstance(value, n.Const) and name in frame.once and not self.loops:
            self.define(frame, name, value, node)
            return
        if name not in frame.once:
            value = self.as_number(value, node)
        bound = self.bind((frame.key, name), name, value, node, frame.names.get(name))
        self.define(frame, name, bound, node)
        if name in frame.once and isinstance(bound, n.Local) and not self.unrolled:
            self.derived[bound] = value

    def define(self, frame: Frame, name: str, bound: Value | n.Local, node: ast.AST) -> None:
        """Let a name stand for something from here on."""
        frame.names[name] = bound
        frame.seen[name] = form_of(bound)
        frame.definitions[name] = Definition(self.span(node))
        note_flag(self, frame, name)

    def as_number(self, value: Value, node: ast.AST) -> Value:
        """Return the integer a one-dimensional index is, also inside tuples; others as they are."""
        if isinstance(value, Several) and value.kind == "tuple":
            return Several(tuple(self.as_number(v, node) for v in value.items))
        is_index = isinstance(value, Item) and value.ndim == 1 and value.kind in ITEM_KINDS
        return self.to_scalar(value, node) if is_index else value

    def bind(self, key: Any, name: str, value: Value, node: ast.AST,
             old: Value | n.Local | None = None) -> Value | n.Local:
        """Return what a name denotes once it was given a value, emitting what that takes."""
        return self.adopt(key, name, form_of(value), value, node, old)

    def local(self, key: Any, name: str, type: Scalar) -> n.Local:
        """Return the variable of this type that a key has."""
        return self.locals.setdefault((key, type), n.Local(
            name, type.plain if isinstance(type, Unsure) else type))

    def adopt(self, key: Any, name: str, form: Form, value: Value | n.Local | None,
              node: ast.AST, old: Value | n.Local | None = None) -> Value | n.Local:
        """Give variables of a form a value; None: zero. Return what the name then stands for."""
        if isinstance(value, Pending):
            value = resolve(self, value, node)
        if isinstance(value, Poison):
            return value
        if isinstance(value, Lost):
            raise lost(self, value, node)
        if isinstance(form, Scalar):
            return self._adopt_number(key, name, form, value, node)
        if isinstance(old, Record) and isinstance(value, Record) and value.base in self.fresh \
                and (value.type, value.shape) == (old.type, old.shape) and self._is_own(key, old):
            self._move(old, value)  # nobody else has what is copied, so it may change places
            return old
        if isinstance(form, VectorForm):
            return self._adopt_vector(key, name, form, value, node)
        if isinstance(form, ObjectForm):
            return self._adopt_object(key, name, form, value, node, old)
        if isinstance(form, TupleForm):
            items: Any = (None,) * len(form.items)
            if value is not None:
                assert isinstance(value, Several)
                items = [self.hold_value(v) for v in value.items]
            return Several(tuple(self._part((*key, k), f"{name}.{k}", f, v, node)
                                 for k, (f, v) in enumerate(zip(form.items, items, strict=True))),
                           form.kind)
        if isinstance(form, PlaceForm):
            return self._adopt_place(key, name, form, value, node)
        if isinstance(form, ChoiceForm):
            return memories.kept(self, self.local((*key, "memory"), name, WEAK_INT), form.options,
                                 value, name)
        if isinstance(form, FunctionForm):
            return functions.kept(self, key, name, form.options, value, node)
        if isinstance(value, Closure | Either | Partial):
            return functions.held(self, value)  # it may be another name's, given something else
        if isinstance(value, Record):
            self.fresh.discard(value.base)
            value = self.overwrites.named(value)
        return Poison(missing=True) if value is None else value

    def bring(self, key: Any, name: str, form: Form, value: Value | n.Local | None,
              node: ast.AST) -> Value | n.Local:
        """Do as ``adopt`` where ways meet: nothing, if the value is in its variables already."""
        if isinstance(value, Several | Instance | Vector | Memory | Choice | Record | Either):
            there = same([value, self.variable(key, name, form, value)])
            if there is not None:
                return there
        return self.adopt(key, name, form, value, node)

    def _part(self, key: Any, name: str, form: Form, value: Value | None, node: ast.AST,
              old: Value | n.Local | None = None) -> Value:
        found = self.adopt(key, name, form, value, node, old)
        return n.Read(found.type, found) if isinstance(found, n.Local) else found

    def variable(self, key: Any, name: str, form: Form, like: Value | n.Local
                 ) -> Value | n.Local:
        """Return what a name stands for that the variables of a form hold; nothing is emitted."""
        with self.into():
            known: dict[n.Local, n.Const] = dict(self.known)
            try:
                if isinstance(form, PlaceForm):
                    assert isinstance(like, Memory | Record)
                    spots = [self.local((*key, "index", k), name, WEAK_INT)
                             for k in range(form.steps)]
                    return with_steps(like, tuple(n.Read(x.type, x) for x in spots))
                if isinstance(form, TupleForm | ObjectForm):
                    likes = like.items if isinstance(like, Several | Instance) else ()
                    names = form.names if isinstance(form, ObjectForm) else range(len(likes))
                    parts = tuple(self._variable_part((*key, f), name, part, v) for f, part, v in
                                  zip(names, form.items, likes, strict=True))
                    return Several(parts, form.kind) if isinstance(form, TupleForm) else Instance(
                        form.cls, form.names, parts, frozenset((key,)), name, exact=True)
                if isinstance(form, ThingForm):
                    return like
                if isinstance(form, ChoiceForm):
                    which = self.local((*key, "memory"), name, WEAK_INT)
                    return Choice(n.Read(WEAK_INT, which), form.options, name=name)
                if isinstance(form, FunctionForm):
                    return functions.named(self, key, name, form.options)
                return self.adopt(key, name, form, None, self.at or self.frames[-1].source.node)
            finally:
                self.known = known

    def _variable_part(self, key: Any, name: str, form: Form, like: Value) -> Value:
        found = self.variable(key, name, form, like)
        return n.Read(found.type, found) if isinstance(found, n.Local) else found

    def _adopt_vector(self, key: Any, name: str, form: VectorForm, value: Value | n.Local | None,
                      node: ast.AST) -> Vector:
        """Copy the elements of a vec to a variable's own."""
        spot = (*key, form.type)
        fields = form.type.fields
        targets = [self.local((*spot, k), f"{name}.{k}", f.type)  # type: ignore[arg-type]
                   for k, f in enumerate(fields)]
        if value is None:
            items: tuple[n.Expr, ...] = tuple(
                coerce.convert(coerce.weak_scalar(0), x.type) for x in targets)
        else:
            assert isinstance(value, Vector)
            items = self.loaded(value).items
            if any(isinstance(e, n.Read) and e.local in targets for x in items
                   for e in visit.walk(x)):
                items = tuple(self.hold(x) for x in items)
        for target, x in zip(targets, items, strict=True):
            self.emit(n.Assign(target, coerce.cast(x, target.type), span=self.span(node)))
        if value is not None:
            self.share(key, name, value)
        made = tuple(n.Read(x.type, x) for x in targets)
        return Vector(form.type, made, frozenset((key,)), name)

    def _adopt_object(self, key: Any, name: str, form: ObjectForm, value: Value | n.Local | None,
                      node: ast.AST, old: Value | n.Local | None) -> Instance:
        """Copy the fields of an object to a variable's own."""
        held: Any = (None,) * len(form.items)
        if value is not None:
            assert isinstance(value, Instance)
            held = [self.hold_value(v) for v in value.items]
        olds = old.items if isinstance(old, Instance) and old.cls is form.cls else (
            None,) * len(form.items)
        items = tuple(self._part((*key, f), f"{name}.{f}", part, v, node, o) for f, part, v, o in
                      zip(form.names, form.items, held, olds, strict=True))
        if value is not None:
            self.share(key, name, value)
        return Instance(form.cls, form.names, items, frozenset((key,)), name, exact=True)

    def hold_object(self, value: Instance, name: str, node: ast.AST) -> Instance:
        """Give an object variables of its own, as a name would."""
        key = (self.frames[-1].key, "object", self.span(node), *self.unrolled)
        found = self.bind(key, name, value, node)
        assert isinstance(found, Instance)
        return found

    def set_field(self, target: Instance, field: str, value: Value, node: ast.AST) -> None:
        """Do ``object.field = value`` for an object that a variable holds."""
        (key,) = target.homes
        new = self._part((*key, field), f"{target.name}.{field}", form_of(value), value, node,
                         target.field(field))
        if new == target.field(field):
            return
        k = target.names.index(field)
        changed = replace(target, items=(*target.items[:k], new, *target.items[k + 1:]))
        for frame in self.frames:
            for name, bound in frame.names.items():
                if isinstance(bound, Instance):
                    after = _exchanged(bound, key, changed)
                    if after is not bound:
                        frame.names[name] = after
                        frame.definitions[name] = Definition(self.span(node))

    def share(self, key: Any, name: str, value: Vector | Instance) -> None:
        """Note which variables an object may belong to once it was given to another one."""
        others = value.homes - {key}
        if not value.homes:
            self.shared.pop(key, None)
        for home in others:
            self.shared[home] = name
            self.shared[key] = value.name

    def _adopt_place(self, key: Any, name: str, form: PlaceForm, value: Value | n.Local | None,
                     node: ast.AST) -> Value:
        """Bind a row, span or record: its indices are kept as they are now, in locals."""
        spots = [self.local((*key, "index", k), name, WEAK_INT) for k in range(form.steps)]
        if value is None:  # which memory it is, is known all the same
            for spot in spots:
                self.emit(n.Assign(spot, coerce.weak_scalar(0), span=self.span(node)))
            return Poison(missing=True)
        assert isinstance(value, Memory | Record)
        if isinstance(value, Record):
            self.fresh.discard(value.base)
            record: Record = self.overwrites.named(value)
            value = record
        held = [self.hold(x) for x in steps(value)]
        for spot, x in zip(spots, held, strict=True):
            self.emit(n.Assign(spot, coerce.cast(x, WEAK_INT), span=self.span(node)))
        return with_steps(value, tuple(n.Read(x.type, x) for x in spots))

    def _is_own(self, key: Any, field: Record) -> bool:
        """Say whether a field's array is the work-item's, and its object has no other name."""
        return field.base in self.copies and len(key) > 2 and isinstance(key[-1], str) \
            and not any(key[:k] in self.shared for k in range(2, len(key)))

    def _move(self, target: Record, value: Record) -> None:
        """Write the numbers of one record to another."""
        size = value.type.size if isinstance(value.type, Struct) else value.type.dtype.size
        for k in range(math.prod(value.shape)):
            for kind, offset in numbers(value.type, k * size):
                source, place = (n.Place(r.base, r.index, kind, r.offset + offset, r.inner)
                                 for r in (value, target))
                self.emit(n.Store(place, n.Load(kind, source)))

    def _adopt_number(self, key: Any, name: str, form: Scalar, value: Value | n.Local | None,
                      node: ast.AST) -> Value | n.Local:
        """Give the variable of a key and type a number."""
        local = self.local(key, name, form)
        if isinstance(form, Unsure):
            self.need(form.plain, node)
        x: n.Expr
        if value is None:
            x = coerce.convert(coerce.weak_scalar(0), local.type)
        elif isinstance(form, PointerType):
            known = n.Read(value.type, value) if isinstance(value, n.Local) else value
            x = self.to_pointer(known, form, node)
        elif isinstance(value, n.Local):
            x = self.known.get(value, n.Read(value.type, value))
        else:
            x = plain(value if isinstance(value, n.Expr) else self.to_scalar(value, node))
        if value is not None:
            absorbed.note(self, local, form, x, key=key)
        try:
            x = coerce.cast(x, local.type)
        except coerce.DoesNotFit as problem:
            raise self.too_large(problem, node) from None
        if not (isinstance(x, n.Read) and x.local is local):
            self.emit(n.Assign(local, x, span=self.span(node)))
            self.known.pop(local, None)
            if isinstance(x, n.Const):
                self.known[local] = x
        return n.Read(form, local) if isinstance(form, Unsure) else local

    def meet(self, values: Sequence[Met]) -> Form | None:
        """Return the form of a variable that is given all of these values; None: none is."""
        values = list(spread(values))
        met = [n.Read(v.value.type, v.value) if isinstance(v.value, n.Local) else v.value
               for v in values]
        pointers = [v for v in met if isinstance(v, n.Expr) and isinstance(v.type, PointerType)]
        if pointers:
            kind = pointers[0].type
            assert isinstance(kind, PointerType)
            null = n.Const(kind, 0)
            fit = (stored_pointers.settle(self.one_kind(null, v)[1], kind) == kind for v in met)
            return kind if all(fit) else None
        options = memories.options(self, met)
        form = meet(values) if options is None else ChoiceForm(options)
        known = form is not None and not isinstance(form, ThingForm)
        among = None if known else functions.options(values)
        if among is not None:
            return FunctionForm(among)
        if form is None and all(isinstance(v, Memory | Constant) for v in met):
            for a, b in itertools.pairwise(met):
                found = stored_pointers.joined(self, *self.one_kind(a, b))
                if found is not None:
                    return found
        return form


def _exchanged(value: Value, key: Any, new: Instance) -> Value:
    """Return a value in which the object of a variable is another one."""
    if not isinstance(value, Instance):
        return value
    if value.homes == {key}:
        return new
    return replace(value, items=tuple(_exchanged(v, key, new) for v in value.items))


def local_homes(value: Value, gone: Callable[[Any], bool]) -> Value:
    """Return a value without those variables that may hold it which end here."""
    if isinstance(value, Several):
        return replace(value, items=tuple(local_homes(v, gone) for v in value.items))
    if isinstance(value, Instance):
        value = replace(value, items=tuple(local_homes(v, gone) for v in value.items))
    if isinstance(value, Vector | Instance):
        return replace(value, homes=frozenset(h for h in value.homes if not gone(h)))
    return value


def is_stable(x: n.Expr) -> bool:
    """Say whether no statement can change the value of an expression."""
    return not any(isinstance(e, n.Load | n.Read) for e in visit.walk(x))
