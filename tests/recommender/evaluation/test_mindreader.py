import json
from pathlib import Path

import numpy as np
import pytest

from data.domains import load_domains
from data.errors import DataError, MissingFileError
from recommender.evaluation.mindreader import facts_of_catalogue, link, measure, read_facts, read_mindreader
from recommender.evaluation.mindreader_run import evaluate_mindreader
from tests.recommender.conftest import entities

USERS, FILMS, PEOPLE = 24, 60, 6


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """People who like the films of one director each; film k is by person k modulo 6."""
    place = tmp_path / "mr_ntp_all_entities"
    place.mkdir()
    uris = [f"http://www.wikidata.org/entity/Q{number}" for number in range(1, FILMS + PEOPLE + 1)]
    rng = np.random.default_rng(0)
    split: dict[str, list[object]] = {"training": [], "validation": [], "testing": []}
    for user in range(USERS):
        person = user % PEOPLE
        own = [film for film in range(FILMS) if film % PEOPLE == person]
        rng.shuffle(own)
        seen = [rating(user, FILMS + person, 1, film=False)]
        seen += [rating(user, film, 1) for film in own[:4]]
        seen += [rating(user, film, -1) for film in rng.choice(FILMS, 8).tolist() if film % PEOPLE != person]
        split["training"].append([user, seen])
        for part, film in (("validation", own[5]), ("testing", own[6])):
            others = [other for other in range(FILMS) if other % PEOPLE != person][:30]
            split[part].append([user, [film, others]])
    (place / "split.json").write_text(json.dumps(split))
    (place / "meta.json").write_text(json.dumps({"e_idx_map": {uri: place for place, uri in enumerate(uris)}}))
    lines = [
        json.dumps(
            {"qid": f"Q{film + 1}", "is_item": True, "year": 1990, "relations": {"P57": [[f"Q{61 + film % 6}", "x"]]}}
        )
        for film in range(FILMS)
    ]
    (tmp_path / "items_movie.jsonl").write_text("\n".join(lines) + "\n")
    return tmp_path


def rating(user: int, entity: int, value: int, *, film: bool = True) -> dict[str, object]:
    return {"u_idx": user, "e_idx": entity, "rating": value, "is_movie_rating": film}


def test_the_split_is_read(folder: Path) -> None:
    data = read_mindreader(folder)
    assert (len(data.likes), len(data.validation), len(data.testing)) == (USERS, USERS, USERS)
    assert len(data.films) == FILMS
    assert data.qids[60] == "Q61"
    assert data.popularity[60] > 0


def test_facts_tell_films_apart_where_popularity_cannot(folder: Path) -> None:
    linked = link(read_mindreader(folder), read_facts(folder), load_domains()["movie"])
    document = evaluate_mindreader(linked, lambda _: None)
    assert document["ours"]["hr@10"] > 0.95
    assert document["ours"]["hr@10"] > document["peers"]["popularity"]["hr@10"] + 0.2
    assert document["auc_liked_disliked"]["auc"]["facts, lambda 0.25"] > 0.8
    assert document["cold_start"]["1"]["hr@10"] > document["cold_start"]["0"]["hr@10"]
    low, high = document["intervals"]["hr@10"]
    assert low <= document["ours"]["hr@10"] <= high
    assert {"item-knn", "ease", "pure-svd", "popularity"} <= set(document["peers"])


def test_the_measure_is_the_protocols(folder: Path) -> None:
    data = read_mindreader(folder)
    scores = np.zeros((USERS, len(data.qids)))
    assert measure(scores, data.testing)[:, 0].mean() == pytest.approx(10 / 31)
    for case in data.testing:
        scores[case.user, case.liked] = 1.0
    assert measure(scores, data.testing).mean() == 1.0


def test_the_catalogue_gives_the_same_kind_of_facts() -> None:
    facts = set(facts_of_catalogue([entity for entity in entities() if entity.is_item]))
    assert ("Q1", "P57", "Q201") in facts
    assert ("Q1", "decade", "Decade-1990") in facts


def test_what_is_missing_or_broken_is_named(folder: Path) -> None:
    with pytest.raises(MissingFileError, match="items_movie"):
        next(read_facts(folder / "nowhere"))
    with pytest.raises(MissingFileError, match=r"split\.json"):
        read_mindreader(folder / "nowhere")
    (folder / "mr_ntp_all_entities" / "meta.json").write_text("{}")
    with pytest.raises(DataError, match="MindReader"):
        read_mindreader(folder)
    (folder / "items_movie.jsonl").write_text("{}\n")
    with pytest.raises(DataError, match="line 1"):
        next(read_facts(folder))
