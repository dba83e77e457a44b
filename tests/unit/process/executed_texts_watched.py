"""What a process remembers that watches the texts given to ``exec``: run in one of its own.

The audit hook cannot be removed, and each call that Python audits takes longer with it.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from unisycl.process import executed_texts


def texts_with_functions_are_kept_the_latest_first():
    for k in range(3):
        compile(f"def f():\n    return {k}\n", "<executed test>", "exec")
    assert [f"def f():\n    return {k}\n" for k in (2, 1, 0)] == \
        executed_texts.texts("<executed test>")
    compile("def f():\n    return 0\n", "<executed test>", "exec")
    assert "def f():\n    return 0\n" == \
        executed_texts.texts("<executed test>")[0]


def texts_without_functions_trees_and_files_are_not():
    compile("x = 1", "<executed plain>", "exec")
    compile("def f(): pass", __file__, "exec")
    assert [] == executed_texts.texts("<executed plain>")
    assert [] == executed_texts.texts(__file__)


def names_of_files_that_do_not_exist_are_remembered():
    with TemporaryDirectory() as folder:
        name = str(Path(folder, "generated.py"))
        compile("def f(): pass", name, "exec")
        assert ["def f(): pass"] == executed_texts.texts(name)


def no_name_keeps_more_than_its_share():
    for k in range(executed_texts._PER_NAME + 100):
        compile(f"lambda: {k}", "<executed many>", "eval")
    assert executed_texts._PER_NAME == len(executed_texts.texts("<executed many>"))


def watching_twice_is_watching_once():
    executed_texts.remember_exec()
    compile("lambda: 'once'", "<executed once>", "eval")
    assert 1 == len(executed_texts.texts("<executed once>"))


def check():
    """Check all; what is first asserts that nothing was watched before."""
    compile("lambda: 'before'", "<executed before>", "eval")
    assert [] == executed_texts.texts("<executed before>")
    executed_texts.remember_exec()
    for one in (texts_with_functions_are_kept_the_latest_first,
                texts_without_functions_trees_and_files_are_not,
                names_of_files_that_do_not_exist_are_remembered,
                no_name_keeps_more_than_its_share,
                watching_twice_is_watching_once):
        one()


if __name__ == "__main__":
    check()
