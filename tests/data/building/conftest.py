from collections.abc import Iterator, Sequence

import pytest

from data.catalogue import load_catalogue
from data.model import Entity
from tests.endpoint.rdf import quads
from tests.endpoint.server import Server, running


@pytest.fixture(scope="package")
def sample() -> Sequence[Entity]:
    """Some items of every domain with all their values, without what only a name is known of."""
    import dataclasses

    catalogue = load_catalogue()
    items = [item for domain in ("movie", "book", "music") for item in catalogue.items(domain)[:40]]
    items = [item for item in items if len(item.relations) > 2]
    values = dict.fromkeys(qid for item in items for held in item.relations.values() for qid in held)
    chosen = {item.qid for item in items}
    known = [catalogue.get(qid) for qid in values if qid not in chosen]
    plain = [dataclasses.replace(item, facts={}) for item in items]
    bare = [dataclasses.replace(value, domain=None, relations={}, facts={}, year=None) for value in known if value]
    return [*plain, *bare]


@pytest.fixture(scope="package")
def shared_server(sample: Sequence[Entity]) -> Iterator[Server]:
    with running(quads(sample)) as server:
        yield server


@pytest.fixture
def server(shared_server: Server) -> Server:
    shared_server.reset()
    return shared_server
