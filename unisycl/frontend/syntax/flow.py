"""Where ways of control flow part and meet: which definition of a name each of them brings.

Every assignment makes a definition. Where ways meet that bring different definitions, a name that
is read afterwards becomes one variable, to which each way copies what it brings; that is known from
the round of lowering before. A name that nobody reads there need not fit together. Non-goals: what
the variable has to be (``joins``), reads on ways that bring nothing (``unassigned``).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from unisycl.base.dataclass import dataclass, field, replace
from unisycl.base.spans import Span
from unisycl.frontend import coerce
from unisycl.frontend.syntax.names import nonlocal_names
from unisycl.frontend.values.absent import Lost, Pending, Poison
from unisycl.frontend.values.choices import left_over
from unisycl.frontend.values.joins import form_of, same
from unisycl.frontend.values.kind import Form, Frame, Lowering, Met, ThingForm, Value, describe
from unisycl.frontend.values.lists import Cells, is_memory_now
from unisycl.frontend.values.memory import Memory
from unisycl.frontend.values.tuples import Several
from unisycl.frontend.values.unsure import Unsure
from unisycl.ir import nodes as n
from unisycl.ir.types import PointerType

_PATIENCE = 5
_ONE_MEMORY = ("a pointer stays in one memory, which is inferred from where it is made (SYCL 2020 "
               "§5.9): use two names, or choose between elements")
ONE_TEXT = ("texts exist while compiling only: let the name be a number, or a member of an "
             "enumeration, and compare that")
Site: TypeAlias = tuple[Any, ...]
Name: TypeAlias = tuple[Any, str]
"""The key of a frame, and a name of that frame."""


@dataclass(frozen=True, eq=False, slots=True)
class Test:
    """A condition that ways part at, with the definitions that its names had there."""

    node: ast.expr
    meant: dict[str, Definition]


Condition: TypeAlias = tuple[Test, bool]


@dataclass(frozen=True, slots=True)
class Edge:
    """One way on which a definition gets where several meet.

    ``kind`` is 'entry' for the way into a loop, 'loop' for those of which only a run can tell
    whether they are taken: round a loop and out of it.
    """

    source: Definition
    conditions: tuple[Condition, ...] = ()
    kind: str = ""


@dataclass(eq=False, slots=True)
class Definition:
    """What an assignment gave a name, or what several ways brought together.

    ``depth``: where several ways meet, how many conditions led to all of them. ``hole``: where one
    of them brings nothing, the place and the form of what the others bring. ``whole``: how many
    turns of loops had been gone through when all ways to it were found to bring something.
    """

    span: Span | None = None
    edges: list[Edge] = field(default_factory=list)
    read: bool = False
    depth: int = 0
    hole: tuple[Site, Form] | None = None
    whole: int = -1

    def add(self, edge: Edge) -> None:
        """Note another way; what brings it was read if this was."""
        self.edges.append(edge)
        if self.read:
            edge.source.note_read()

    def note_read(self) -> None:
        """Note that somebody reads this, and so everything it may come from."""
        todo = [self]
        while todo:
            at = todo.pop()
            if not at.read and at is not UNSET and at is not GIVEN:
                at.read = True
                todo.extend(edge.source for edge in at.edges)

    def parts(self) -> list[Definition]:
        """Return all definitions that it may come from, itself included."""
        seen: dict[int, Definition] = {}
        todo = [self]
        while todo:
            at = todo.pop()
            if id(at) not in seen:
                seen[id(at)] = at
                todo.extend(edge.source for edge in at.edges)
        return list(seen.values())

    def assignments(self) -> list[Definition]:
        """Return the assignments that it may come from, those in front first."""
        return sorted((d for d in self.parts() if not d.edges and d.span is not None),
                      key=lambda d: (d.span.line, d.span.column) if d.span else (0, 0))


UNSET = Definition()
"""What a name has that nothing was assigned to."""
GIVEN = Definition()
"""What parameters have that are never assigned to."""


@dataclass(frozen=True, slots=True)
class State:
    """What all names stand for at one point, the numbers known there, and the way to it."""

    frames: tuple[tuple[Frame, dict[str, Value | n.Local], dict[str, Definition]], ...]
    known: dict[n.Local, n.Const]
    path: tuple[Condition, ...]

    def restore(self, ctx: Lowering) -> None:
        """Let names stand for what they stood for here."""
        for frame, names, definitions in self.frames:
            frame.names, frame.definitions = dict(names), dict(definitions)
        ctx.known = dict(self.known)
        ctx.path = self.path


def state(ctx: Lowering) -> State:
    """Return what all names stand for now."""
    return State(tuple((f, dict(f.names), dict(f.definitions)) for f in ctx.frames),
                 dict(ctx.known), ctx.path)


def owner(frame: Frame, name: str) -> Frame:
    """Return the frame whose variable a name is: an outer one's where it is ``nonlocal``."""
    if name not in nonlocal_names(frame.source.node):
        return frame
    outer = frame.parent
    while outer is not None and not (name in outer.names or name in outer.assigned):
        outer = outer.parent
    return outer or frame


