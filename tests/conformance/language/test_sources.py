"""Kernels work where people write them: files, exec, -c, the prompt, notebook cells, loops."""

from __future__ import annotations

import code
import linecache
import os
import pty
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import unisycl as sycl
from tests import children
from tests.executed import execute
from unisycl.process import executed_texts

pytestmark = pytest.mark.row("D-11")

PROGRAM = """
import numpy as np
import unisycl as sycl
q = sycl.queue(sycl.host_selector_v)
out = np.zeros(4, np.int64)
def kernel(i):
    out[i] = i * 7 + 1
q.parallel_for(4, kernel).wait()
print(out.tolist())
q.parallel_for(4, lambda i: kernel(i + 0)).wait()
print("done", out.sum())
"""


def run(*arguments: str, text: str | None = None) -> str:
    done = children.run([sys.executable, "-W", "error", *arguments], input=text, text=True,
                          capture_output=True, timeout=300,
                          env={**os.environ, "PYTHONPATH": str(Path(sycl.__file__).parents[1])})
    return done.stdout + done.stderr


def test_in_the_argument_of_python_c():
    assert "[1, 8, 15, 22]\ndone 46\n" == run("-c", PROGRAM)


def test_in_a_script(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    assert "[1, 8, 15, 22]\ndone 46\n" == run(str(path))


def test_in_text_piped_to_python_the_error_says_what_to_do():
    found = run("-", text=PROGRAM)
    assert "K022" in found
    assert "cannot be found" in found


def test_at_the_prompt(tmp_path):
    """Typed at a terminal: the text is in the history that readline keeps."""
    main, other = pty.openpty()
    env = {**os.environ, "PYTHONPATH": str(Path(sycl.__file__).parents[1]), "TERM": "dumb",
           "PYTHON_BASIC_REPL": "1", "HOME": str(tmp_path), "PYTHONSTARTUP": ""}
    process = subprocess.Popen([sys.executable, "-i", "-q"], stdin=other, stdout=other,
                               stderr=other, env=env, close_fds=True)
    os.close(other)
    typed = PROGRAM.strip().replace("    out[i] = i * 7 + 1\n", "    out[i] = i * 7 + 1\n\n")
    os.write(main, (typed + "\nexit()\n").encode())
    seen = b""
    try:
        while chunk := os.read(main, 4096):
            seen += chunk
    except OSError:  # the other end is closed
        pass
    os.close(main)
    process.wait(60)
    assert "[1, 8, 15, 22]" in seen.decode(), seen.decode()
    assert "done 46" in seen.decode()


def outputs(queue, space):
    out = np.zeros(4, np.int64)
    space["out"] = out
    queue.parallel_for(4, space["kernel"]).wait()
    return out.tolist()


def test_in_strings_given_to_exec_with_the_same_names(queue):
    made = []
    for factor in (2, 3, 5):
        space = {"out": None}
        execute(f"def kernel(i):\n    out[i] = i * {factor}\n", space)
        made.append(space)
    for factor, space in zip((2, 3, 5), made):
        assert [0, factor, 2 * factor, 3 * factor] == outputs(queue, space)


def test_in_eval(queue):
    out = np.zeros(3, np.int64)

    def put(i, x):
        out[i] = x
    text = "lambda i: put(i, i * 11)"
    executed_texts.remember("<string>", text)
    kernel = eval(text, {"put": put})
    queue.parallel_for(3, kernel).wait()
    assert [0, 11, 22] == out.tolist()


def test_in_a_console(queue):
    console = code.InteractiveConsole({"out": None})
    lines = ["def kernel(i):", "    out[i] = i + 40", ""]
    executed_texts.remember("<console>", "\n".join(lines))
    for line in lines:
        console.push(line)
    assert [40, 41, 42, 43] == outputs(queue, console.locals)


def test_in_a_notebook_cell(queue):
    """Notebooks compile cells under a name of their own and put the text into linecache."""
    name = "/tmp/ipykernel_4711/1234567.py"
    text = "def kernel(i):\n    out[i] = i * i\n"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    try:
        space = {"out": None}
        exec(compile(text, name, "exec"), space)
        assert [0, 1, 4, 9] == outputs(queue, space)
    finally:
        del linecache.cache[name]


def test_a_file_that_changed_since_it_was_read_is_not_mistaken(queue, tmp_path):
    path = tmp_path / "changing.py"
    path.write_text("def kernel(i):\n    out[i] = first\n")
    space = {"out": None, "first": 1}
    exec(compile(path.read_text(), str(path), "exec"), space)
    path.write_text("def kernel(i):\n    out[i] = second + 12345678\n")
    os.utime(path, (1, 1))
    with pytest.raises(sycl.KernelError, match="K022.*has changed since") as caught:
        outputs(queue, space)
    assert "changing.py" in str(caught.value)


def test_without_any_text_the_error_says_what_to_do(queue):
    import ast
    tree = ast.parse("def kernel(i):\n    out[i] = 1\n")
    space = {"out": None}
    exec(compile(tree, "<generated>", "exec"), space)
    with pytest.raises(sycl.KernelError, match="K022.*cannot be found"):
        outputs(queue, space)


def test_decorators_comments_and_other_alphabets_do_not_confuse(queue):
    out = np.zeros(3, np.int64)

    def same(fn):
        return fn

    @same
    # größer, 大きい
    @same
    def kernel(
        i,  # the index: "üñî"
    ):
        """Docstring with ünïcode."""
        größe = "äöü" == "äöü"; out[i] = größe + i  # noqa: E702

    queue.parallel_for(3, kernel).wait()
    assert [1, 2, 3] == out.tolist()


def test_kernels_made_in_a_loop_from_one_text(queue):
    results = []
    text = "lambda i: put(out, i, k)"
    executed_texts.remember("<string>", text)
    for k in range(3):
        out = np.zeros(2, np.int64)
        queue.parallel_for(2, eval(text, {"put": put, "out": out, "k": k})).wait()  # noqa: S307
        results.append(out.tolist())
    assert [[0, 0], [1, 1], [2, 2]] == results


def put(out, i, value):
    out[i] = value


def test_a_line_can_hold_many_lambdas(queue):
    out = np.zeros((3, 2), np.int64)
    fs = (lambda i: put(out[0], i, 5)), (lambda i: put(out[1], i, 6)), lambda i: put(out[2], i, 7)
    for f in fs:
        queue.parallel_for(2, f).wait()
    assert [[5, 5], [6, 6], [7, 7]] == out.tolist()


def test_form_feeds_do_not_move_lines(queue):
    text = textwrap.dedent("""
        a = 1
        \x0c
        def kernel(i):
            out[i] = undefined_name
        """)
    space = {"out": None}
    execute(text, space)
    with pytest.raises(sycl.KernelError) as caught:
        outputs(queue, space)
    assert 5 == caught.value.diagnostics[0].span.line
    assert "out[i] = undefined_name" in str(caught.value)
