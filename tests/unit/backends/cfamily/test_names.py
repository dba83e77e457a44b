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


def test_no_name_that_is_reserved_begins_with_a_digit_without_its_line() -> None:
    names = Names(lambda name: name.startswith("_"))
    made = [names.fresh(wish) for wish in ("2nd", "_2nd", "_", "__", "_for_", "_x", "2nd")]
    assert len(made) == len(set(made))
    assert all(name.isidentifier() and not names.reserves(name) for name in made[:2]), made


def test_letters_beyond_c_become_their_code() -> None:
    assert "ux3b1" not in identifier("α")
    assert "u3b1_x" == identifier("α_x")
