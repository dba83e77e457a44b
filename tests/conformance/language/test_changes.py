"""What became part of a kernel may change: the next launch runs what Python would run now.

IPython's ``%autoreload`` assigns a new ``__code__`` to the old function, and so do these tests.
"""

from __future__ import annotations

import importlib
import itertools
import os
import sys
from dataclasses import dataclass

import numpy as np
import pytest

import unisycl as sycl

pytestmark = pytest.mark.row("D-11")


def launched(queue, kernel, *arguments):
    """Return what work-item 1 writes, launched twice: what is remembered is asked, too."""
    found = []
    for _ in range(2):
        out = np.zeros(4)
        queue.parallel_for(4, kernel, out, *arguments).wait()
        found.append(out[1])
    assert found[0] == found[1]
    return found[0]


def become(function, other):
    """Do what %autoreload does to a function of a module that was edited."""
    function.__code__ = other.__code__
    function.__defaults__ = other.__defaults__
    function.__kwdefaults__ = other.__kwdefaults__


def check(queue, kernel, changes, expected, *arguments):
    """Compare each state with Python: ``expected`` is asked anew after every change."""
    assert expected() == launched(queue, kernel, *arguments)
    for change in changes:
        change()
        assert expected() == launched(queue, kernel, *arguments)


def plus_two(x):
    return x + 2.0


def times(x, a=10.0, *, b=100.0):
    return x * a + b


def test_the_code_of_a_helper(queue):
    def helper(x):
        return x + 1.0

    def kernel(i, out):
        out[i] = helper(i)
    check(queue, kernel, [lambda: become(helper, plus_two), lambda: become(helper, times)],
          lambda: helper(1))


def test_the_code_of_a_helper_of_a_helper_and_of_a_function_inside_the_kernel(queue):
    def inner(x):
        return x + 1.0

    def outer(x):
        return inner(x) * 3.0

    def kernel(i, out):
        def own(x):
            return outer(x)
        out[i] = own(i)
    check(queue, kernel, [lambda: become(inner, plus_two), lambda: become(inner, times)],
          lambda: outer(1))


def test_the_code_of_the_kernel_itself(queue):
    def one(i, out):
        out[i] = 1.0

    def two(i, out):
        out[i] = 2.0

    marked = sycl.kernel(one)
    for kernel in (one, marked):
        assert 1.0 == launched(queue, kernel)
    become(one, two)
    for kernel in (one, marked):
        assert 2.0 == launched(queue, kernel)


def test_a_kernel_object_that_a_kernel_calls(queue):
    @sycl.kernel
    def inner(i, out):
        out[i] = 1.0

    def other(i, out):
        out[i] = 2.0

    def kernel(i, out):
        inner(i, out)
    assert 1.0 == launched(queue, kernel)
    become(inner.function, other)
    assert 2.0 == launched(queue, kernel)


def test_functions_given_as_arguments_and_in_tuples(queue):
    def helper(x):
        return x + 1.0

    pair = (helper, plus_two)

    def kernel(i, out, function):
        out[i] = function(i) + pair[0](i) * 100.0
    check(queue, kernel, [lambda: become(helper, plus_two), lambda: become(helper, times)],
          lambda: helper(1) * 101.0, helper)


def test_defaults(queue):
    def helper(x, a=1.0, *, b=2.0):
        return x * 1000.0 + a * 10.0 + b

    def kernel(i, out):
        out[i] = helper(i)

    def assign(name, value):
        return lambda: setattr(helper, name, value)
    check(queue, kernel, [
        assign("__defaults__", (5.0,)), assign("__kwdefaults__", {"b": 7.0}),
        assign("__defaults__", (3.0, 9.0))], lambda: helper(1))
    helper.__defaults__ = None
    with pytest.raises(sycl.KernelError, match="K034"):
        launched(queue, kernel)
    helper.__defaults__ = (5.0,)
    assert helper(1) == launched(queue, kernel)


def test_defaults_that_the_text_does_not_have(queue):
    def helper(x, a):
        return x * 100.0 + a
    helper.__defaults__ = (3.0,)

    def kernel(i, out):
        out[i] = helper(i)
    check(queue, kernel, [lambda: setattr(helper, "__defaults__", (7.0, 4.0))], lambda: helper(1))


def test_defaults_of_the_kernel(queue):
    def kernel(i, out, a=1.0):
        out[i] = a
    assert 1.0 == launched(queue, kernel)
    kernel.__defaults__ = (6.0,)
    assert 6.0 == launched(queue, kernel)


