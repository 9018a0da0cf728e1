"""Every sentence of tests/cases/linking.yaml."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from data.catalogue import Catalogue
from data.model import Constraint
from nlu.entities.linker import CatalogueLinker
from nlu.model import Answer, Candidate, Context, Linking

CASES = Path(__file__).parents[2] / "cases" / "linking.yaml"


def _cases() -> list[Any]:
    groups = yaml.safe_load(CASES.read_text(encoding="utf-8"))
    return [
        pytest.param(group, case, id=f"{group['domain']}: {case['say'] or 'empty'}")
        for group in groups
        for case in group["cases"]
    ]


def _is(candidate: Candidate, wanted: str) -> bool:
    """Whether a candidate is what a case names: by label, alone or with kind, year or both in brackets."""
    ways = (candidate.kind, str(candidate.year), f"{candidate.year} {candidate.kind}")
    return wanted == candidate.label or wanted in {f"{candidate.label} ({way})" for way in ways}


def _in_english(candidate: Candidate, catalogue: Catalogue) -> Candidate:
    label = catalogue.label(candidate.qid)
    return Candidate(candidate.qid, label, candidate.kind, candidate.domain, candidate.year, candidate.score)


def _condition(constraint: Constraint, catalogue: Catalogue) -> str:
    if constraint.values:
        what = catalogue.label(constraint.values[0])
    else:
        what = f"{constraint.minimum or ''}..{constraint.maximum or ''}"
    return f"{'not ' if constraint.negated else ''}{constraint.property} {what}"


def _check_mentions(linking: Linking, case: dict[str, Any], catalogue: Catalogue) -> None:
    if case.get("nothing"):
        assert [mention.text for mention in linking.mentions] == []
    for wanted in case.get("asked", ()):
        asked = [mention for mention in linking.mentions if mention.accepted is None]
        offered = [_in_english(one, catalogue) for mention in asked for one in mention.candidates]
        assert any(_is(one, wanted) for one in offered), (wanted, offered)
    if "accepted" in case:
        tops = [_in_english(mention.candidates[0], catalogue) for mention in linking.mentions]
        assert all(mention.accepted == mention.candidates[0].qid for mention in linking.mentions), tops
        assert len(tops) == len(case["accepted"]), tops
        for top, wanted in zip(tops, case["accepted"], strict=True):
            assert _is(top, wanted), (top, wanted)
    if "roles" in case:
        assert [mention.role for mention in linking.mentions] == case["roles"]


@pytest.mark.parametrize(("group", "case"), _cases())
async def test_case(group: dict[str, Any], case: dict[str, Any], starter_linker: CatalogueLinker, catalogue: Catalogue):
    context = Context(
        domain=group["domain"],
        language=group.get("language", "en"),
        asked="item" if "options" in case else None,
        options=tuple(case.get("options", ())),
        shown=catalogue.items(group["domain"])[0].qid if group.get("shown") else None,
    )

    linking = await starter_linker.link(case["say"], context)

    _check_mentions(linking, case, catalogue)
    if "refers" in case:
        assert (linking.item_reference is not None) == case["refers"]
    if "properties" in case:
        assert [reference.property for reference in linking.property_references] == case["properties"]
    if "conditions" in case:
        assert sorted(_condition(one, catalogue) for one in linking.constraints) == sorted(case["conditions"])
    if "domain_named" in case:
        assert linking.domain == case["domain_named"]
    if "options" in case:
        expected = case.get("answer")
        if expected is None:
            assert linking.answer is None
        elif expected == "none":
            assert linking.answer == Answer(none=True)
        else:
            assert linking.answer == Answer(tuple(number - 1 for number in expected))