def condition(ctx: Lowering, node: ast.expr) -> Test:
    """Return a condition at which ways part here."""
    return Test(node, {x.id: definition(owner(ctx.frame, x.id), x.id) for x in ast.walk(node)
                       if isinstance(x, ast.Name)})


def definition(frame: Frame, name: str) -> Definition:
    """Return the definition a name has now."""
    return _definition(frame.names, frame.definitions, name)


def _definition(names: dict[str, Any], definitions: dict[str, Definition],
                name: str) -> Definition:
    found = definitions.get(name)
    return found if found is not None else GIVEN if name in names else UNSET


def site(ctx: Lowering, node: Any, what: str) -> Site:
    """Return a name for a place where ways meet, the same in every round."""
    where: Any = ast.dump(node) if not hasattr(node, "lineno") else None  # one of our own loops
    if hasattr(node, "lineno"):
        where = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
    return ("join", what, ctx.frame.key, where, *ctx.unrolled)


def wanted(ctx: Lowering, at: Site) -> dict[Name, Form | Lost]:
    """Return which names have to be one variable where ways meet, and which kind of one."""
    found: dict[Name, Form | Lost] = ctx.types.setdefault(at, {})
    return found


def want(ctx: Lowering, at: Site, name: Name, form: Form | Lost) -> None:
    """Ask the next round for one variable."""
    table = wanted(ctx, at)
    if table.get(name) == form:
        return
    counts: dict[Name, int] = ctx.types.setdefault(("changes", at), {})
    counts[name] = counts.get(name, 0) + 1
    if counts[name] > _PATIENCE and (isinstance(table[name], Lost) or _is_unsure(table[name])):
        return  # what does not come to rest stays what is right in any case
    table[name] = form
    ctx.changed = True


def _is_unsure(form: Form | Lost) -> bool:
    """Say whether a number has one type or another, or may be None besides."""
    return isinstance(getattr(form, "some", form), Unsure)


