"""``stream`` and ``printf``: text from kernels (SYCL 2020 §4.16, SYCL 1.2 §3.9.10)."""

from __future__ import annotations

import builtins
import contextlib
import copy
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import unisycl as sycl

endl, hex, setw = sycl.endl, sycl.hex, sycl.setw
x = np.array([0.5, -1.25, 1e10, 2 / 3], np.float32)


def lines_of(queue, launch, capsys) -> list[str]:
    """Return what a command group prints, whole lines in some order."""
    queue.submit(launch).wait_and_throw()
    return sorted(capsys.readouterr().out.splitlines())


@pytest.mark.row("D-47")
def test_a_thousand_items_print_whole_lines(queue, capsys):
    count = 1000

    def launch(h):
        out = sycl.stream(1 << 16, 64, h)

        def kernel(i):
            out << "item " << i[0]
            if i % 2:
                out << " is odd"
            else:
                out << " is even"
            out << endl
        h.parallel_for(count, kernel)
    expected = sorted(f"item {k} is {'odd' if k % 2 else 'even'}" for k in range(count))
    assert expected == lines_of(queue, launch, capsys)


@pytest.mark.row("D-47")
def test_every_kind_of_value_and_manipulator(queue, capsys):
    whole = np.array([255, -1], np.int16)

    def launch(h):
        out = sycl.stream(1024, 256, h)

        def kernel(i):
            out << True << " " << 7 << " " << whole[1] << " " << x[i] << " " << 0.1 << endl
            out << hex << sycl.showbase << whole[0] << " " << whole[1] << " " << sycl.oct << 8
            out << sycl.noshowbase << sycl.dec << " " << 8 << sycl.showpos << 8 << sycl.noshowpos
            out << endl << setw(6) << 42 << "|" << setw(2) << 12345 << setw(4) << "ab" << endl
            out << sycl.fixed << x[3] << " " << sycl.setprecision(2) << x[3] << " "
            out << sycl.scientific << x[3] << " " << sycl.hexfloat << x[0] << " "
            out << sycl.defaultfloat << x[3] << sycl.flush << endl
            out << sycl.id(1, 2) << sycl.range(3, 4, 5) << (1, 2.5) << endl
        h.parallel_for(1, kernel)
    queue.submit(launch).wait_and_throw()
    assert ["true 7 -1 0.5 0.1", "0xff 0xffff 010 8+8", "    42|12345  ab",
            "0.666667 0.67 6.67e-01 0x1p-1 0.67", "{1, 2}{3, 4, 5}1, 2.5",
            ] == capsys.readouterr().out.splitlines()


@pytest.mark.row("D-47")
def test_index_objects_show_what_they_are(queue, capsys):
    def launch(h):
        out = sycl.stream(1024, 256, h)

        def kernel(it):
            if it.get_global_linear_id() == 3:
                out << it << endl << it.get_group() << endl << it.get_nd_range() << endl
        h.parallel_for(sycl.nd_range((2, 4), (1, 2)), kernel)
    assert ["group(id: {0, 1}, group_range: {2, 2}, local_range: {1, 2})",
            "nd_item(global_id: {0, 3}, local_id: {0, 1})",
            "nd_range(global_range: {2, 4}, local_range: {1, 2}, offset: {0, 0})",
            ] == lines_of(queue, launch, capsys)

    def plain(h):
        out = sycl.stream(1024, 256, h)
        h.parallel_for(2, lambda i: out << i << endl)
    assert ["item(range: {2}, id: {0})", "item(range: {2}, id: {1})"] == lines_of(
        queue, plain, capsys)


@pytest.mark.row("D-47")
@pytest.mark.parametrize("local", [1, 5, 16, 33])
def test_text_without_a_flush_is_kept_together_across_barriers(queue, capsys, local):
    def launch(h):
        out, other = sycl.stream(1024, 256, h), sycl.stream(1024, 256, h)

        def kernel(it):
            out << "<" << it.get_global_id(0)
            if it.get_local_id(0) == 0:
                other << "[" << it.get_group(0) << "]\n"
            sycl.group_barrier(it.get_group())
            out << ":" << hex << 16 << ">\n"
        h.parallel_for(sycl.nd_range(2 * local, local), kernel)
    expected = sorted([f"<{k}:10>" for k in range(2 * local)] + ["[0]", "[1]"])
    assert expected == lines_of(queue, launch, capsys)


