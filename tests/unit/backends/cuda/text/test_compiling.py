"""What is printed as CUDA C++ is compiled, without a GPU; warnings are errors."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import unisycl as sycl
from tests import cuda_texts
from tests.sampling import SAMPLE
from unisycl.backends.base import Geometry
from unisycl.backends.cfamily.dialect import AtomicOp
from unisycl.backends.cfamily.kernel import Form, print_kernel
from unisycl.backends.cfamily.printer import Printer, Text
from unisycl.backends.cuda.text import atomics, builtins, compile, deciding, reserved
from unisycl.backends.cuda.text.dialect import make_dialect
from unisycl.backends.cuda.text.target import Target
from unisycl.base.dtypes import DTYPES, FLOAT32, INT32, UINT64, DType
from unisycl.base.enums import address_space, memory_order, memory_scope
from unisycl.base.errors import BuildError, UnsupportedError
from unisycl.ir import nodes as n
from unisycl.ir.builtins import BUILTINS, Builtin
from unisycl.ir.operators import OPERATORS
from unisycl.ir.types import Scalar, View

ROOT = Path(__file__).parents[5]
RANGE = Geometry("range", (1000,), (), (0,))
OPERATIONS = ("load", "store", "exchange", "add", "sub", "and", "or", "xor", "min", "max",
              "compare_exchange")
FLOATING = frozenset(("load", "store", "exchange", "add", "sub", "min", "max", "compare_exchange"))


@pytest.fixture(autouse=True)
def _compiler() -> None:
    if why := compile.problem():
        pytest.skip(why)


def kernel_of(*body: n.Stmt, params: tuple[n.Param, ...] = ()) -> n.Kernel:
    return n.Kernel("kernel", params, body, "range", 1)


def types_of(row: Builtin, kind: DType) -> list[DType] | None:
    """Return the types of a row's operands whose shared type is ``kind``; None: not of that."""
    letters = row.operands
    if row.parts or not set(letters) & set("fns" if kind.is_float else "inj"):
        return None
    if ("s" in letters and kind is not FLOAT32) or ("j" in letters and kind.bits != 32):
        return None
    if "w" in row.results and kind.bits == 64:
        return None
    others = {"k": INT32, "b": DTYPES["bool"], "u": DTYPES.get(f"uint{kind.bits}", UINT64)}
    return [others.get(letter, kind) for letter in letters]


def result_of(row: Builtin, kind: DType) -> DType:
    wide = DTYPES.get(f"{'int' if kind.kind == 'i' else 'uint'}{2 * kind.bits}", kind)
    return {"k": INT32, "b": DTYPES["bool"], "w": wide}.get(row.results, kind)


@pytest.mark.parametrize("kind", [d.name for d in DTYPES.values() if d.kind != "b"])
def test_every_builtin_has_a_spelling_that_compiles(kind: str) -> None:
    dtype = DTYPES[kind]
    scalar, params, body = Scalar(dtype), [], []
    for row in BUILTINS.values():
        types = types_of(row, dtype)
        if types is None:
            continue
        back = Scalar(result_of(row, dtype))
        out = n.Param(f"out_{len(params)}", View(back, 1), len(params))
        params.append(out)
        given = tuple(n.Cast(Scalar(t), n.Query(Scalar(DTYPES["int64"]), "global_id", 0))
                      for t in types)
        at = (n.Query(Scalar(DTYPES["int64"]), "global_id", 0),)
        body.append(n.Store(n.Place(out, at, back), n.Call(back, row, given)))
    assert body
    kernel = kernel_of(*body, params=tuple(params))
    text = print_kernel(kernel, make_dialect(Target((8, 0))), Form()).text
    assert cuda_texts.refusal(kernel, text, 80) == ""
    assert scalar.dtype is dtype