class Label:
    """A place that several ways lead to; ``depth``: how many functions are being run there."""

    def __init__(self, at: Site, depth: int = 0) -> None:
        self.site = at
        self.depth = depth
        self.states: list[State] = []
        self.brought: dict[Name, list[Met]] = {}

    def takes(self, ctx: Lowering) -> bool:
        """Say whether who goes there has to bring something."""
        return bool(wanted(ctx, self.site))

    def jump(self, ctx: Lowering, node: ast.AST) -> None:
        """Go there from here: bring what is wanted there."""
        for key, name in wanted(ctx, self.site):
            for frame in ctx.frames:
                if frame.key == key and name in frame.names:
                    self.brought.setdefault((key, name), []).append(
                        Met(frame.names[name], dict(ctx.known)))
        bring(ctx, self.site, node)
        now = state(ctx)
        self.states.append(replace(now, frames=now.frames[:self.depth]) if self.depth else now)

    def land(self, ctx: Lowering) -> None:
        """Go on from there, with what all ways brought."""
        if not self.states:
            return  # nobody gets here
        for name, brought in self.brought.items():  # other definitions may have changed since
            values = [v for v in brought if not _is_missing(v.value)]
            given = values and not any(isinstance(v.value, Poison) for v in values)
            form = ctx.meet(values) if given else None
            if form is not None and form != wanted(ctx, self.site).get(name):
                want(ctx, self.site, name, placed(form, name[1], values, Definition()))
        first = self.states[0]
        if len(self.states) == 1:
            first.restore(ctx)
            return
        common = len(first.path)
        for other in self.states[1:]:
            common = min(common, _shared(first.path, other.path))
        for k, (frame, _, _) in enumerate(first.frames):
            rows = [(s.frames[k][1], s.frames[k][2], s) for s in self.states]
            self._meet(ctx, frame, rows, common)
        ctx.known = {local: const for local, const in first.known.items()
                     if all(s.known.get(local) == const for s in self.states)}
        ctx.path = first.path[:common]

    def _meet(self, ctx: Lowering, frame: Frame, rows: list[Any], common: int) -> None:
        names: dict[str, Value | n.Local] = {}
        definitions: dict[str, Definition] = {}
        for name in dict.fromkeys(name for row in rows for part in row[:2] for name in part):
            brought = [_definition(row[0], row[1], name) for row in rows]
            if all(d is brought[0] for d in brought):
                if name in rows[0][0]:
                    names[name] = rows[0][0][name]
                if name in rows[0][1]:
                    definitions[name] = brought[0]
                continue
            made = definitions[name] = Definition(depth=common)
            for d, row in zip(brought, rows, strict=True):
                made.add(Edge(d, row[2].path[common:]))
            values = [Met(row[0][name], row[2].known) for row in rows
                      if name in row[0] and not _is_missing(row[0][name])]
            if not values:
                continue
            found = same([v.value for v in values])
            names[name] = Pending(self.site, (frame.key, name), tuple(values), made) \
                if found is None else found
            if len(values) < len(rows):
                form = ctx.meet(values)
                made.hole = None if form is None else (self.site, form)
        frame.names, frame.definitions = names, definitions


def _is_missing(value: Value | n.Local) -> bool:
    return isinstance(value, Poison) and value.missing


def _shared(a: Sequence[Condition], b: Sequence[Condition]) -> int:
    count = 0
    for x, y in zip(a, b, strict=False):
        if x[0] is not y[0] or x[1] != y[1]:
            break
        count += 1
    return count


def bring(ctx: Lowering, at: Site, node: ast.AST) -> None:
    """Give the variables wanted somewhere their values, where control goes there."""
    for (key, name), form in [*wanted(ctx, at).items()]:
        for frame in ctx.frames:
            if frame.key == key and is_memory_now(form, frame.names.get(name)):
                wanted(ctx, at).pop((key, name), None)  # the next round asks anew
                ctx.changed = True
            elif frame.key == key and not isinstance(form, Lost):
                if name not in frame.names:  # its variable is zero here, but it is unassigned
                    frame.definitions.setdefault(name, UNSET)
                _bring(ctx, frame, (key, name), form, node)


def _bring(ctx: Lowering, frame: Frame, name: Name, form: Form, node: ast.AST) -> None:
    """Give a name's variables its value; a name without either stays without."""
    found = ctx.bring(name, name[1], form, frame.names.get(name[1]), node)
    if not (_is_missing(found) and isinstance(form, ThingForm)):
        frame.names[name[1]] = found


def resolve(ctx: Lowering, pending: Pending, node: ast.AST) -> Value | n.Local:
    """Return a variable for several values that a name may stand for, which somebody reads."""
    form = ctx.meet(pending.values)
    if form is None:
        raise two_kinds(ctx, pending.name[1], pending.values, pending.definition, node)
    form = placed(form, pending.name[1], pending.values, pending.definition)
    want(ctx, pending.site, pending.name, form)
    first = next(iter(spread(pending.values))).value
    return ctx.variable(pending.name, pending.name[1], form, first)


