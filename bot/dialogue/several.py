"""How a message answers whether several things are liked: "all but the last", "only Heat", "the first two"."""

from collections.abc import Iterable, Mapping

from bot.dialogue.scene import Scene
from bot.dialogue.state import Choice, Question, asks_several
from data.model import Polarity, Qid
from nlu.entities.answers import read_answer
from nlu.entities.message import Message
from nlu.entities.words import load_words

__all__ = ["excepts", "judges", "opinions_on"]


def excepts(scene: Scene, question: Question) -> bool:
    """Whether the message answers with an exception."""
    return asks_several(question) and bool(_exceptions(scene, question))


def opinions_on(
    scene: Scene, question: Question, chosen: Iterable[Choice], stated: Polarity | None
) -> Mapping[Qid, Polarity]:
    """What the message thinks of the choices of a question; nothing is known of those that are left out.

    Args:
        scene: the turn.
        question: the open question.
        chosen: the choices that the message picks.
        stated: what it says without naming anything.
    """
    things = [choice.qid for choice in question.choices if choice.qid]
    picked = [choice.qid for choice in chosen if choice.qid]
    if scene.hears("others_not") and (named := _exceptions(scene, question) or picked):
        return {qid: "+" if qid in named else "-" for qid in things}
    if excepted := _exceptions(scene, question):
        return {qid: "-" if qid in excepted else "+" for qid in things}
    if not picked:
        return dict.fromkeys(things, stated) if stated else {}
    judged = {mention.accepted: mention.polarity for mention in scene.understood.mentions if judges(scene)}
    return {qid: judged.get(qid) or (judges(scene) and stated) or "+" for qid in picked}


def _exceptions(scene: Scene, question: Question) -> list[Qid]:
    """What stands after words such as "all but", or is set against "the others"."""
    found = scene.turn.kind == "text" and scene.say.hears("excepting", scene.understood.text)
    if not found:
        return []
    message, labels = load_words(), [choice.label for choice in question.choices]
    for text in (scene.understood.text[found.end() :], scene.understood.text):
        answer, _ = read_answer(Message(text, message), labels)
        if answer and 0 < len(answer.chosen) < len(labels):
            return [qid for place in answer.chosen if (qid := question.choices[place].qid)]
    return []


def judges(scene: Scene) -> bool:
    """Whether the message has words of liking or disliking; without, names in it are only picked."""
    message = Message(scene.understood.text, load_words())
    return any(map(message.is_opinion, range(len(message))))
