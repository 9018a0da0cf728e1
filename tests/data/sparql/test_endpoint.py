from datetime import UTC, datetime

import pytest

from data.sparql.endpoint import Endpoint, EndpointError, user_agent
from tests.endpoint.server import (
    MIXED,
    NO_JSON,
    ODD_ROWS,
    OTHER_JSON,
    TRUNCATED,
    Fault,
    Server,
    silent,
    status,
    trickling,
)

QUERY = 'SELECT ?item WHERE { ?item <http://www.w3.org/2000/01/rdf-schema#label> "The Matrix"@en } ORDER BY ?item'


def endpoint(server: Server) -> Endpoint:
    return Endpoint(server.url, user_agent("ann@example.org"), now=lambda: datetime(2026, 1, 1, 12, 0, tzinfo=UTC))


def test_rows_come_back_and_the_operator_can_be_reached(server: Server) -> None:
    rows = endpoint(server).select(QUERY, 5)
    assert {"item": "http://www.wikidata.org/entity/Q83495"} in rows
    assert server.agents == ["converse-bot/0.1 (conversational recommender; ann@example.org) SPARQLWrapper/2.0"]


def test_a_contact_cannot_break_the_header() -> None:
    assert "\n" not in user_agent("ann\r\nX-Evil: 1\N{SNOWMAN}")


def test_long_queries_are_posted(server: Server) -> None:
    endpoint(server).select(QUERY, 5)
    endpoint(server).select(f"{QUERY} #{'x' * 2000}", 5)
    assert server.methods == ["GET", "POST"]
    assert server.queries[1].startswith(QUERY)


@pytest.mark.parametrize(
    ("fault", "code", "wait", "retryable"),
    [
        (status(429, "7"), 429, 7.0, True),
        (status(503, "Thu, 01 Jan 2026 12:01:30 GMT"), 503, 90.0, True),
        (status(429, "soon"), 429, None, True),
        (status(429), 429, None, True),
        (status(500), 500, None, True),
        (status(502), 502, None, True),
        (status(403), 403, None, False),
        (status(400), None, None, False),
        (status(404), None, None, False),
        (TRUNCATED, None, None, True),
        (MIXED, None, None, True),
        (NO_JSON, None, None, True),
        (OTHER_JSON, None, None, True),
        (ODD_ROWS, None, None, True),
    ],
)
def test_what_is_no_answer_is_an_error(
    server: Server, fault: Fault, code: int | None, wait: float | None, retryable: bool
) -> None:
    server.faults.append(fault)
    with pytest.raises(EndpointError) as caught:
        endpoint(server).select(QUERY, 5)
    assert (caught.value.status, caught.value.retry_after, caught.value.retryable) == (code, wait, retryable)
    assert server.url in str(caught.value)
    assert endpoint(server).select(QUERY, 5)


def test_a_query_that_is_none_is_not_tried_again(server: Server) -> None:
    with pytest.raises(EndpointError) as caught:
        endpoint(server).select("SELECT nothing", 5)
    assert not caught.value.retryable


def test_silence_ends_at_the_deadline(server: Server) -> None:
    server.faults.append(silent(3))
    with pytest.raises(EndpointError, match="did not answer within"):
        endpoint(server).select(QUERY, 1)


def test_a_server_that_trickles_does_not_outlive_the_deadline(server: Server) -> None:
    server.faults.append(trickling(0.05))
    with pytest.raises(EndpointError, match="did not answer within"):
        endpoint(server).select(QUERY, 0.3)


def test_a_server_that_is_not_there_is_an_error() -> None:
    with pytest.raises(EndpointError, match="cannot be reached"):
        Endpoint("http://127.0.0.1:9/sparql", "x").select(QUERY, 1)
