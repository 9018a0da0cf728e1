"""`converse understand`: what the bot makes of one message."""

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.commands import Json, emit
from bot.dialogue.state import Phase
from bot.errors import UsageError
from bot.options import DataDir, settings_of

if TYPE_CHECKING:
    from bot.config import Settings
    from nlu.model import Context, Mention, Reference, Understanding

HELP = """Shows what the bot makes of one message: intent, mentions with their polarity, references, conditions.

Example: converse understand "I love The Godfather, but not Titanic" --json
"""

_ASKED = {
    Phase.DISAMBIGUATING: "item",
    Phase.DISAMBIGUATING_WHILE_RECOMMENDING: "item",
    Phase.RESET_MENU: "reset",
    Phase.RESET_CONFIRMATION: "confirmation",
}


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(help=HELP)(understand)


def understand(
    ctx: typer.Context,
    text: Annotated[str, typer.Argument(help="The message.", show_default=False)],
    state: Annotated[str, typer.Option(metavar="S", help=f"One of {', '.join(Phase)}.")] = Phase.IDLE.value,
    domain: Annotated[str | None, typer.Option(help="Domain in force.", show_default=False)] = None,
    shown: Annotated[str | None, typer.Option(metavar="QID", help="The item on show.", show_default=False)] = None,
    option: Annotated[
        list[str] | None, typer.Option(help="A label of the open question; repeatable.", show_default=False)
    ] = None,
    as_json: Json = False,
    data_dir: DataDir = None,
) -> None:
    """Understands one message with the real recognisers."""
    from bot.dialogue.labels import exact_intent
    from nlu.model import Context

    text = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")  # bytes of the shell that are no UTF-8
    if state not in set(Phase):
        raise UsageError(f"There is no state {state!r}; choose one of {', '.join(Phase)}.")
    phase = Phase(state)
    settings = settings_of(ctx, data_dir=data_dir, domain=domain)
    context = Context(
        domain=settings.domain,
        language=settings.language,
        asked=_ASKED.get(phase, "item" if option else None),  # type: ignore[arg-type]
        options=tuple(option or ()),
        shown=shown,
    )
    understood = asyncio.run(_understand(settings, text, context))
    intent = exact_intent(understood.coarse_intent, phase, answers=understood.answer is not None, text=text)
    document = to_json(understood, intent)
    if as_json:
        emit(document)
    else:
        _show(document)


async def _understand(settings: "Settings", text: str, context: "Context") -> "Understanding":
    from bot.parts import catalogue_of, linker_of
    from bot.progress import shown_progress
    from data.domains import find_domain, load_domains
    from nlu.intents.recognizer import RasaIntentRecognizer
    from nlu.intents.server import managed_rasa
    from nlu.sentiment.card import model_folder
    from nlu.sentiment.recognizer import StanzaSentimentRecognizer
    from nlu.understanding import Understander

    domains = load_domains()
    find_domain(context.domain, domains)
    catalogue = catalogue_of(settings)
    if context.shown is not None and context.shown not in catalogue:
        raise UsageError(f"{context.shown} is not in the catalogue; look for the id with: converse catalog search NAME")
    with shown_progress() as progress:
        async with managed_rasa(settings.data_dir / "rasa", url=settings.rasa_url, on_progress=progress) as url:
            linker = linker_of(settings, catalogue, domains)
            async with RasaIntentRecognizer(url, timeout=settings.rasa_timeout) as intents:
                sentiment = StanzaSentimentRecognizer(model_folder(settings.sentiment_model))
                return await Understander(intents, linker, sentiment).understand(text, context)


def to_json(understood: "Understanding", intent: str) -> dict[str, Any]:
    """The stable JSON form of an understanding; `intent` is its exact label."""
    item = understood.item_reference
    answer = understood.answer
    return {
        "text": understood.text,
        "coarse_intent": understood.coarse_intent,
        "intent": intent,
        "confidence": round(understood.confidence, 4),
        "ranking": [[name, round(probability, 4)] for name, probability in understood.ranking],
        "mentions": [_mention(mention) for mention in understood.mentions],
        "item_reference": _reference(item) if item else None,
        "property_references": [_reference(one) for one in understood.property_references],
        "constraints": [
            {
                "text": one.text,
                "property": one.property,
                "values": list(one.values),
                "minimum": one.minimum,
                "maximum": one.maximum,
                "negated": one.negated,
            }
            for one in understood.constraints
        ],
        "answer": {"chosen": list(answer.chosen), "none": answer.none} if answer else None,
        "overall": understood.overall,
        "domain": understood.domain,
        "unknown": list(understood.unknown),
        "notes": list(understood.notes),
    }


def _mention(mention: "Mention") -> dict[str, Any]:
    return {
        "span": [mention.start, mention.end],
        "text": mention.text,
        "polarity": mention.polarity,
        "candidates": [
            {
                "qid": one.qid,
                "label": one.label,
                "kind": one.kind,
                "year": one.year,
                "score": one.score,
                "description": one.description,
            }
            for one in mention.candidates
        ],
        "accepted": mention.accepted,
        "example": mention.example,
        "role": mention.role,
    }


def _reference(reference: "Reference") -> dict[str, Any]:
    return {
        "span": [reference.start, reference.end],
        "text": reference.text,
        "polarity": reference.polarity,
        "property": reference.property,
    }


def _show(document: dict[str, Any]) -> None:
    typer.echo(f"intent    {document['intent']} (coarse: {document['coarse_intent']}, {document['confidence']:.2f})")
    for mention in document["mentions"]:
        names = ", ".join(f"{one['label']} ({one['description']}, {one['qid']})" for one in mention["candidates"])
        sign = mention["polarity"] or "no opinion"
        state = "accepted" if mention["accepted"] else "to be asked"
        typer.echo(f"mention   {mention['text']!r} [{sign}] {state}: {names}")
    for reference in filter(None, [document["item_reference"], *document["property_references"]]):
        what = reference["property"] or "the item on show"
        typer.echo(f"reference {reference['text']!r} [{reference['polarity'] or 'no opinion'}] to {what}")
    for constraint in document["constraints"]:
        typer.echo(f"condition {constraint['text']!r}")
    if document["answer"] is not None:
        typer.echo(f"answer    {document['answer']}")
    for note in document["notes"]:
        typer.echo(f"note      {note}")
