"""Texts with kernels given to ``exec`` in a process that has no audit hook.

``unisycl.remember_exec`` cannot be undone and makes all later tests of a process some per cent
slower; here the text is remembered by hand, as its hook would. What the hook itself does is tested
in processes of their own. Non-goals: texts of files.
"""

from __future__ import annotations

from unisycl.process import executed_texts


def execute(text: str, space: dict[str, object], name: str = "<string>") -> None:
    """Run a text under a name, where kernels find it again."""
    executed_texts.remember(name, text)
    exec(compile(text, name, "exec", dont_inherit=True), space)  # noqa: S102 - our own text