def test_cells_and_globals(queue):
    c = 3.0

    def helper(x):
        return x + c + LATER

    def kernel(i, out):
        out[i] = helper(i)

    def rebind():
        nonlocal c
        c = 30.0
    check(queue, kernel, [rebind, lambda: globals().update(LATER=50.0)], lambda: helper(1))


LATER = 5.0


class Model:
    """Methods of every kind."""

    def __init__(self):
        self.v = 2.0

    def method(self, x):
        return x + self.v

    @staticmethod
    def still(x):
        return x * 3.0

    @classmethod
    def of_class(cls, x):
        return x * 5.0

    @property
    def known(self):
        return self.v * 7.0

    def __call__(self, i, out):
        out[i] = self.method(i)


def model():
    """Return a class of its own for one test."""
    return type("Model", (), {k: v for k, v in vars(Model).items()
                              if k not in ("__dict__", "__weakref__")})


def minus(self, x):
    return x - self.v


def of_any(cls, x):
    return x * 50.0


def eleven(self):
    return 11.0


def three(self, x):
    return x * 3.5


def test_methods(queue, monkeypatch):
    cls = model()
    thing, kept = cls(), Model.method.__code__

    def kernel(i, out):
        out[i] = thing.method(i)
    try:
        for one, expected in ((kernel, lambda: thing.method(1)), (thing, lambda: thing.method(1))):
            check(queue, one, [lambda: become(cls.method, minus),
                               lambda: setattr(cls, "method", three)], expected)
            setattr(cls, "method", Model.method)
            become(Model.method, three)
    finally:
        Model.method.__code__ = kept


def test_static_and_class_methods_and_properties(queue):
    cls = model()
    thing = cls()

    def kernel(i, out):
        out[i] = thing.still(i) + cls.still(i) + thing.of_class(i) + cls.of_class(i) + thing.known
    codes = [f.__code__ for f in (Model.still, Model.of_class.__func__, Model.known.fget)]

    def expected():
        return cls.still(1) * 2 + cls.of_class(1) * 2 + thing.known
    try:
        check(queue, kernel, [
            lambda: become(cls.still, plus_two),
            lambda: become(vars(cls)["of_class"].__func__, of_any),
            lambda: become(cls.known.fget, eleven),
            lambda: setattr(cls, "still", staticmethod(times)),
            lambda: setattr(cls, "of_class", classmethod(three)),
            lambda: setattr(cls, "known", property(lambda self: 12.0))], expected)
    finally:
        for f, c in zip((Model.still, Model.of_class.__func__, Model.known.fget), codes):
            f.__code__ = c
        Model.still.__defaults__ = Model.still.__kwdefaults__ = None


def test_a_class_method_is_compiled_once(queue):
    """Each look-up of a class method makes a new object."""
    def kernel(i, out):
        out[i] = Model.of_class(i)
    with sycl_kernels() as seen:
        assert 5.0 == launched(queue, kernel)
        assert 5.0 == launched(queue, kernel)
    assert 1 == len(seen)


def sycl_kernels():
    from unisycl.runtime.launch import compiled_kernels
    return compiled_kernels.kernels()


def test_a_method_that_a_subclass_or_an_object_gains(queue):
    class Base:
        def method(self, x):
            return x + 1.0

    class Derived(Base):
        pass
    thing = Derived()

    def kernel(i, out):
        out[i] = thing.method(i)
    check(queue, kernel, [lambda: setattr(Derived, "method", three),
                          lambda: setattr(thing, "method", plus_two)], lambda: thing.method(1))


def test_the_call_of_an_object(queue):
    class Kernel:
        def __call__(self, i, out):
            out[i] = 1.0

    def two(self, i, out):
        out[i] = 2.0

    def four(self, i, out):
        out[i] = 4.0
    thing = Kernel()
    assert 1.0 == launched(queue, thing)
    become(Kernel.__call__, two)
    assert 2.0 == launched(queue, thing)
    Kernel.__call__ = four
    assert 4.0 == launched(queue, thing)


def test_dataclasses(queue):
    @dataclass
    class Pair:
        a: float
        b: float = 2.0

        def total(self):
            return self.a + self.b

        @property
        def product(self):
            return self.a * self.b

        def __add__(self, other):
            return Pair(self.a + other.a, self.b + other.b)

    def kernel(i, out):
        pair = Pair(i * 1.0) + Pair(i * 3.0)
        out[i] = pair.total() * 100.0 + pair.product

    def difference(self):
        return self.a - self.b

    def quotient(self):
        return self.a / self.b

    def second(self, other):
        return Pair(self.a, other.b * 3.0)

    def expected():
        pair = Pair(1.0) + Pair(3.0)
        return pair.total() * 100.0 + pair.product
    check(queue, kernel, [
        lambda: become(Pair.total, difference), lambda: become(Pair.product.fget, quotient),
        lambda: setattr(Pair, "__add__", second),
        lambda: setattr(Pair.__init__, "__defaults__", (64.0,)),
        lambda: setattr(Pair, "__post_init__", difference),
        lambda: setattr(Pair, "total", lambda self: 5.0)], expected)


