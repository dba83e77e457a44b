"""Turning functions with convergent calls into generators."""

import ast
import types

import pytest

from unisycl.backends.host.rewrite import position, rewrite
from unisycl.base.errors import UsageError
from unisycl.frontend.source import function_source


def tree_of(function):
    return function_source(function.__code__).node


def calls(node, *names):
    return [position(c) for c in ast.walk(node)
            if isinstance(c, ast.Call) and getattr(c.func, "id", "") in names]


def remade(function, *names, direct=()):
    node = tree_of(function)
    made = rewrite(node, function.__code__, calls(node, *names), calls(node, *direct))
    seen = {s.name: (lambda *a, s=s: (s, a)) if s.direct else (lambda f, *a: f(*a))
            for s in made.sites}
    old = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    cells = tuple(types.CellType(seen[n]) if n in seen else old[n] for n in made.code.co_freevars)
    return types.FunctionType(made.code, function.__globals__, function.__name__,
                              function.__defaults__, cells), made


def wait(x):
    raise AssertionError("never called as it is")


def sample(a, b=2, *, c=3):
    total = a
    for k in range(b):
        total += wait(k + c)
    return total


def test_a_direct_call_becomes_a_yield_of_what_its_site_returns():
    function, made = remade(sample, "wait", direct=("wait",))
    task = function(10, c=3)
    assert next(task)[1] == (3,)
    assert task.send(100)[1] == (4,)
    with pytest.raises(StopIteration) as end:
        task.send(1000)
    assert end.value.value == 1110
    assert [s.position[0] for s in made.sites] == [sample.__code__.co_firstlineno + 3]


def outer_helper():
    value = yield "asked"
    return value


def relayed():
    return outer_helper() + 1


def test_another_call_becomes_a_yield_from():
    function, _ = remade(relayed, "outer_helper")
    task = function()
    assert next(task) == "asked"
    with pytest.raises(StopIteration) as end:
        task.send(41)
    assert end.value.value == 42


def test_file_lines_and_names_stay_the_users():
    _, made = remade(sample, "wait", direct=("wait",))
    assert made.code.co_filename == __file__
    assert made.code.co_firstlineno == sample.__code__.co_firstlineno
    assert made.code.co_qualname == "sample"
    lines = {line for _, _, line in made.code.co_lines() if line}
    assert lines == {line for _, _, line in sample.__code__.co_lines() if line}


def test_closures_keep_their_cells():
    scale = 5

    def scaled(x):
        return wait(x) * scale
    function, _ = remade(scaled, "wait", direct=("wait",))
    task = function(1)
    next(task)
    with pytest.raises(StopIteration) as end:
        task.send(4)
    assert end.value.value == 20


def test_the_tree_given_is_not_changed():
    node = tree_of(sample)
    before = ast.dump(node, include_attributes=True)
    rewrite(node, sample.__code__, calls(node, "wait"), ())
    assert ast.dump(node, include_attributes=True) == before


def listed(it):
    return [wait(k) for k in range(3)]


def test_a_meeting_inside_a_comprehension_is_refused_with_its_line():
    with pytest.raises(UsageError, match=rf":{listed.__code__.co_firstlineno + 1}: .*write a loop"):
        remade(listed, "wait", direct=("wait",))


class Private:
    def method(self):
        return wait(self.__secret)

    def __init__(self):
        self.__secret = 7


class Named:
    def again(self):
        wait(0)
        return Named


def test_a_method_that_names_its_class_gets_it():
    node = tree_of(Named.again)
    made = rewrite(node, Named.again.__code__, calls(node, "wait"), (), owner="Named")
    assert ("Named" in made.code.co_freevars, "Named" in made.code.co_names) == (False, True)


def test_steps_to_an_element_are_arguments_of_one_call():
    def kernel(a, i, k):
        return a[i].place.x + a[i][k] + a.b + a[i] + a[i:k].c
    made = rewrite(tree_of(kernel), kernel.__code__, (), (), elements=True)
    told = []

    def element(owner, *steps):
        told.append(steps)
        return 1
    cells = tuple(types.CellType(element) for _ in made.code.co_freevars)
    run = types.FunctionType(made.code, {}, "kernel", None, cells)

    class Memory(dict):
        b = 2

        def __getitem__(self, index):
            return types.SimpleNamespace(c=3) if isinstance(index, slice) else 4
    assert run(Memory(), 5, 6) == 1 + 1 + 2 + 4 + 3
    assert told == [(False, 5, True, "place", True, "x"), (False, 5, False, 6)]


def test_private_names_of_a_class_stay_private():
    function = Private.method
    node = tree_of(function)
    made = rewrite(node, function.__code__, calls(node, "wait"), calls(node, "wait"), "Private")
    task = types.FunctionType(made.code, globals(), "method", None,
                              (types.CellType(lambda x: x),))(Private())
    assert next(task) == 7
