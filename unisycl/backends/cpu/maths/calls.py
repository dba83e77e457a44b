"""Mathematics in functions of their own, each written once in a module.

Non-goals: deciding what is called and what is written in place. Invariant: a function is internal
to its module, so the optimiser is free to move its code to its only caller.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from unisycl.backends.cpu.emit.lanes import UNIFORM, VECTOR, Lanes, Val
from unisycl.backends.cpu.emit.text import Function, Module, llvm_type, vectors
from unisycl.backends.cpu.maths.terms import Sheet, Term
from unisycl.base.dtypes import DType

Maker = Callable[..., Sequence[Term]]


def call(s: Sheet, name: str, make: Maker, *terms: Term) -> list[Term]:
    """Call what ``make(sheet, *terms)`` writes."""
    return _call(s, name, make, terms, _write)


def call_rarely(s: Sheet, name: str, make: Maker, *terms: Term) -> list[Term]:
    """Call what ``make(sheet, *terms)`` writes for one lane, lane after lane.

    For what ``Sheet.patch`` runs: the code is small and quick to compile.
    """
    return _call(s, f"{name}.each", make, terms, _write_each)


def _call(s: Sheet, name: str, make: Maker, terms: Sequence[Term],
          write: Callable[..., list[DType]]) -> list[Term]:
    f, lanes = s.lanes.f, s.lanes
    form, refs = lanes.align(*(t.val for t in terms))
    types = [lanes.type(t.dtype, form) for t in terms]
    count = lanes.lanes if form == VECTOR else 0
    symbol = f"maths.{name}.{'.'.join(t.dtype.name for t in terms)}.{count}"
    if symbol not in f.module.results:
        f.module.results[symbol] = write(f.module, symbol, make, [t.dtype for t in terms], count,
                                         s.widest)
    kinds = f.module.results[symbol]
    whole = f"{{ {', '.join(lanes.type(k, form) for k in kinds)} }}"
    given = ", ".join(f"{t} {r}" for t, r in zip(types, refs, strict=True))
    found = f.op(f"call fastcc {whole} @{symbol}({given})")
    return [Term(s, Val(form, kind, f.op(f"extractvalue {whole} {found}, {k}")))
            for k, kind in enumerate(kinds)]


def _write(module: Module, symbol: str, make: Maker, dtypes: list[DType], count: int,
           widest: int) -> list[DType]:
    """Write a function of whole vectors, or of numbers; return its results' types."""
    f = Function(module, symbol, ", ".join(
        f"{llvm_type(d, count)} %x{k}" for k, d in enumerate(dtypes)), vectors(widest),
        "internal fastcc")
    form = VECTOR if count else UNIFORM
    sheet = Sheet(Lanes(f, max(count, 1)), widest)
    made = make(sheet, *(Term(sheet, Val(form, d, f"%x{k}")) for k, d in enumerate(dtypes)))
    return _finish(f, [t.dtype for t in made], count,
                   [sheet.lanes.to_form(t.val, form).ref for t in made])


def _finish(f: Function, kinds: list[DType], count: int, values: list[str]) -> list[DType]:
    """Return several values from a function."""
    f.result = f"{{ {', '.join(llvm_type(k, count) for k in kinds)} }}"
    whole = "poison"
    for k, (kind, value) in enumerate(zip(kinds, values, strict=True)):
        whole = f.op(f"insertvalue {f.result} {whole}, {llvm_type(kind, count)} {value}, {k}")
    f.finish(whole)
    return kinds


def _write_each(module: Module, symbol: str, make: Maker,
                dtypes: list[DType], count: int, widest: int) -> list[DType]:
    """Write a function of vectors that works on one lane at a time; return its results' types."""
    types = [llvm_type(d, count) for d in dtypes]
    f = Function(module, symbol, ", ".join(f"{t} %x{k}" for k, t in enumerate(types)),
                 f"noinline cold optsize {vectors(widest)}", "internal fastcc")
    sheet = Sheet(Lanes(f, 1), widest)
    sources = [f.alloca(t) for t in types]
    for k, (t, place) in enumerate(zip(types, sources, strict=True)):
        f.store(t, f"%x{k}", place)
    at = f.alloca("i64")
    f.store("i64", "0", at)
    head, end = f.label("lane"), f.label("lanes")
    f.jump(head)
    f.start(head)
    i = f.load("i64", at)
    made = make(sheet, *(
        Term(sheet, Val(UNIFORM, d, f.load(llvm_type(d), f.gep(llvm_type(d), place, i))))
        for d, place in zip(dtypes, sources, strict=True)))
    kinds = [t.dtype for t in made]
    results = [f.alloca(llvm_type(k, count)) for k in kinds]
    for term, place in zip(made, results, strict=True):
        t = llvm_type(term.dtype)
        f.store(t, term.val.ref, f.gep(t, place, i))
    f.store("i64", f.op(f"add i64 {i}, 1"), at)
    f.branch(f.op(f"icmp ult i64 {i}, {max(count, 1) - 1}"), head, end)
    f.start(end)
    return _finish(f, kinds, count, [f.load(llvm_type(kind, count), place)
                                     for kind, place in zip(kinds, results, strict=True)])