def placed(form: Form, name: str, values: Iterable[Met], made: Definition) -> Form:
    """Return a form of several types with the places where they were given."""
    if not isinstance(form, Unsure) or form.places:
        return form
    where = [(edge.source, v.value) for edge, v in zip(
        [e for e in made.edges if e.source is not UNSET], values, strict=False)]
    places = []
    for d, value in where:
        first = next((a.span for a in d.assignments() if a.span), None)
        if isinstance(value, n.Local | n.Expr) and first is not None:
            places.append((value.type, first))
    return replace(form, name=name, places=tuple(places))


def two_kinds(ctx: Lowering, name: str, values: Sequence[Met], made: Definition,
              node: ast.AST) -> Exception:
    """Refuse a name whose values on different ways are no one thing."""
    return lost(ctx, _lost(name, values, made), node)


def lost(ctx: Lowering, found: Lost, node: ast.AST) -> Exception:
    """Refuse to read a name that stands for two kinds of value."""
    facts = dict(found.facts)
    notes = tuple((f"'{facts['name']}' gets a value here", span) for span in found.spans)
    return ctx.refuse(found.id, node, **{**facts, "notes": notes, "once": True})


def _lost(name: str, values: Sequence[Met], made: Definition) -> Lost:
    """Return what a name is whose values are of two kinds, in words."""
    met = [v.value for v in spread(values)]
    kinds = [str(v.type) if isinstance(v, n.Local) else describe(v) for v in met]
    spans = tuple(dict.fromkeys(d.span for d in made.assignments() if d.span))
    pointers = [v for v in met if isinstance(v, Memory) and v.pointer]
    if any(isinstance(v, Cells) for v in met) and all(isinstance(v, Cells | Several) for v in met):
        return Lost("K054", (
            ("name", name), ("what", f"'{name}' would be one of {len(met)} lists that change"),
            ("help", "make one list before, and give it its elements on each path")), spans)
    tuples = [v.items for v in met if isinstance(v, Several)]
    if len(tuples) == len(met) and len(set(map(len, tuples))) == 1 and any(
            isinstance(x, Cells) for items in tuples for x in items):
        return Lost("K054", (
            ("name", name), ("what", f"'{name}' would hold one of several lists that change"),
            ("help", "give each of its parts a name; one may be any of several lists")), spans)
    if len(pointers) == len(met):
        spaces = list(dict.fromkeys(v.view.space.value for v in pointers))
        first, *others = spaces if len(spaces) > 1 else dict.fromkeys(
            f"'{v.name}'" for v in pointers)
        kind = "memory" if len(spaces) > 1 else "elements"
        what = (f"'{name}' would point to {first} {kind} on one path and to "
                f"{others[0] if others else 'other'} {kind} on another")
        return Lost("K085", (
            ("name", name), ("what", what), ("help", _ONE_MEMORY)), spans)
    if any(isinstance(getattr(v, "object", None), str) for v in met):
        return Lost("K046", (
            ("name", name), ("what", f"which text '{name}' is"), ("help", ONE_TEXT)), spans)
    second = next((kind for kind in kinds if kind != kinds[0]), kinds[-1])
    return Lost("K035", (("name", name), ("first", kinds[0]), ("second", second)), spans)


def settle(ctx: Lowering, key: Any, name: str, values: Sequence[Met], made: Definition,
           node: ast.AST) -> None:
    """Ask the next round for one variable for a result that has values of several forms."""
    form = ctx.meet(values)
    if form is None:
        raise two_kinds(ctx, name, values, made, node)
    if all(form_of(v.value) == form for v in values) and not isinstance(form, PointerType):
        return
    form = placed(form, name, values, made)
    if ctx.types.get(key) != form:
        ctx.types[key] = form
        ctx.changed = True


