import pytest

from data.catalogue import Catalogue
from data.model import Constraint, Entity
from recommender.candidates import select
from tests.recommender.conftest import (
    ALMA,
    BORIS,
    CARLA,
    COMEDY,
    DRAMA,
    FIFTH,
    FIRST,
    FOURTH,
    HORROR,
    LONE,
    SECOND,
    THIRD,
)

EVERYTHING = {FIRST, SECOND, THIRD, FOURTH, FIFTH, LONE}


def chosen(catalogue: Catalogue, *constraints: Constraint, barred: frozenset[str] = frozenset(), wanted: int = 1):
    return select(catalogue, "movie", constraints, barred, wanted)


@pytest.mark.parametrize(
    ("constraint", "expected"),
    [
        (Constraint("with Carla", None, (CARLA,)), {SECOND, THIRD, FOURTH}),
        (Constraint("with Carla acting", "P161", (CARLA,)), {SECOND, FOURTH}),
        (Constraint("comedy or horror", "P136", (COMEDY, HORROR)), {THIRD, FOURTH}),
        (Constraint("a drama, narrower genres too", "P136", (DRAMA,)), {FIRST, SECOND, FIFTH}),
        (Constraint("no drama", "P136", (DRAMA,), negated=True), {THIRD, FOURTH, LONE}),
        (Constraint("a film", "kind", ("film",)), EVERYTHING),
        (Constraint("nineties", "year", minimum=1990, maximum=1999), {FIRST, SECOND, LONE}),
        (Constraint("after 2009", "year", minimum=2010), {FOURTH, FIFTH}),
        (Constraint("not old", "year", maximum=2000, negated=True), {THIRD, FOURTH, FIFTH}),
    ],
)
def test_one_constraint(catalogue: Catalogue, constraint: Constraint, expected: set[str]) -> None:
    assert chosen(catalogue, constraint) == (expected, ())


def test_all_constraints_hold_together(catalogue: Catalogue) -> None:
    nineties = Constraint("nineties", "year", minimum=1990, maximum=1999)
    assert chosen(catalogue, Constraint("Boris", None, (BORIS,)), nineties) == ({FIRST}, ())


def test_what_is_barred_does_not_meet_a_constraint(catalogue: Catalogue) -> None:
    boris, nineties = Constraint("Boris", None, (BORIS,)), Constraint("nineties", "year", minimum=1990, maximum=1999)
    found, unmet = chosen(catalogue, boris, nineties, barred=frozenset({FIRST}))
    assert unmet == (nineties,)
    assert found == {THIRD}, "of Boris's other films the one nearest to the nineties"


def test_as_few_as_possible_are_dropped_and_the_last_said_first(catalogue: Catalogue) -> None:
    alma, carla = Constraint("Alma", None, (ALMA,)), Constraint("Carla", "P161", (CARLA,))
    horror = Constraint("horror", "P136", (HORROR,))
    assert chosen(catalogue, horror, carla, alma) == ({FOURTH}, (alma,))
    assert chosen(catalogue, alma, carla, horror) == ({SECOND}, (horror,))


def test_the_nearest_years_stand_in_for_a_range_nothing_meets(catalogue: Catalogue) -> None:
    fifties = Constraint("fifties", "year", minimum=1950, maximum=1959)
    assert chosen(catalogue, fifties, wanted=2) == ({FIRST, SECOND, LONE}, (fifties,))


def test_an_unknown_value_is_named_and_the_rest_holds(catalogue: Catalogue) -> None:
    nobody = Constraint("with Nobody", None, ("Q4040",))
    assert chosen(catalogue, nobody) == (EVERYTHING, (nobody,))


def test_runtime_is_read_from_the_facts() -> None:
    films = [
        Entity("Q1", "Short", "film", "movie", facts={"P2047": ("80 minutes",)}),
        Entity("Q2", "Long", "film", "movie", facts={"P2047": ("200",)}),
        Entity("Q3", "Unknown", "film", "movie"),
    ]
    assert chosen(Catalogue(films), Constraint("under two hours", "runtime", maximum=120)) == ({"Q1"}, ())


def test_nothing_left_is_nothing(catalogue: Catalogue) -> None:
    assert chosen(catalogue, Constraint("drama", "P136", (DRAMA,)), barred=frozenset(EVERYTHING)) == (frozenset(), ())
