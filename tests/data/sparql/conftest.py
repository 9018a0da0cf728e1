from collections.abc import Iterator

import pytest

from data.catalogue import load_catalogue
from tests.endpoint.rdf import quads
from tests.endpoint.server import Server, running


@pytest.fixture(scope="package")
def shared_server() -> Iterator[Server]:
    with running(quads(load_catalogue().entities())) as server:
        yield server


@pytest.fixture
def server(shared_server: Server) -> Server:
    shared_server.reset()
    return shared_server