class Head:
    """The head of a loop: names that its body assigns come from before or from the turn before."""

    def __init__(self, ctx: Lowering, at: Site, stored: Iterable[str], node: ast.AST) -> None:
        self.site = at
        self.extra: dict[Name, None] = ctx.types.setdefault((*at, "extra"), {})
        self.left: dict[Name, frozenset[Any]] = ctx.types.setdefault((*at, "left"), {})
        self.exit: Label | None = None
        self.before = state(ctx)
        self.turns: list[State] = []
        heads = dict.fromkeys([(owner(ctx.frame, name).key, name) for name in sorted(stored)])
        heads.update(self.extra)
        self.names: dict[Name, tuple[Frame, Definition]] = {}
        frames = {frame.key: frame for frame in ctx.frames}
        table = wanted(ctx, at)
        for key, name in heads:
            frame = frames.get(key)
            if frame is None:
                continue
            made = Definition(depth=len(ctx.path))
            made.add(Edge(definition(frame, name), (), "entry"))
            self.names[key, name] = frame, made
            if (key, name) in self.left:
                frame.left[name] = made, self.left[key, name]
            form = table.get((key, name))
            if isinstance(form, Lost):
                frame.names[name] = form
            elif form is not None and is_memory_now(form, frame.names.get(name)):
                table.pop((key, name))
                ctx.changed = True
            elif form is not None:
                _bring(ctx, frame, (key, name), form, node)
            frame.definitions[name] = made
        self.inside = state(ctx)
        ctx.known = {}
        ctx.heads.append(self)

    def lead_out(self, ctx: Lowering, exit: Label, node: ast.AST) -> None:
        """Let a loop that ends at its head bring what is wanted behind it."""
        self.exit = exit
        self._bring_out(ctx, node)

    def _bring_out(self, ctx: Lowering, node: ast.AST) -> None:
        if self.exit is not None:
            kept = [(f, dict(f.names)) for f in ctx.frames]
            bring(ctx, self.exit.site, node)
            for frame, names in kept:
                frame.names = names

    def jump(self, ctx: Lowering, node: ast.AST) -> None:
        """Go back to the head by ``continue``."""
        self.turn(ctx, node)

    def takes(self, ctx: Lowering) -> bool:
        """Say whether who goes back to the head has to bring something."""
        return bool(wanted(ctx, self.site)) or (
            self.exit is not None and bool(wanted(ctx, self.exit.site)))

    def turn(self, ctx: Lowering, node: ast.AST) -> None:
        """Go back to the head from here."""
        self.turns.append(state(ctx))
        for (_, name), (frame, made) in self.names.items():
            made.add(Edge(definition(frame, name), (), "loop"))
        self._find_others(ctx)
        self._find_left(ctx)
        bring(ctx, self.site, node)
        self._bring_out(ctx, node)

    def _find_others(self, ctx: Lowering) -> None:
        """Note names of other frames, and objects, that the body changed."""
        for frame, names, definitions in self.before.frames:
            for name, old in names.items():
                if (frame.key, name) in self.names or frame.definitions.get(name) \
                        is definitions.get(name):
                    continue
                if name in frame.names and same([old, frame.names[name]]) is None:
                    self.extra[frame.key, name] = None
                    ctx.changed = True

    def _find_left(self, ctx: Lowering) -> None:
        """Note arrays that a turn leaves to names which have no value before the loop."""
        for (key, name), (frame, _) in self.names.items():
            if name in frame.names and name not in _names(self.before, frame):
                found = left_over(ctx, frame.names[name])
                if not found <= self.left.get((key, name), frozenset()):
                    self.left[key, name] = found | self.left.get((key, name), frozenset())
                    ctx.changed = True

    def lead_on(self, end: Label) -> None:
        """Let what a condition at the head leaves names with count as the turns' doing, too."""
        for at in end.states:
            for (_, name), (frame, made) in self.names.items():
                names, definitions = next((x, d) for f, x, d in at.frames if f is frame)
                if definitions.get(name) is not made:
                    continue
                after = definitions[name] = Definition()
                after.add(Edge(made, (), "loop"))
                if name not in names and any(name in _names(s, frame) for s in self.turns):
                    names[name] = next(_names(s, frame)[name] for s in self.turns
                                       if name in _names(s, frame))

    def leave(self, ctx: Lowering, *, surely: bool) -> State:
        """Return what names stand for where the loop ends; ``surely``: after at least a turn."""
        at = self.inside.restore
        at(ctx)
        ctx.known = {}
        forms = wanted(ctx, self.site)
        for key, (frame, made) in self.names.items():
            name = key[1]
            after = Definition()
            turned = [s for s in self.turns if name in _names(s, frame)
                      and not _is_missing(_names(s, frame)[name])]
            values = [_names(s, frame)[name] for s in turned]
            one = same(values) if values else None
            if surely and self.turns and len(turned) == len(self.turns):
                for edge in made.edges[1:]:
                    after.add(Edge(edge.source, (), "turn"))
            if not after.edges or (one is None and key not in forms):
                after.add(Edge(made, (), "loop"))
            if values and (name not in frame.names or _is_missing(frame.names[name]) or (
                    surely and one is not None and key not in forms)):
                frame.names[name] = values[0] if one is None else one
            frame.definitions[name] = after
        if self.exit is not None:
            for (key, name), form in wanted(ctx, self.exit.site).items():
                for frame in ctx.frames:
                    if frame.key == key and not isinstance(form, Lost) and name in frame.names:
                        self.exit.brought.setdefault((key, name), []).append(
                            Met(frame.names[name], {}))
                        frame.names[name] = ctx.variable((key, name), name, form,
                                                         frame.names[name])
        return state(ctx)

    def values(self, name: Name) -> list[Met]:
        """Return what a name stands for where the loop begins and where turns end."""
        frame = self.names[name][0]
        return [Met(_names(s, frame)[name[1]], s.known) for s in (self.before, *self.turns)
                if name[1] in _names(s, frame) and not _is_missing(_names(s, frame)[name[1]])]