def test_a_reduction_of_an_operator_of_ones_own(queue):
    def larger(a, b):
        return max(a, b)

    def smaller(a, b):
        return min(a, b)

    def found():
        result = np.zeros(1)
        with sycl.buffer(result) as memory:
            def group(h):
                def kernel(i, best):
                    best.combine(1.0 + i)
                h.parallel_for(4, sycl.reduction(memory, h, larger), kernel)
            result[0] = 2.5
            queue.submit(group)
        return result[0]
    assert 4.0 == found()
    assert 4.0 == found()
    become(larger, smaller)
    assert 1.0 == found()


FIRST = """
from dataclasses import dataclass
import unisycl as sycl
def helper(x, a=1.0):
    return x + a
def kernel(i, out):
    out[i] = helper(i)
@sycl.kernel
def marked(i, out):
    out[i] = helper(i) * 10.0
@dataclass
class Pair:
    a: float
    b: float = 5.0
    def total(self):
        return self.a + self.b
def paired(i, out):
    out[i] = Pair(i * 1.0).total()
"""
SECOND = "# moved by a line\n" + FIRST.replace("x + a", "x - a").replace("a=1.0", "a=3.0").replace(
    "* 10.0", "* 20.0").replace("b: float = 5.0", "b: float = 6.0\n    c: float = 7.0").replace(
        "self.a + self.b", "self.a + self.b * self.c").replace("out[i] = helper(i)\n",
                                                               "out[i] = 1000.0 + helper(i)\n")


_lines = itertools.count()


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Return the name of a module that can be edited, with what edits it."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    path = tmp_path / "reloaded_kernels.py"
    times, lines = iter(range(1, 100)), next(_lines)

    def write(text):
        path.write_text("\n" * lines + text)  # no other test has this code
        os.utime(path, (1, next(times) * 10))
        importlib.invalidate_caches()
    write(FIRST)
    yield "reloaded_kernels", write
    sys.modules.pop("reloaded_kernels", None)


def test_a_module_that_is_edited_and_reloaded(queue, module):
    name, write = module
    loaded = importlib.import_module(name)
    pair = (2.0, 20.0, 6.0)

    def values():
        return tuple(launched(queue, k) for k in (loaded.kernel, loaded.marked, loaded.paired))
    assert pair == values()
    write(SECOND)
    importlib.reload(loaded)
    assert (1000.0 - 2.0, -40.0, 1.0 + 6.0 * 7.0) == values()
    write(FIRST)
    importlib.reload(loaded)
    assert pair == values()


def test_functions_updated_in_place_as_autoreload_does(queue, module):
    """The names that the program imported stay; their code is the new one."""
    name, write = module
    loaded = importlib.import_module(name)
    kernel, helper = loaded.kernel, loaded.helper

    def mine(i, out):
        out[i] = helper(i) + 0.5
    assert (2.0, 2.5) == (launched(queue, kernel), launched(queue, mine))
    write(SECOND)
    importlib.reload(loaded)
    become(kernel, loaded.kernel)
    become(helper, loaded.helper)
    assert (998.0, -1.5) == (launched(queue, kernel), launched(queue, mine))


def test_an_edit_without_a_reload_changes_nothing(queue, module):
    """Python runs the code it has loaded; its text is remembered where a kernel was compiled."""
    name, write = module
    loaded = importlib.import_module(name)
    assert 2.0 == launched(queue, loaded.kernel)
    write(SECOND)
    single = np.zeros(4, np.float32)  # another type: compiled anew
    queue.parallel_for(4, loaded.kernel, single).wait()
    assert 2.0 == single[1]
    assert 20.0 == launched(queue, loaded.marked)


def test_an_edit_before_anything_was_compiled_is_refused(queue, module):
    name, write = module
    loaded = importlib.import_module(name)
    write(SECOND)
    with pytest.raises(sycl.KernelError, match="K022.*has changed since"):
        launched(queue, loaded.kernel)
    importlib.reload(loaded)
    assert 998.0 == launched(queue, loaded.kernel)