@pytest.mark.parametrize("kind", [d.name for d in DTYPES.values() if d.kind != "b"])
def test_a_type_of_nothing_but_a_constant_is_defined(kind: str) -> None:
    out = n.Param("out", View(Scalar(FLOAT32), 1), 0)
    at = (n.Query(Scalar(DTYPES["int64"]), "global_id", 0),)
    number = n.Cast(Scalar(FLOAT32), n.Const(Scalar(DTYPES[kind]), 2))
    kernel = kernel_of(n.Store(n.Place(out, at, Scalar(FLOAT32)), number), params=(out,))
    text = print_kernel(kernel, make_dialect(Target((8, 0))), Form()).text
    assert cuda_texts.refusal(kernel, text, 80) == ""


def operations() -> Iterator[AtomicOp]:
    kinds = [d for d in DTYPES.values() if d.kind != "b" and d.name != "float16"]
    spaces = (address_space.global_space, address_space.local_space)
    orders = tuple(memory_order)
    for op, space, dtype in itertools.product(OPERATIONS, spaces, kinds):
        if dtype.is_float and op not in FLOATING:
            continue
        for order, scope in itertools.product(orders, memory_scope):
            if dtype is INT32 or (order, scope) == (memory_order.seq_cst, memory_scope.system):
                yield AtomicOp(op, dtype, space, order, scope)


def test_every_atomic_operation_compiles() -> None:
    p = Printer(kernel_of(), make_dialect(Target((8, 0))))
    lines = []
    for k, op in enumerate(operations()):
        type = p.type(op.dtype)
        operands = [Text("x"), Text("y")][:{"load": 0, "compare_exchange": 2}.get(op.op, 1)]
        call = p.call(atomics.template(op), operands, op.dtype, p="p").c
        lines.append(f"__device__ void use_{k}({type} *p, {type} x, {type} y) {{ {call}; }}")
    text = "\n".join([*p.preamble(), *lines])
    assert cuda_texts.refusal(kernel_of(), text, 80) == ""
    assert text.count("asm volatile") > len(lines) / 2


def test_orders_and_scopes_are_those_asked_for() -> None:
    def text(order: memory_order, scope: memory_scope, space: address_space) -> str:
        p = Printer(kernel_of(), make_dialect(Target((9, 0))))
        p.call(atomics.template(AtomicOp("add", INT32, space, order, scope)), [Text("x")], INT32,
               p="p")
        return "\n".join(p.preamble())

    far, near = address_space.global_space, address_space.local_space
    device, system = memory_scope.device, memory_scope.system
    assert "atom.relaxed.gpu.global.add.u32" in text(memory_order.relaxed, device, far)
    assert "atom.acq_rel.sys.global.add.u32" in text(memory_order.acq_rel, system, far)
    assert "atom.release.cta.shared.add.u32" in text(memory_order.release, device, near)
    whole = text(memory_order.seq_cst, device, far)
    assert whole.index("fence.sc.gpu") < whole.index("atom.acq_rel.gpu.global.add.u32")
    assert atomics.fence(memory_order.relaxed, system) == ""
    assert "fence.acq_rel.cta" in atomics.fence(memory_order.acquire, memory_scope.work_group)


def test_code_is_for_the_device_or_for_what_its_driver_finishes() -> None:
    known = (75, 80, 86, 90, 100)
    assert compile.architecture(Target((9, 0)), known) == ("sm_90", "CUBIN")
    assert compile.architecture(Target((8, 9)), known) == ("sm_86", "CUBIN")
    assert compile.architecture(Target((11, 0)), known) == ("compute_100", "PTX")
    with pytest.raises(UnsupportedError, match=r"5\.2.*7\.5"):
        compile.architecture(Target((5, 2)), known)


def test_names_of_the_library_are_nobody_elses() -> None:
    for name in ("sinf", "norm3d", "float4", "make_int2", "threadIdx", "atomicAdd", "typename"):
        assert reserved.is_reserved(name), name
    assert not any(map(reserved.is_reserved, ("x", "total", "sum_of", "i", "kernel", "out")))


