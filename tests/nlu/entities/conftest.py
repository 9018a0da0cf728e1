"""The linker over the catalogue that ships."""

import pytest

from data.catalogue import Catalogue, load_catalogue
from data.domains import load_domains
from nlu.entities.linker import CatalogueLinker
from nlu.entities.words import Words, load_words


@pytest.fixture(scope="session")
def words() -> Words:
    return load_words()


@pytest.fixture(scope="session")
def starter() -> Catalogue:
    return load_catalogue()


@pytest.fixture(scope="session")
def starter_linker(starter: Catalogue, words: Words) -> CatalogueLinker:
    return CatalogueLinker(starter, load_domains(), words=words, this_year=lambda: 2026)
