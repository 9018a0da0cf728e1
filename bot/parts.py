"""The parts that the bot and single commands need, each made in one way: as the settings say."""

from collections.abc import Mapping

from bot.config import Settings
from bot.storage.store import SqlStore
from data.catalogue import Catalogue, load_catalogue
from data.domains import DomainConfig
from data.model import Domain
from nlu.entities.linker import CatalogueLinker
from nlu.entities.storage import prepared_index
from nlu.entities.wikidata import WikidataClient
from nlu.entities.words import load_words

__all__ = ["catalogue_of", "grown_catalogue", "linker_of"]


def catalogue_of(settings: Settings) -> Catalogue:
    """The catalogue in use: the configured one or the starter, with what was built or imported into the data folder.

    Raises:
        MissingFileError: the configured catalogue is not there.
        DataError: a catalogue file is not valid; the message names the lines.
    """
    return load_catalogue(settings.catalogue, settings.data_dir / "catalogue")


async def grown_catalogue(settings: Settings, store: SqlStore) -> Catalogue:
    """The catalogue in use with what the bot learned in conversations. Raises as `catalogue_of`, and StorageError."""
    catalogue = catalogue_of(settings)
    for entity in await store.learned():
        catalogue.add(entity)
    return catalogue


def linker_of(
    settings: Settings,
    catalogue: Catalogue,
    domains: Mapping[Domain, DomainConfig],
    wikidata: WikidataClient | None = None,
) -> CatalogueLinker:
    """A linker for a catalogue, with the name index that is kept in the data folder.

    Args:
        settings: name the data folder.
        catalogue: what can be linked.
        domains: all of them.
        wikidata: asked for titles that the catalogue does not know; None for no look-ups.

    Returns:
        The linker.
    """
    index = prepared_index(catalogue.entities(), load_words(), settings.data_dir / "names.index")
    return CatalogueLinker(catalogue, domains, wikidata=wikidata, index=index)