@pytest.mark.row("D-47")
def test_items_that_return_early_and_hierarchical_kernels_lose_nothing(queue, capsys):
    def launch(h):
        out = sycl.stream(1024, 256, h)

        def kernel(i):
            if i < 3:
                out << "early " << i[0] << "\n"
                return
            out << "late " << -i[0] << "\n"
        h.parallel_for(6, kernel)
    assert ["early 0", "early 1", "early 2", "late -3", "late -4", "late -5"] == lines_of(
        queue, launch, capsys)

    def groups(h):
        out = sycl.stream(1024, 256, h)

        def kernel(g):
            out << "group " << g.get_group_id(0) << endl

            def inner(it):
                out << "item " << it.get_global_id(0) << endl
            g.parallel_for_work_item(inner)
        h.parallel_for_work_group(sycl.range(2), sycl.range(3), kernel)
    assert ["group 0", "group 1", *(f"item {k}" for k in range(6))] == lines_of(
        queue, groups, capsys)


@pytest.mark.row("D-47")
def test_more_text_than_announced_is_written(queue, capsys):
    def launch(h):
        out = sycl.stream(8, 2, h)

        def kernel(i):
            for k in range(50):
                out << k << " "
        h.parallel_for(3, kernel)
    queue.submit(launch).wait_and_throw()
    assert " ".join(map(str, range(50))) + " " == capsys.readouterr().out[:140]


@pytest.mark.row("D-47", "A-31")
def test_a_stream_is_an_object_of_the_command_group(queue):
    made = []

    def launch(h):
        out = sycl.stream(1024, 80, h)
        made.append(out)
        with pytest.raises(sycl.exception, match="in kernels only"):
            out << "x"
        h.single_task(lambda: None)
    queue.submit(launch).wait()
    out = made[0]
    assert (1024, 80) == (out.size(), out.work_item_buffer_size())
    assert copy.copy(out) == out == copy.deepcopy(out)
    assert hash(copy.copy(out)) == hash(out)
    with pytest.raises(sycl.exception, match="handler"):
        sycl.stream(10, 10, queue)
    with pytest.raises(sycl.exception, match="negative"):
        queue.submit(lambda h: sycl.stream(-1, 10, h))


# ---- printf and print
@pytest.mark.row("D-48")
def test_printf_as_in_c(queue, capsys):
    result = np.ones(3, np.int32)
    small = np.array([200], np.uint8)

    def kernel(i):
        result[i] = sycl.printf("%3d|%-8.3f|%s|%#x|%c%%\n", i, x[i], "abc", small[0], 65)
        sycl.printf("%v2d %.1v4f %lu\n", (i, 1), (x[0], x[1], x[2], x[3]), 7, 8, 9)
    queue.parallel_for(1, kernel).wait()
    assert ["  0|0.500   |abc|0xc8|A%", "0,1 0.5,-1.2,10000000000.0,0.7 7",
            ] == capsys.readouterr().out.splitlines()
    assert 0 == result[0]


@pytest.mark.row("D-47", "D-48", "D-49")
def test_vectors_are_shown_component_by_component(queue, capsys):
    colours = np.array([[1, 2, 3, 4], [5, 6, 7, 8]], np.float32)

    def launch(h):
        out = sycl.stream(1024, 256, h)

        def kernel(i):
            v = sycl.float4(colours[i, 0], colours[i, 1], colours[i, 2], colours[i, 3])
            sycl.printf("%.1v4f|%v2d\n", v * 2, sycl.int2(i[0], -1))
            out << v << "|" << sycl.int2(1, 2) << endl
            print(sycl.int2(3, 4), f"{v.x:.2f}")
        h.parallel_for(1, kernel)
    queue.submit(launch).wait_and_throw()
    assert ["2.0,4.0,6.0,8.0|0,-1", "1, 2, 3, 4|1, 2", "int2(3, 4) 1.00",
            ] == capsys.readouterr().out.splitlines()
    sycl.printf("%v2d\n", sycl.int2(5, 6))
    assert "5,6\n" == capsys.readouterr().out


@pytest.mark.row("D-48")
def test_printf_outside_a_kernel_is_the_same(capsys):
    assert 0 == sycl.printf("%5.2f|%d|%v2d\n", 1.5, np.int8(3), (1, 2))
    assert " 1.50|3|1,2\n" == capsys.readouterr().out
    for form, values in (("%d", (1.5,)), ("%f", (1,)), ("%d", ()), ("%y", (1,)), ("%v2d", ((1,),))):
        with pytest.raises(sycl.exception, match="printf"):
            sycl.printf(form, *values)