@pytest.mark.parametrize("name", ["_", "sin", "norm", "float4", "threadIdx", "template", "half"])
def test_kernels_may_be_called_like_things_of_the_library(name: str) -> None:
    out = n.Param(name, View(Scalar(FLOAT32), 1), 0)
    place = n.Place(out, (n.Query(Scalar(DTYPES["int64"]), "global_id", 0),), Scalar(FLOAT32))
    value = n.Call(Scalar(FLOAT32), BUILTINS["sin"], (n.Const(Scalar(FLOAT32), 0.5),))
    kernel = n.Kernel(name, (out,), (n.Store(place, value),), "range", 1)
    text = print_kernel(kernel, make_dialect(Target((8, 0))), Form()).text
    assert cuda_texts.refusal(kernel, text, 80) == ""


def test_infinities_stand_in_constants_and_tables() -> None:
    out = n.Param("out", View(Scalar(FLOAT32), 1), 0)
    at = (n.Query(Scalar(DTYPES["int64"]), "global_id", 0),)
    body = [n.Store(n.Place(out, at, Scalar(FLOAT32)), n.Const(Scalar(FLOAT32), value))
            for value in (math.inf, -math.inf, math.nan, -0.0, 1e-45)]
    kernel = kernel_of(*body, params=(out,))
    text = print_kernel(kernel, make_dialect(Target((8, 0))), Form()).text
    assert cuda_texts.refusal(kernel, text, 80) == ""


def test_a_text_that_is_refused_shows_the_log() -> None:
    kernel = n.Kernel("broken", (), (), "single", 1)
    source = print_kernel(kernel, make_dialect(Target((8, 0))), Form((), (1,)))
    wrong = type(source)(source.text.replace("{", "{ int x = y;", 1), source.name, ())
    with pytest.raises(BuildError, match=r"'broken' was refused by NVIDIA's compiler.*\n.*\"y\""):
        compile.compile_kernel(wrong, kernel, Target((8, 0)))


def test_fma_is_the_librarys_and_sums_of_complex_numbers_are_not_fused() -> None:
    assert builtins.spelling(BUILTINS["fma"], FLOAT32) == "fmaf({0}, {1}, {2})"
    assert "__f{word}_rn".format(word="add") in builtins.HELPERS["exact_add"].text


def test_kernels_of_the_suite_compile(tmp_path: Path) -> None:
    tests = ["tests/conformance/group/test_shuffles.py", "tests/conformance/group/test_masks.py"]
    done = subprocess.run([sys.executable, "-m", "tests.cuda_texts", "--folder", str(tmp_path),
                           "--archs", "80", "--processes", "1", *tests, "--sample"], cwd=ROOT,
                          capture_output=True, text=True, check=False)
    last = done.stdout.strip().splitlines()[-1]
    assert done.returncode == 0, done.stdout[-3000:]
    assert last.endswith(" 0 refused")
    assert not last.startswith("0 texts")


def test_texts_for_flat_and_distinct_launches_compile() -> None:
    def kernel(i, x, y):
        y[i] = x[i] * 2

    found: list[n.Kernel] = []
    collector = cuda_texts.Collector()
    with collector.watching():
        x = np.zeros((4, 4), np.float32)
        queue = sycl.queue(next(d for d in sycl.device.get_devices()
                                if d.get_backend() is sycl.backend.cpu))
        queue.parallel_for(sycl.range(4, 4), kernel, x, x.copy()).wait()
    found = [kernel for kernel, _ in collector.texts.values()]
    assert found
    geometry = Geometry("range", (4, 4), (), (1, 1))
    for flat, distinct in itertools.product((False, True), repeat=2):
        text = cuda_texts.text_of(found[0], geometry, Target((9, 0)), flat=flat,
                                  distinct=distinct).text
        assert ("__restrict__" in text) is distinct
        assert "start_0" in text
        assert ("const long long count" in text) is flat
        assert cuda_texts.refusal(found[0], text, 90) == ""


