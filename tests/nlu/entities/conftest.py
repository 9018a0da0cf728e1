"""The linker over the catalogue that ships, in a year of its own."""

import pytest

from data.catalogue import Catalogue
from data.domains import load_domains
from nlu.entities.linker import CatalogueLinker
from nlu.entities.words import Words, load_words


@pytest.fixture(scope="session")
def words() -> Words:
    return load_words()


@pytest.fixture(scope="session")
def starter_linker(catalogue: Catalogue, words: Words) -> CatalogueLinker:
    return CatalogueLinker(catalogue, load_domains(), words=words, this_year=lambda: 2026)
