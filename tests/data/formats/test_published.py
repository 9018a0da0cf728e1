"""The published files themselves: clean, byte-identical when written again, and with the figures that are known."""

from pathlib import Path

import pytest

from data.formats import open_dataset
from data.formats.agreement import to_check_agreement
from data.formats.convert import convert
from data.formats.problems import Problem, ignore


@pytest.mark.parametrize("name", ["converse", "redial", "redial-eval", "crsarena-dial", "recommind"])
def test_published_files_are_clean_and_come_out_to_the_byte(name: str, published: Path, tmp_path: Path) -> None:
    dataset = open_dataset(published / name)
    problems: list[Problem] = []
    for path, kind in dataset.files.items():
        assert sum(1 for _ in dataset.format.check(path, kind, problems.append)) > 0
    assert problems == []
    convert(dataset, dataset.format.name, tmp_path, ignore)
    for path in dataset.files:
        assert (tmp_path / path.relative_to(published / name)).read_bytes() == path.read_bytes(), path.name


def test_converse_table(published: Path) -> None:
    dataset = open_dataset(published / "converse")
    domains = dataset.format.statistics(dataset.files, ignore)["domains"]
    columns = {
        "users": (149, 56, 56),
        "messages": (5318, 1862, 2096),
        "messages_per_user": (35.7, 33.2, 37.4),
        "preference_messages": (2172, 734, 1011),
        "recommendation_requests": (456, 142, 144),
        "rated_recommendations": (731, 471, 480),
        "percent_critiquing": (1.64, 0.0, 0.42),
        "percent_details": (11.35, 3.61, 2.08),
        "percent_preview": (6.98, 1.70, 0.62),
        "percent_explanation": (10.53, 1.49, 2.50),
        "wait_median_s": (32, 5, 10),
        "wait_p90_s": (96, 12, 45),
    }
    for name, expected in columns.items():
        found = tuple(domains[domain][name] for domain in ("movie", "book", "music"))
        assert found == pytest.approx(expected, abs=0.051 if name.endswith("user") else 0.006), name
    assert domains["movie"]["percent_to_check"] == pytest.approx(39.6, abs=0.05)
    assert domains["movie"]["percent_liked_preferences"] == pytest.approx(100 * 1102 / 1227, abs=0.01)
    assert domains["movie"]["percent_liked_recommendations"] == pytest.approx(100 * 896 / 1153, abs=0.01)


def test_other_counts(published: Path) -> None:
    def figures(name: str) -> dict[str, object]:
        dataset = open_dataset(published / name)
        return dataset.format.statistics(dataset.files, ignore)

    arena = figures("crsarena-dial")
    assert (arena["dialogues"], arena["utterances"], arena["votes"]) == (474, 4519, 185)
    assert arena["dialogues_without_agent_turn"] == 2
    recommind = figures("recommind")
    assert (recommind["dialogues"], recommind["recommender_utterances"], recommind["seeker_utterances"]) == (
        1201,
        10697,
        10317,
    )
    assert recommind["movies"] == 2317
    assert figures("redial")["dialogues"] == 900


def test_to_check_is_recomputed(published: Path) -> None:
    found = to_check_agreement(open_dataset(published / "converse"), pytest.fail)
    assert found["rows"] == 9276
    assert found["agreement"] >= 0.98
    assert min(found["by_file"].values()) >= 0.98