@pytest.mark.parametrize("shape", [(20000,), (100, 200), (10, 20, 100)])
def test_large_local_arrays_lie_in_what_a_launch_lays_out(shape: tuple[int, ...]) -> None:
    kind, wide = Scalar(FLOAT32), Scalar(DTYPES["int64"])
    local = View(kind, len(shape), address_space.local_space)
    arrays = n.Array("tile", local, shape), n.Array("more", View(
        kind, 1, address_space.local_space), (5,))
    at = n.Query(wide, "local_id", 0)
    body = [n.Store(n.Place(a, (at,) * len(a.shape), kind), n.Const(kind, 1.0)) for a in arrays]
    kernel = n.Kernel("kernel", (), tuple(body), "nd_range", 1, (64,), arrays=arrays)
    source = print_kernel(kernel, make_dialect(Target((8, 0))), Form((), (64,)))
    assert source.local_bytes == 80000 + 32
    assert cuda_texts.refusal(kernel, source.text, 80) == ""
    small = n.Kernel("kernel", (), (body[1],), "nd_range", 1, (64,), arrays=arrays[1:])
    assert print_kernel(small, make_dialect(Target((8, 0))), Form((), (64,))).local_bytes == 0


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Have each type meet both scopes; in a sample it meets one of them, by turns."""
    if "scope" in metafunc.fixturenames:
        sample = metafunc.config.getoption("--sample")
        metafunc.parametrize(("kind", "scope"), [
            (d.name, scope) for k, d in enumerate(DTYPES.values())
            for j, scope in enumerate((memory_scope.work_group, memory_scope.sub_group))
            if not sample or (j + k) % 2 == 0])


def test_every_group_function_compiles(kind: str, scope: memory_scope) -> None:
    dtype, wide = Scalar(DTYPES[kind]), Scalar(DTYPES["int64"])
    out, body = n.Param("out", View(dtype, 1), 0), []
    me = n.Query(wide, "local_id", 0)
    value = n.Cast(dtype, me)

    def call(op: str, combine: str, *args: n.Expr, back: Scalar = dtype) -> None:
        result = n.Local("result", back)
        body.append(n.GroupCall(result, op, args, scope, combine))
        body.append(n.Store(n.Place(out, (me,), dtype), n.Cast(dtype, n.Read(back, result))))

    turn = list(DTYPES).index(kind) // 2  # types of one scope are every other one
    for k, (name, row) in enumerate(OPERATORS.items()):
        for j, op in enumerate(("reduce", "inclusive_scan", "exclusive_scan")):
            if dtype.dtype.kind in row.only:  # without a start and with one; of a sample by turns
                if not SAMPLE[0] or (turn + k + j) % 2:
                    call(op, name, value)
                if not SAMPLE[0] or not (turn + k + j) % 2:
                    call(op, name, value, value)
    call("broadcast", "", value, n.Const(wide, 3))
    if scope is memory_scope.sub_group:
        for op in ("shift_left", "shift_right", "permute_xor", "select"):
            call(op, "", value, n.Const(wide, 1))
    if kind == "bool":
        for op in ("any", "all", "none"):
            call(op, "", value)
    size = (75, 256, 20)[list(DTYPES).index(kind) % 3]
    kernel = n.Kernel("kernel", (out,), tuple(body), "nd_range", 1, (size,))
    text = print_kernel(kernel, make_dialect(Target((8, 0))), Form((), (size,))).text
    assert cuda_texts.refusal(kernel, text, 80) == ""


def test_vectors_are_moved_by_sixteen_bytes() -> None:
    def kernel(i, x, y):
        y[i] = x[i] * 2

    collector = cuda_texts.Collector()
    with collector.watching():
        x = np.zeros(100, sycl.float4)
        queue = sycl.queue(next(d for d in sycl.device.get_devices()
                                if d.get_backend() is sycl.backend.cpu))
        queue.parallel_for(sycl.range(100), kernel, x, x.copy()).wait()
    ((found, _),) = collector.texts.values()
    text = cuda_texts.text_of(found, RANGE, Target((9, 0))).text
    code, _ = compile.compiler().compile(text, ("--gpu-architecture=compute_90",), "PTX")
    assert code.count(b"ld.global.v4.f32") == 1
    assert code.count(b"st.global.v4.f32") == 1


def test_floats_beyond_an_integer_become_the_lowest_one_as_on_x86() -> None:
    far = np.float64(math.inf)

    def kernel(i, x, small, large):
        small[i] = np.int32(far)
        large[i] = np.int64(x[i])

    collector = cuda_texts.Collector()
    with collector.watching():
        x = np.zeros(100, np.float32)
        sycl.queue(sycl.cpu_selector_v).parallel_for(
            sycl.range(100), kernel, x, np.zeros(100, np.int32), np.zeros(100, np.int64)).wait()
    ((found, _),) = collector.texts.values()
    text = cuda_texts.text_of(found, RANGE, Target((9, 0))).text
    code, _ = compile.compiler().compile(text, ("--gpu-architecture=compute_90",), "PTX")
    assert b"-2147483648" in code  # the device's own conversion gives the largest one
    assert b"-9223372036854775808" in code


@pytest.mark.parametrize("asked", ["-O0", "-O1", "-O2", "-O3", "-g", "-ffast-math"])
def test_options_of_kernels_are_the_compilers(asked: str) -> None:
    kernel = n.Kernel("plain", (), (), "single", 1, traits=(("options", (asked,)),))
    source = print_kernel(kernel, make_dialect(Target((8, 0))), Form((), (1,)))
    words = compile.options(kernel, "sm_80")
    code, log = compile.compiler().compile(source.text, words, "CUBIN")
    assert (True, "") == (bool(code), log)


def test_groups_of_a_multiprocessor_are_asked_for() -> None:
    kernel = n.Kernel("plain", (), (), "nd_range", 1, traits=(("min_work_groups_per_cu", (3,)),))
    text = print_kernel(kernel, make_dialect(Target((9, 0))), Form((), (256,))).text
    assert "__launch_bounds__(256, 3)" in text
    assert "" == cuda_texts.refusal(kernel, text, 90)


def test_parts_of_sub_groups_are_told_apart_by_what_they_bring() -> None:
    """Who is at a place at the same time is nothing that a card promises."""
    parts = sycl.ext.oneapi.experimental

    @sycl.kernel(reqd_work_group_size=8)
    def kernel(it, out):
        k = it.get_global_id(0)
        for turn in range(6):
            if turn == k:
                break
            if (turn + k) % 3:
                here = parts.entangle(it.get_sub_group())
                out[k] += sycl.reduce_over_group(here, 10 ** turn, sycl.plus)

    collector = cuda_texts.Collector()
    with collector.watching():
        sycl.queue(sycl.cpu_selector_v).parallel_for(
            sycl.nd_range(8, 8), kernel, np.zeros(8, np.int64)).wait()
    ((found, _),) = collector.texts.values()
    text = cuda_texts.text_of(found, Geometry("nd_range", (8,), (8,), (0,)), Target((9, 0))).text
    assert "" == cuda_texts.refusal(found, text, 90)
    assert "__ballot_sync(0xffu" in text
    assert "__activemask" not in text


@pytest.mark.parametrize(("size", "whole"), [(256, True), (72, False)])
def test_reductions_of_whole_sub_groups_are_joined_by_all_of_their_items(
        *, size: int, whole: bool) -> None:
    @sycl.kernel(reqd_work_group_size=size)
    def kernel(it, out):
        out[it.get_global_id(0)] = sycl.reduce_over_group(
            it.get_group(), out[it.get_global_id(0)], sycl.plus)

    collector = cuda_texts.Collector()
    out = np.arange(2 * size, dtype=np.float32)
    with collector.watching():
        sycl.queue(sycl.cpu_selector_v).parallel_for(sycl.nd_range(2 * size, size), kernel,
                                                     out).wait()
    ((found, _),) = collector.texts.values()
    geometry = Geometry("nd_range", (2 * size,), (size,), (0,))
    text = cuda_texts.text_of(found, geometry, Target((9, 0))).text
    assert "" == cuda_texts.refusal(found, text, 90)
    assert ("__shfl_xor_sync" in text, "__shfl_up_sync" in text) == (whole, not whole)


def test_what_reads_conditions_of_graphs_leaves_one_function_to_the_driver() -> None:
    text = deciding.code(Target((9, 0))).decode()
    assert text.count(".extern") == text.count(".extern .func cudaGraphSetConditional") == 1
    assert ".visible .entry decide(" in text
