"""Which names statements bind."""

from __future__ import annotations

import ast

from unisycl.frontend.syntax import names


def function(text):
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.FunctionDef)
    return node


def test_every_kind_of_binding_counts_but_not_those_of_inner_functions():
    node = function("""
def f(p):
    a = 1
    b += 2
    for c, (d, e) in x: pass
    if (g := 3): import h.i as j, k.l
    def m(): n = 1
    class o: q = 1
    lambda: (r := 1)
    global s
""")
    assert set("a b c d e g j k m o s".split()) == names.stored_names(node.body)


def test_names_bound_once_by_a_plain_assignment():
    node = function("""
def f(p):
    a = 1
    b = 1; b = 2
    c = 1; c += 1
    p = 3
    for d in x: e = d
    g: int = 4
    (h, i) = 1, 2
""")
    assigned, once = names.function_names(node)
    assert {"a", "e", "g"} == once
    assert set("a b c d e g h i p".split()) == assigned
