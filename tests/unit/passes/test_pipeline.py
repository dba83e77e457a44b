"""The lists of passes, and that IR is verified behind each of them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import unisycl.passes
from unisycl.base.dtypes import FLOAT32, FLOAT64, INT32
from unisycl.base.enums import address_space, memory_order, memory_scope
from unisycl.base.errors import InternalError
from unisycl.ir import nodes as n
from unisycl.ir.builtins import BUILTINS
from unisycl.ir.types import BOOL, INT64, Scalar, View
from unisycl.ir.verify import verify
from unisycl.passes import looking, pipeline
from unisycl.passes.pipeline import Facts, Pass

I32, F32, F64 = Scalar(INT32), Scalar(FLOAT32), Scalar(FLOAT64)
DATA = n.Param("data", View(F32, 1), 0)
COUNT = n.Param("count", INT64, 1)
OWN = n.Array("own", View(F32, 1, space=address_space.private_space), (4,))
X, FLAG, K = n.Local("x", F32), n.Local("flag", BOOL), n.Local("k", INT64)
ONE, ZERO = n.Const(F32, 1.0), n.Const(INT64, 0)
TRUE = n.true()
GROUP, ITEM = memory_scope.work_group, memory_scope.work_item
PLACE = n.Place(DATA, (n.Query(INT64, "global_id", 0),), F32)
SOUND: n.Block = (
    n.For(K, ZERO, n.ParamRead(INT64, COUNT), n.Const(INT64, 1), (
        n.If(FLAG_SET := n.Compare(BOOL, "lt", n.Read(INT64, K), n.Const(INT64, 3)),
             (n.Assign(X, ONE), n.Continue())),
        n.Store(PLACE, n.Read(F32, X)),
        n.Assign(X, n.Load(F32, PLACE)))),
    n.Scope(1, (n.If(FLAG_SET, (n.Leave(1),)), n.Leave(0))))


def kernel(*body: n.Stmt, kind: str = "range") -> n.Kernel:
    """Return a kernel of two parameters and an array."""
    return n.Kernel("k", (DATA, COUNT), body, kind, 1, (4,) if kind == "nd_range" else (),
                    arrays=(OWN,))


def meeting(body: n.Stmt) -> n.Kernel:
    return kernel(body, kind="nd_range")


def computed(x: n.Expr) -> n.Kernel:
    """Return a kernel that gives a local of its type a number."""
    return kernel(n.Assign(n.Local("y", x.type), x))


BROKEN = {
    "value": (kernel(n.Assign(X, n.Const(F64, 1.0))), "the value of 'x' is float64"),
    "stored": (kernel(n.Store(PLACE, n.Const(F64, 1.0))), "a stored value is float64"),
    "several": (kernel(n.LoadMany((K,), PLACE)), "what 'k' is given from memory is float32"),
    "values": (kernel(n.StoreMany(PLACE, (ZERO,))), "a stored value is int64"),
    "condition": (kernel(n.If(ZERO, ())), "a condition is int64, expected bool"),
    "while": (kernel(n.While((), ONE, ())), "a condition is float32, expected bool"),
    "bounds": (kernel(n.For(K, ZERO, n.Const(I32, 3), ZERO, ())), "the stop of a loop is int32"),
    "step": (kernel(n.For(K, ZERO, ZERO, ZERO, ())), "a loop's step is 0"),
    "float loop": (kernel(n.For(X, ONE, ONE, ONE, ())), "a loop counts in float32"),
    "unassigned": (kernel(n.Store(PLACE, n.Read(F32, X))), "'x' is read where nothing"),
    "too early": (kernel(n.Store(PLACE, n.Read(F32, X)), n.Assign(X, ONE)), "'x' is read where"),
    "own bound": (kernel(n.For(K, n.Read(INT64, K), ZERO, n.Const(INT64, 1), ())), "'k' is read"),
    "read type": (kernel(n.Assign(X, ONE), n.Store(PLACE, n.Cast(F32, n.Read(F64, X)))),
                  "a reading of 'x' is float64"),
    "break": (kernel(n.Break()), "Break outside a loop"),
    "continue": (kernel(n.If(TRUE, (n.Continue(),))), "Continue outside a loop"),
    "leave": (kernel(n.Scope(1, ()), n.Leave(1)), "Leave of scope 1 outside it"),
    "scopes": (kernel(n.Scope(1, ()), n.Scope(1, ())), "there are two scopes 1"),
    "barrier": (kernel(n.Barrier(GROUP)), "Barrier of a work_group in a kernel of kind 'range'"),
    "whose": (meeting(n.Barrier(ITEM)), "Barrier of a work_item"),
    "inside": (kernel(n.WorkItems((), (n.Barrier(GROUP),)), kind="work_group"),
               "inside a loop over work-items"),
    "items": (kernel(n.WorkItems((), ())), "not at the level of groups"),
    "jump of items": (kernel(n.While((), TRUE, (n.WorkItems((), (n.Break(),)),)),
                             kind="work_group"), "Break outside a loop"),
    "vote": (meeting(n.GroupCall(FLAG, "any", (ONE,), GROUP)), "the operand of 'any' is float32"),
    "verdict": (meeting(n.GroupCall(X, "any", (TRUE,), GROUP)), "'any' gives bool"),
    "reduce": (meeting(n.GroupCall(K, "reduce", (ONE,), GROUP, "plus")), "the result of 'reduce'"),
    "collective": (meeting(n.GroupCall(X, "guess", (ONE,), GROUP)), "no group function 'guess'"),
    "atomic": (kernel(n.Atomic(None, "add", PLACE, (ZERO,), memory_order.relaxed, GROUP)),
               "an operand of atomic 'add' is int64"),
    "operands": (kernel(n.Atomic(X, "load", PLACE, (ONE,), memory_order.relaxed, GROUP)),
                 "atomic 'load' of 1 operands"),
    "literal": (computed(n.Const(I32, 1 << 31)), "2147483648 as int32"),
    "truth": (computed(n.Const(BOOL, 1)), "1 as bool"),
    "operand": (computed(n.Binary(F32, "add", ONE, n.Const(F64, 1.0))), "right operand of 'add'"),
    "operation": (computed(n.Binary(F32, "plus", ONE, ONE)), "no operation 'plus'"),
    "sign": (computed(n.Unary(INT64, "neg", ONE)), "the operand of 'neg' is float32"),
    "compared": (computed(n.Compare(BOOL, "lt", ONE, ZERO)), "the right operand of 'lt'"),
    "comparison": (computed(n.Compare(INT64, "lt", ZERO, ZERO)), "the result of 'lt' is int64"),
    "choice": (computed(n.Select(F32, TRUE, ONE, ZERO)), "the second of two values is int64"),
    "wider": (computed(n.Narrow(INT64, n.Const(I32, 1))), "int32 narrowed to int64"),
    "bits": (computed(n.Bitcast(INT64, ONE)), "bits of float32 as int64"),
    "builtin": (computed(n.Call(F32, BUILTINS["sin"], (ONE, ONE))), "'sin' of 2 operands"),
    "integers": (computed(n.Call(F32, BUILTINS["sin"], (ZERO,))), "'sin' of int64"),
    "query": (computed(n.Query(INT64, "global_id", 1)), "no 'global_id' of dimension 1"),
    "load": (computed(n.Load(F64, PLACE)), "a loaded value is float64"),
    "indices": (computed(n.Load(F32, n.Place(DATA, (), F32))), "0 indices of 'data'"),
    "index": (computed(n.Load(F32, n.Place(DATA, (ONE,), F32))), "an index of 'data' is float32"),
    "extent": (computed(n.Extent(INT64, DATA, 1)), "'data' has no dimension 1"),
    "parameter": (computed(n.ParamRead(INT64, n.Param("other", INT64, 2))), "no parameter 'other'"),
    "array": (computed(n.Load(F32, n.Place(replace(OWN), (ZERO,), F32))), "no array 'own'"),
}


def test_sound_code_is_left_alone() -> None:
    verify(kernel(*SOUND), "the front end")
    verify(meeting(n.Barrier(GROUP)), "the front end")
    verify(kernel(n.Store(PLACE, n.Read(F32, X))), "the front end", [X])


@pytest.mark.parametrize("which", BROKEN)
def test_code_that_a_pass_breaks_is_reported_with_the_name_of_the_pass(
        which: str, monkeypatch: pytest.MonkeyPatch) -> None:
    broken, reason = BROKEN[which]
    passes = (Pass("sound", lambda k, f: replace(k)), Pass("breaker", lambda k, f: broken),
              Pass("later", lambda k, f: replace(k)))
    monkeypatch.setitem(pipeline.TARGETS, "plain", {"every": passes})
    with pytest.raises(InternalError) as error:
        pipeline.run(kernel(*SOUND), "plain", "every", Facts())
    said = error.value.what()
    assert "the pass 'breaker' left broken code of kernel 'k'" in said
    assert reason in said


def test_code_is_verified_where_the_environment_asks_for_it(
        monkeypatch: pytest.MonkeyPatch) -> None:
    broken = kernel(n.Break())
    monkeypatch.setitem(pipeline.TARGETS, "plain", {
        "every": (Pass("breaker", lambda k, f: broken),)})
    monkeypatch.setattr(pipeline, "ALWAYS_VERIFY", [False])
    monkeypatch.delenv("UNISYCL_DEBUG", raising=False)
    assert pipeline.run(kernel(), "plain", "every", Facts()) is broken
    monkeypatch.setenv("UNISYCL_DEBUG", "1")
    with pytest.raises(InternalError, match="the pass 'breaker'"):
        pipeline.run(kernel(), "plain", "every", Facts())


def test_the_front_end_answers_for_what_it_makes() -> None:
    with pytest.raises(InternalError, match="the front end left broken code"):
        pipeline.prepare(kernel(n.Break()))


def test_who_looks_sees_the_kernel_behind_each_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    made = kernel(n.Assign(X, ONE))
    monkeypatch.setitem(pipeline.TARGETS, "plain", {"every": (
        Pass("makes", lambda k, f: made), Pass("idle", lambda k, f: kernel(), lambda k, f: False))})
    with looking.seen() as seen:
        pipeline.run(kernel(), "plain", "every", Facts())
    assert [(x.name, x.kernel) for x in seen] == [("makes", made), ("idle", made)]
    assert not looking.is_seen()


def _rewrites(path: Path) -> bool:
    """Say whether a public function of a module returns a kernel or a block."""
    for x in ast.parse(path.read_text()).body:
        if isinstance(x, ast.FunctionDef) and not x.name.startswith("_") and x.returns is not None:
            words = ast.unparse(x.returns).replace("n.", "").replace("[", ",").split(",")
            if {"Kernel", "Block"} & set(words):
                return True
    return False


def test_the_lists_name_every_pass_that_rewrites() -> None:
    folder = Path(unisycl.passes.__file__).parent
    modules = {p.stem: p for p in folder.glob("*/*.py") if p.stem != "__init__"}
    missing = {name for name, p in modules.items() if _rewrites(p)} - set(pipeline.names())
    assert not missing
    assert len(modules) > len([p for p in modules.values() if _rewrites(p)]) > 10
    # further uses of lockstep, and what targets bring
    assert set(pipeline.names()) - set(modules) == {
        "partings", "sub_groups", "continues", "unwrapped", "records"}


def test_no_name_stands_twice_in_the_list_of_a_target() -> None:
    for stages in pipeline.TARGETS.values():
        listed = [x.name for stage in stages.values() for x in stage]
        assert len(listed) == len(set(listed))


def test_a_target_that_brings_a_pass_has_it_run_in_its_place() -> None:
    change: Callable[[n.Kernel], n.Kernel] = lambda k: replace(k, name="changed")  # noqa: E731
    found = pipeline.run(kernel(), "simd", "loops", Facts(own={"continues": change}))
    assert found.name == "changed"
