"""The starter catalogue and the linker against the released dialogues: what people named is found or offered."""

import os
from pathlib import Path

import pytest

from data.catalogue import Catalogue
from data.formats.rows import load_rows
from nlu.entities.evaluation import evaluate, total
from nlu.entities.linker import CatalogueLinker
from nlu.entities.words import Words

_DEFAULT = Path(__file__).parents[4] / "shared" / "data"
RELEASED = Path(os.environ.get("CONVERSE_PUBLISHED_DATA", _DEFAULT)) / "converse"


@pytest.mark.skipif(not RELEASED.is_dir(), reason="the released dialogues are not in ../shared/data/converse")
async def test_what_people_named_is_the_first_candidate_or_among_the_options(
    linker: CatalogueLinker, catalogue: Catalogue, words: Words
) -> None:
    rows = [
        (file.domain, row)
        for file in load_rows(RELEASED)
        for row in file.rows
        if row["intent"] == "preference" and row["toCheck"] is False and row["recognizedObjects"].count("Q") == 1
    ]
    clean, every = await evaluate(linker, catalogue, words, rows)
    assert set(clean) == {"movie", "book", "music"}
    for domain, counts in clean.items():
        figures = counts.figures()
        assert figures["accepted_or_offered"] >= 0.97, domain
        assert figures["accepted"] >= 0.80, domain
    figures = total(list(clean.values())).figures()
    assert figures["n"] > 700
    assert figures["accepted_right"] >= 0.99
    assert total(list(every.values())).figures()["accepted_or_offered"] >= 0.88
