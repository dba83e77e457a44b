"""Kinds of values: what one does not say is refused, and a new one is one class."""

from __future__ import annotations

import numpy as np
import pytest

from unisycl.base.dataclass import dataclass
from unisycl.base.errors import KernelError
from unisycl.frontend import form_registry
from unisycl.frontend.specialize import specialize
from unisycl.frontend.values.kind import Kind
from unisycl.ir import nodes as n
from unisycl.ir import visit
from unisycl.ir.types import WEAK_INT


@dataclass(frozen=True, slots=True)
class Oddity(Kind):
    """A kind that says nothing but its name."""

    def describe(self):
        return "an oddity"


@dataclass(frozen=True, slots=True)
class Sevens(Oddity):
    """A kind whose every element is 7."""

    def subscript(self, ctx, node):
        ctx.value(node.slice)
        return n.Const(WEAK_INT, 7)

    def length(self):
        return n.Const(WEAK_INT, 3)

    def number(self, ctx, node, *, unsure=False):
        return n.Const(WEAK_INT, 21)


def make():
    """Return a value of the kind that a test puts here."""


@pytest.fixture
def made(monkeypatch):
    def become(kind):
        monkeypatch.setitem(form_registry.FORMS, id(make), (make, lambda ctx, node: kind()))
    return become


def of_element(out):
    def kernel(i):
        x = make()
        out[i] = x[i]
    return kernel


def of_attribute(out):
    def kernel(i):
        out[i] = make().size
    return kernel


def of_call(out):
    def kernel(i):
        out[i] = make()(i)
    return kernel


def of_number(out):
    def kernel(i):
        out[i] = make() + 1
    return kernel


def of_index(out):
    def kernel(i):
        out[make()] = 1
    return kernel


def of_parts(out):
    def kernel(i):
        a, b = make()
        out[i] = a + b
    return kernel


def of_length(out):
    def kernel(i):
        out[i] = len(make())
    return kernel


def of_store(out):
    def kernel(i):
        x = make()
        x[i] = 1
        out[i] = 1
    return kernel


@pytest.mark.parametrize("kernel", [of_element, of_attribute, of_call, of_number, of_index,
                                    of_parts, of_length, of_store])
def test_what_a_kind_does_not_say_is_refused_by_its_name(made, kernel):
    made(Oddity)
    with pytest.raises(KernelError, match="an oddity"):
        specialize(kernel(np.zeros(4)), "range", 1)


@pytest.mark.parametrize(("kernel", "number"), [(of_element, 7), (of_length, 3), (of_number, 22)])
def test_what_a_kind_says_is_what_kernels_do(made, kernel, number):
    made(Sevens)
    found = specialize(kernel(np.zeros(4)), "range", 1).kernel
    stored = [s.value for s in visit.statements(found.body) if isinstance(s, n.Store)]
    assert [x.value for x in stored if isinstance(x, n.Const)] == [number]


def test_a_kind_meets_itself_where_ways_join(made):
    made(Sevens)

    def kernel(i):
        x = make()
        if i > 2:
            x = make()
        out[i] = x[i]
    out = np.zeros(4)
    found = specialize(kernel, "range", 1).kernel
    assert any(isinstance(s, n.Store) for s in visit.statements(found.body))


def test_every_kind_names_itself():
    """Each class of a kind overrides what messages call it, or is none that messages name."""
    silent = {"Kind", "OfClass", "MemoryPlace", "Nothing", "Poison", "Pending", "Lost", "MayBeNone",
              "RowMemory", "_ArrayMember"}
    todo, unnamed = [Kind], set()
    while todo:
        kind = todo.pop()
        todo += [k for k in kind.__subclasses__() if k.__module__.startswith("unisycl.")]
        if kind.describe is Kind.describe:
            unnamed.add(kind.__name__)
    assert unnamed == silent
