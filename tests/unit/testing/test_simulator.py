"""Which user events the plugin for Oclgrind takes for unset."""

from __future__ import annotations

from tests.device.simulator import Gates

MADE, SET, RETAINED, RELEASED = 84, 85, 43, 44  # of the ICD's table


def test_a_user_event_is_a_gate_until_it_is_set_or_nobody_holds_it() -> None:
    gates = Gates()
    gates.note(MADE, (1, None), 0x100)
    gates.note(MADE, (1, None), 0x200)
    gates.note(MADE, (1, None), None)  # failed
    gates.note(RETAINED, (0x100,), 0)
    gates.note(RELEASED, (0x100,), 0)
    gates.note(RELEASED, (0x300,), 0)  # of a command
    gates.note(SET, (0x200, 0), 0)
    gates.note(RELEASED, (0x200,), 0)
    assert gates
    gates.note(RELEASED, (0x100,), 0)
    assert not gates
    gates.note(MADE, (1, None), 0x100)  # at the same place
    assert gates
    gates.note(SET, (0x100, -1), 0)
    assert not gates
