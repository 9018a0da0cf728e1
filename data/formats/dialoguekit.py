"""DialogueKit's JSON, for export only: one list of dialogues with participants, utterances and dialogue acts.

Source of the format: DialogueKit 0.1.1, what `Dialogue.to_dict` writes and `json_to_dialogues` reads.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from data.formats.jsontext import JsonStyle
from data.formats.model import Dialogue, Mention, Utterance

STYLE = JsonStyle(indent=4)
_PARTICIPANTS = {"seeker": "USER", "recommender": "AGENT"}


class DialogueKitFormat:
    """Writer of DialogueKit files."""

    name = "dialoguekit"
    suffix = ".json"
    one_file_each = False
    held = frozenset(
        {
            "seeker.text",
            "seeker.id",
            "recommender.text",
            "recommender.id",
            "questionnaire",
            "domain.*",
            "satisfaction",
            "utterance.id",
            "utterance.at",
            "utterance.intent",
            "mention.qid",
            "mention.entity",
            "mention.outside_text",
            "mention.polarity",
            "mention.text",
        }
    )

    def write_dialogues(self, target: Path, dialogues: Iterable[Dialogue]) -> int:
        """One list with all dialogues."""
        made = []
        for dialogue in dialogues:
            agent, user = (dialogue.participant(role) for role in ("recommender", "seeker"))
            made.append(conversation(dialogue, agent.id if agent else "recommender", user.id if user else dialogue.id))
        target.write_bytes(STYLE.dump(made))
        return len(made)


def conversation(dialogue: Dialogue, agent: str, user: str) -> dict[str, Any]:
    """One dialogue in DialogueKit's form.

    Args:
        dialogue: of any origin.
        agent: id of the recommender.
        user: id of the seeker.
    """
    metadata: dict[str, Any] = {}
    if dialogue.domain:
        metadata["domain"] = dialogue.domain
    if dialogue.satisfaction:
        metadata["sentiment"] = dialogue.satisfaction
    for party in dialogue.participants:
        if party.questionnaire:
            metadata[f"{party.role}_questionnaire"] = dict(party.questionnaire)
    return {
        "conversation ID": dialogue.id,
        "agent": {"id": agent, "type": "AGENT"},
        "user": {"id": user, "type": "USER"},
        "conversation": [_utterance(utterance) for utterance in dialogue.utterances],
        "metadata": metadata,
    }


def _utterance(utterance: Utterance) -> dict[str, Any]:
    made: dict[str, Any] = {
        "participant": _PARTICIPANTS[utterance.role],
        "utterance": utterance.text,
        "utterance ID": utterance.id,
    }
    if utterance.at is not None:
        made["timestamp"] = utterance.at
    slots = [_slot_value(mention, utterance.text) for mention in utterance.mentions]
    intent = utterance.details.get("intent") or ""
    if intent or slots:
        made["dialogue_acts"] = [{"intent": intent, "slot_values": slots}]
    return made


def _slot_value(mention: Mention, text: str) -> list[Any]:
    """Slot, value, and where its words begin and end in the utterance (null when they do not stand there)."""
    start = text.find(mention.text) if mention.text else -1
    span = [None, None] if start < 0 else [start, start + len(mention.text)]
    return [_slot(mention.polarity), mention.qid or mention.entity or mention.text, *span]


def _slot(polarity: str | None) -> str:
    names: Mapping[str | None, str] = {"+": "liked", "-": "disliked"}
    return names.get(polarity, "mentioned")
