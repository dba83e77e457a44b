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
from collections.abc import Sequence
from typing import Any

from unisycl.base.dataclass import replace
from unisycl.base.spans import Span
from unisycl.frontend import absorbed, coerce
from unisycl.frontend.syntax.flow import Definition, lost, owner, resolve, spread
from unisycl.frontend.syntax.unassigned import note_flag
from unisycl.frontend.values import captured_objects, choices, functions, lists, stored_pointers
from unisycl.frontend.values.absent import Lost, Pending, Poison
from unisycl.frontend.values.choices import ChoiceForm
from unisycl.frontend.values.constants import Constant
from unisycl.frontend.values.functions import FunctionForm
from unisycl.frontend.values.instances import Instance
from unisycl.frontend.values.joins import adopted_part, form_of, meet, same
from unisycl.frontend.values.kind import (
    Form,
    Frame,
    Kind,
    Lowering,
    Met,
    Refused,
    ThingForm,
    Value,
    VariableForm,
)
from unisycl.frontend.values.memory import Memory
from unisycl.frontend.values.tuples import Several
from unisycl.frontend.values.unsure import Unsure, plain
from unisycl.frontend.values.vectors import Vector
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import PointerType, Scalar


class Variables(Lowering):
    """The part of a ``Context`` that binds names."""

    known: dict[n.Local, n.Const]
    rebound: dict[Any, int]  # how often names were bound to objects

    # ---- values that stay what they are
    def here(self) -> Span | None:
        """Return where the expression at hand stands; None if that is not known."""
        return None if self.at is None or self.at_in is not self.frames[-1] else self.span(self.at)

    def hold(self, x: n.Expr, name: str = "t") -> n.Expr:
        """Return an expression of the same value that later statements cannot change."""
        if is_stable(x):
            return x
        local = n.Local(name, plain(x).type)
        self.emit(n.Assign(local, plain(x), span=self.here()))
        return n.Read(x.type, local)

    def named(self, x: n.Expr) -> n.Local:
        """Return a variable of its own for a number."""
        local = n.Local("t", x.type)
        self.emit(n.Assign(local, x))
        return local

    def hold_value(self, value: Value) -> Value:
        """Return a value that later statements cannot change, whatever it is made of."""
        return self.of(value).hold(self)

    def once(self, x: n.Expr) -> n.Expr:
        """Return an expression of the same value that may be used several times."""
        if isinstance(x, n.Const | n.Read | n.ParamRead | n.Query):
            return x
        local = n.Local("t", plain(x).type)
        self.emit(n.Assign(local, x, span=self.here()))
        return n.Read(local.type, local)

    def keep(self, value: Value, position: int) -> Value:
        """Save a value before the statements at ``position`` if they could change it."""
        return self.of(value).keep(self, position)

    def keep_number(self, x: n.Expr, position: int) -> n.Expr:
        """Save a number before the statements at ``position`` if they could change it."""
        if is_stable(x):
            return x
        local = n.Local("t", plain(x).type)
        self.block.insert(position, n.Assign(local, plain(x), span=self.here()))
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
        if isinstance(value, Instance | Vector):
            self.rebound[frame.key, name] = self.rebound.get((frame.key, name), 0) + 1
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
        return self.of(value).as_number(self, node)

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
        value = captured_objects.fitting(self, form, value)
        if value is None and isinstance(form, ThingForm):
            return Poison(missing=True)
        return form.adopt(self, key, name, value, node, old)

    def bring(self, key: Any, name: str, form: Form, value: Value | n.Local | None,
              node: ast.AST) -> Value | n.Local:
        """Do as ``adopt`` where ways meet: nothing, if the value is in its variables already."""
        if isinstance(value, Kind) and value.in_variables:
            there = same([value, self.variable(key, name, form, value)])
            if there is not None:
                return there
        return self.adopt(key, name, form, value, node)

    def variable(self, key: Any, name: str, form: Form, like: Value | n.Local
                 ) -> Value | n.Local:
        """Return what a name stands for that the variables of a form hold; nothing is emitted."""
        with self.into():
            known: dict[n.Local, n.Const] = dict(self.known)
            try:
                if isinstance(form, VariableForm):
                    like = captured_objects.fitting(self, form, like) or like
                    return form.variable(self, key, name, like)
                return self.adopt(key, name, form, None, self.at or self.frames[-1].source.node)
            finally:
                self.known = known

    def hold_object(self, value: Instance, name: str, node: ast.AST) -> Instance:
        """Give an object variables of its own, as a name would."""
        key = (self.frames[-1].key, "object", self.span(node), *self.unrolled)
        found = self.bind(key, name, value, node)
        assert isinstance(found, Instance)
        return found

    def set_field(self, target: Instance, field: str, value: Value, node: ast.AST) -> None:
        """Do ``object.field = value`` for an object that a variable holds."""
        (key,) = target.homes
        new = adopted_part(self, (*key, field), f"{target.name}.{field}", form_of(value), value,
                           node, old=target.field(field))
        if new == target.field(field):
            return
        k = target.fields.index(field)
        changed = replace(target, items=(*target.items[:k], new, *target.items[k + 1:]))
        for frame in self.frames:
            for name, bound in frame.names.items():
                if isinstance(bound, Instance):
                    after = _exchanged(bound, key, changed)
                    if after is not bound:
                        frame.names[name] = after
                        frame.definitions[name] = Definition(self.span(node))

    def home_of(self, value: Value) -> Any:
        """Return the variable that holds an object, as it is; None if that is not known."""
        if not isinstance(value, Instance | Vector) or not value.exact or len(value.homes) != 1:
            return None
        (home,) = value.homes
        return home

    def current(self, value: Value, kept: Value) -> Value:
        """Return an object as it is by now; ``kept`` for what is no object in a variable."""
        home = self.home_of(value)
        if isinstance(value, Several) and isinstance(kept, Several):
            return replace(kept, items=tuple(map(self.current, value.items, kept.items)))
        if home is None:
            return kept
        if isinstance(value, Vector):
            return value if all(isinstance(x, n.Read) for x in value.items) else kept
        for frame in reversed(self.frames):
            for bound in frame.names.values():
                found = _within(bound, home)
                if found is not None:
                    return found
        return value

    def share(self, key: Any, name: str, value: Any) -> None:
        """Note which variables an object may belong to once it was given to another one."""
        others = value.homes - {key}
        if not value.homes:
            self.shared.pop(key, None)
        for home in others:
            self.shared[home] = name
            self.shared[key] = value.name

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
            x = self.of(known).as_pointer(self, form, node)
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
            fit = (stored_pointers.settle(stored_pointers.one_kind(self, null, v)[1], kind) == kind
                   for v in met)
            return kind if all(fit) else None
        options = choices.options(self, met)
        form = meet(values) if options is None else ChoiceForm(options)
        known = form is not None and not isinstance(form, ThingForm)
        among = None if known else functions.options(values)
        if among is not None:
            return FunctionForm(among)
        if form is None and all(isinstance(v, Memory | Constant) for v in met):
            for a, b in itertools.pairwise(met):
                found = stored_pointers.joined(self, *stored_pointers.one_kind(self, a, b))
                if found is not None:
                    return found
        if form is None:
            lists.put_together(self, met)
            objects = captured_objects.spread_objects(self, values)
            return None if objects is None else meet(objects)
        return form


def _within(value: object, key: Any) -> Instance | None:
    """Return the object of a variable, which another one may hold; None if it is not there."""
    if not isinstance(value, Instance):
        return None
    if value.homes == {key}:
        return value if value.exact else None
    return next((found for v in value.items if (found := _within(v, key)) is not None), None)


def _exchanged(value: Value, key: Any, new: Instance) -> Value:
    """Return a value in which the object of a variable is another one."""
    if not isinstance(value, Instance):
        return value
    if value.homes == {key}:
        return new
    return replace(value, items=tuple(_exchanged(v, key, new) for v in value.items))


def is_stable(x: n.Expr) -> bool:
    """Say whether no statement can change the value of an expression."""
    return not any(isinstance(e, n.Load | n.Read) for e in visit.walk(x))
