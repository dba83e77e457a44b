"""Remembering the texts of code that has no file."""

from __future__ import annotations

from unisycl.process import executed_texts

executed_texts.remember_exec()


def test_texts_with_functions_are_kept_the_latest_first():
    for k in range(3):
        compile(f"def f():\n    return {k}\n", "<executed test>", "exec")
    assert [f"def f():\n    return {k}\n" for k in (2, 1, 0)] == \
        executed_texts.texts("<executed test>")
    compile("def f():\n    return 0\n", "<executed test>", "exec")
    assert "def f():\n    return 0\n" == \
        executed_texts.texts("<executed test>")[0]


def test_texts_without_functions_trees_and_files_are_not():
    compile("x = 1", "<executed plain>", "exec")
    compile("def f(): pass", __file__, "exec")
    assert [] == executed_texts.texts("<executed plain>")
    assert [] == executed_texts.texts(__file__)


def test_names_of_files_that_do_not_exist_are_remembered(tmp_path):
    compile("def f(): pass", str(tmp_path / "generated.py"), "exec")
    assert ["def f(): pass"] == executed_texts.texts(str(tmp_path / "generated.py"))


def test_no_name_keeps_more_than_its_share():
    for k in range(executed_texts._PER_NAME + 100):
        compile(f"lambda: {k}", "<executed many>", "eval")
    assert executed_texts._PER_NAME == len(executed_texts.texts("<executed many>"))


def test_watching_twice_is_watching_once():
    executed_texts.remember_exec()
    compile("lambda: 'once'", "<executed once>", "eval")
    assert 1 == len(executed_texts.texts("<executed once>"))
