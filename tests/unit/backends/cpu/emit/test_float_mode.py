"""The code that puts the mode of arithmetic right, for each machine."""

from __future__ import annotations

import pytest
from llvmlite import binding

from unisycl.backends.cpu.emit import float_mode
from unisycl.backends.cpu.emit.text import Function, Module
from unisycl.backends.cpu.pool import direct_code


@pytest.mark.parametrize(("machine", "triple", "words"), [
    ("x86_64", "x86_64-unknown-linux-gnu", ("stmxcsr", "ldmxcsr")),
    ("aarch64", "aarch64-unknown-linux-gnu", ("mrs", "msr\tFPCR"))])
def test_the_register_is_read_and_written_around_the_call(machine, triple, words):
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    try:
        target = binding.Target.from_triple(triple)
    except RuntimeError:
        pytest.skip(f"this llvmlite has no {machine}")
    module = Module(triple, str(target.create_target_machine().target_data))
    entry = Function(module, "entry", "ptr %args, i64 %begin, i64 %end, i64 %worker", "nounwind")
    entry.finish()
    direct_code.emit(module, "entry")
    texts = [module.text(), (f'target triple = "{triple}"\n{float_mode.prelude(machine)}'
             f"define void @both() {{\n  %m = call {float_mode.register_type(machine)}"
            " @mode_begin()\n"
             f"  call void @mode_end({float_mode.register_type(machine)} %m)\n  ret void\n}}\n")]
    for text in texts:
        parsed = binding.parse_assembly(text)
        parsed.verify()
        code = target.create_target_machine().emit_assembly(parsed)
        for word in words:
            assert word.lower() in code.lower()