def _names(at: State, frame: Frame) -> dict[str, Value | n.Local]:
    return next(names for f, names, _ in at.frames if f is frame)


def settle_heads(ctx: Lowering) -> None:
    """Ask for the variables that loops need of which some turn reads what another one left."""
    late: list[tuple[Site, Name, Form]] = []
    for head in ctx.heads:
        for name, (_, made) in head.names.items():
            values = head.values(name)
            if not made.read or not values or any(isinstance(v.value, Poison | Lost)
                                                  for v in values):
                continue
            found = same([v.value for v in values])
            complete = len(values) == 1 + len(head.turns)
            if found is not None and complete and name not in wanted(ctx, head.site):
                continue
            form = ctx.meet(values)
            if isinstance(form, Unsure):
                form = _hoped_for(ctx, head, name, values, form)
            if form is None and ctx.changed and any(
                    isinstance(v.value, Cells | Several) for v in spread(values)):
                continue  # lists may be put together in the next round
            if form is None:
                want(ctx, head.site, name, _lost(name[1], values, made))
            elif _is_unsure(form):
                late.append((head.site, name, placed(form, name[1], values, made)))
            else:
                want(ctx, head.site, name, form)
    if not ctx.changed:
        for at, name, form in late:
            want(ctx, at, name, form)


def _hoped_for(ctx: Lowering, head: Head, name: Name, values: list[Met], form: Unsure) -> Form:
    """Return the one type that a name has in a loop if its own turns are all that makes it unsure.

    That is tried once: where a turn mixes the name with numbers of that type, what was weak at
    first is gone in the round after.
    """
    tried: dict[Name, None] = ctx.types.setdefault((*head.site, "tried"), {})
    strong = [t for t in form.among if not t.weak]
    entry = [v for v in values if not isinstance(form_of(v.value), Unsure)]
    if name in tried or len(strong) != 1 or not entry or len(entry) == len(values):
        return form
    tried[name] = None
    found = ctx.meet([*entry, Met(coerce.cast(coerce.weak_scalar(0), strong[0]), {})])
    return strong[0] if found == strong[0] else form


def spread(values: Iterable[Met]) -> Iterable[Met]:
    """Return the values that may be several, each for itself."""
    for met in values:
        if isinstance(met.value, Pending):
            yield from spread(met.value.values)
        else:
            yield met