@pytest.mark.row("D-48")
def test_print_has_formats_separators_and_ends(queue, capsys):
    def kernel(i):
        print(f"{x[i]:.2f} {i:>3} {x[i]!r} {(1, 'a', x[0])}", i * 2, sep="; ", end="!\n")
        print("a", 1, True, None, end="")
        print(flush=True)
    queue.parallel_for(1, kernel).wait()
    assert ["0.50   0 np.float32(0.5) (1, 'a', np.float32(0.5)); 0!", "a 1 True None",
            ] == capsys.readouterr().out.splitlines()


FORM = "%04d|%-5x|%+.1e|%s|%r%%"
WRONG, TWO, MEMBER, MIXED = "%q", "{} {}", "{0.x}", "{} {0}"
SHORT = np.float32(0.1)


def texts(n, v):
    """Print by all of Python's ways; the same function is a kernel and Python's own."""
    print(FORM % (n, n, v, v, n), "%5.2f" % v, sep=";")  # noqa: UP031 - what is tested
    print("{0} {1:>8.3f} {{{0!r}}}".format(n, v))  # noqa: UP032 - what is tested
    print("{} {name:#x}".format(v, name=n), f"{v} {v!s} {'%d' % n}")  # noqa: UP031, UP032


@pytest.mark.row("D-48")
def test_texts_by_percent_and_by_format_are_those_of_python(queue, capsys):
    queue.single_task(lambda: texts(np.int32(-37), SHORT)).wait()
    said = capsys.readouterr().out
    texts(np.int32(-37), SHORT)
    assert capsys.readouterr().out == said
    for wrong in (lambda: print(FORM % 1), lambda: print(WRONG % 1),
                  lambda: print(TWO.format(1)), lambda: print(MEMBER.format(1)),
                  lambda: print(MIXED.format(1))):
        with pytest.raises(sycl.exception, match="K090"):
            queue.single_task(wrong).wait()


@pytest.mark.row("D-48")
def test_a_print_that_a_library_put_there_is_print(queue, capsys, monkeypatch):
    shown = print

    def safe(*values, **options):
        with contextlib.nullcontext():
            shown(*values, **options)
    monkeypatch.setattr(builtins, "print", safe)

    def kernel(i):
        print("item", i, sep=": ")
    queue.parallel_for(1, kernel).wait()
    assert capsys.readouterr().out == "item: 0\n"


class Full:
    """A file that takes nothing."""

    def write(self, text: str) -> int:
        raise OSError(28, "No space left on device")

    def flush(self) -> None:
        pass


@pytest.mark.row("D-47", "D-48", "F-5")
@pytest.mark.parametrize("how", ["print", "printf", "stream"])
def test_output_that_fails_is_an_error_of_the_command(device, how):
    errors = []
    queue = sycl.queue(device, lambda found: errors.extend(found))

    def launch(h):
        out = sycl.stream(1024, 256, h)

        def kernel(i):
            if how == "print":
                print("lost", i)
            elif how == "printf":
                sycl.printf("lost %d\n", i)
            else:
                out << "lost" << endl
        h.parallel_for(40, kernel)
    with contextlib.redirect_stdout(Full()):
        queue.submit(launch).wait_and_throw()
    assert 1 == len(errors)
    assert "OSError: [Errno 28] No space left on device" in errors[0].what()
    assert "'kernel'" in errors[0].what()


PROGRAM = """
import sys
import unisycl as sycl
queue = sycl.queue(sycl.cpu_selector_v)
queue.parallel_for(2000, lambda i: print("work-item", i, "of", 2000))
def launch(h):
    out = sycl.stream(1024, 256, h)
    h.parallel_for(2000, lambda i: out << "line " << i[0] << " of " << 2000 << sycl.endl)
queue.submit(launch)
"""


@pytest.mark.row("D-47", "D-48")
@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full")
def test_redirected_output_is_whole_and_a_full_disk_is_told(tmp_path: Path):
    target = tmp_path / "out.txt"
    env = {**os.environ, "PYTHONPATH": str(Path(sycl.__file__).parents[1])}
    with target.open("w") as out:
        subprocess.run([sys.executable, "-c", PROGRAM], stdout=out, check=True, env=env)
    lines = sorted(target.read_text().splitlines())
    assert sorted([f"work-item {k} of 2000" for k in range(2000)]
                  + [f"line {k} of 2000" for k in range(2000)]) == lines
    with Path("/dev/full").open("w") as out:
        found = subprocess.run([sys.executable, "-c", PROGRAM], stdout=out, check=False, env=env,
                               stderr=subprocess.PIPE, text=True)
    assert 0 != found.returncode
    assert "could not print: OSError" in found.stderr
