"""Names in C text."""

from __future__ import annotations

from unisycl.backends.cfamily.names import Names, identifier


def test_names_are_those_of_the_user_made_unique_and_legal() -> None:
    names = Names(lambda name: name in ("float4", "min"))
    one, two = object(), object()
    assert "x" == names.of(one, "x") == names.of(one, "anything")
    assert "x_2" == names.of(two, "x")
    assert "min_" == names.fresh("min")
    assert "int_" == names.fresh("int")
    assert "_lambda_" == names.fresh("<lambda>")
    assert "_2nd" == names.fresh("2nd")
    assert "min_2" == names.fresh("min")


def test_letters_beyond_c_become_their_code() -> None:
    assert "ux3b1" not in identifier("α")
    assert "u3b1_x" == identifier("α_x")
