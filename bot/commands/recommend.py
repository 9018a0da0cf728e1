"""`converse recommend`: one recommendation with scores and explanations, no chat."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from bot.commands import Json, emit
from bot.errors import UsageError
from bot.options import DataDir, settings_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from data.catalogue import Catalogue
    from data.domains import DomainConfig
    from recommender.model import Reason, Result

_EXAMPLE = "Example: converse recommend --domain movie --like Q25188 --dislike Q131074 -n 3 --plot why.svg"

_FORMS: "Mapping[str, Literal['svg', 'png']]" = {".svg": "svg", ".png": "png"}


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command("recommend", epilog=_EXAMPLE)(recommend)


def recommend(
    ctx: typer.Context,
    domain: Annotated[str, typer.Option(help="What to recommend: movie, book, music.")] = "movie",
    like: Annotated[list[str] | None, typer.Option(metavar="Q…", help="A liked item or property value.")] = None,
    dislike: Annotated[list[str] | None, typer.Option(metavar="Q…", help="A disliked one.")] = None,
    filter_: Annotated[
        list[str] | None, typer.Option("--filter", metavar="Q…", help="A value that every item must have.")
    ] = None,
    n: Annotated[int, typer.Option("-n", min=1, max=100, help="Number of items.")] = 5,
    data_dir: DataDir = None,
    variant: Annotated[str, typer.Option(help="ppr, original, popularity, item-knn or random.")] = "ppr",
    seed: Annotated[int, typer.Option(min=0, help="For the variant `random`.")] = 0,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE.svg", help="Draw why the first item is recommended.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Recommends items for a profile and says why."""
    from bot.parts import catalogue_of
    from data.domains import load_domains
    from data.model import Constraint
    from recommender import build_recommender
    from recommender.model import Request

    if plot is not None:
        _check_plot(plot)
    settings = settings_of(ctx, data_dir=data_dir)
    catalogue, domains = catalogue_of(settings), load_domains()
    likes, dislikes, filters = (_known(catalogue, given or []) for given in (like, dislike, filter_))
    constraints = tuple(Constraint(text=catalogue.label(qid), values=(qid,)) for qid in filters)
    request = Request(domain, likes, dislikes, constraints=constraints, n=n, variant=variant, seed=seed)
    engine = build_recommender(catalogue, domains)
    start = time.perf_counter()
    result = engine.recommend(request)
    elapsed = (time.perf_counter() - start) * 1000
    if plot is not None and result.items:
        _draw(plot, result, catalogue, domains[domain])
    document = _document(domain, result, catalogue, domains[domain], elapsed)
    if as_json:
        emit(document)
    else:
        typer.echo(_text(document))


def _known(catalogue: "Catalogue", qids: "Sequence[str]") -> tuple[str, ...]:
    """The ids, with a word on stderr for each that the catalogue lacks."""
    from recommender.compiled import node_number

    for qid in qids:
        node_number(qid)
        if qid not in catalogue:
            typer.echo(
                f"{qid} is not in the catalogue and counts for nothing (converse catalog search NAME).", err=True
            )
    return tuple(qids)


def _check_plot(path: Path) -> None:
    """Refuses what cannot be drawn to before anything is computed."""
    if path.suffix not in _FORMS:
        raise UsageError(f"--plot {path}: the drawing is an SVG or PNG; name a file ending in .svg or .png.")
    if not path.parent.is_dir():
        raise UsageError(f"--plot {path}: there is no folder {path.parent}; make it, or name another file.")


def _draw(path: Path, result: "Result", catalogue: "Catalogue", config: "DomainConfig") -> None:
    from recommender.plot import draw
    from recommender.sketch import sketched

    first = result.items[0]
    sketch = sketched(first.qid, first.because, catalogue.label, lambda pid: config.properties[pid].label())
    try:
        path.write_bytes(draw(sketch, _FORMS[path.suffix]))
    except OSError as error:
        raise UsageError(f"--plot {path} cannot be written ({error.strerror}); name another file.") from error


def _document(
    domain: str, result: "Result", catalogue: "Catalogue", config: "DomainConfig", elapsed: float
) -> dict[str, Any]:
    items = []
    for item in result.items:
        entity = catalogue.get(item.qid)
        items.append(
            {
                "qid": item.qid,
                "label": catalogue.label(item.qid),
                "year": entity.year if entity else None,
                "score": item.score,
                "because": [
                    _because(reason, catalogue, config) for reason in item.because if reason.kind in ("shared", "liked")
                ],
                "avoids": [_because(reason, catalogue, config) for reason in item.because if reason.kind == "avoids"],
                "popular": any(reason.kind == "popularity" for reason in item.because),
            }
        )
    return {
        "domain": domain,
        "items": items,
        "fallback": result.fallback,
        "unmet": [constraint.text for constraint in result.unmet],
        "elapsed_ms": round(elapsed, 3),
    }


def _because(reason: "Reason", catalogue: "Catalogue", config: "DomainConfig") -> "Mapping[str, Any]":
    pid, value = reason.property or "", reason.value or ""
    liked = (value, *reason.liked) if reason.kind == "liked" else reason.liked
    return {
        "property": config.properties[pid].label() if pid in config.properties else pid,
        "value": _named(value, catalogue),
        "liked": [_named(qid, catalogue) for qid in liked],
        "weight": round(reason.weight, 4),
    }


def _named(qid: str, catalogue: "Catalogue") -> dict[str, str]:
    return {"qid": qid, "label": catalogue.label(qid)}


def _text(document: "Mapping[str, Any]") -> str:
    lines = [f"Nothing meets: {', '.join(document['unmet'])}. The nearest:"] if document["unmet"] else []
    if document["fallback"]:
        lines.append("Nothing of the profile is known; these are the best known ones.")
    for place, item in enumerate(document["items"], start=1):
        year = f" ({item['year']})" if item["year"] else ""
        lines.append(f"{place}. {item['label']}{year}  {item['qid']}  {item['score']:.5f}")
        lines.extend(f"     {_reason_text(reason)}" for reason in item["because"][:3])
        lines.extend(f"     not {_fact(reason)}" for reason in item["avoids"])
        lines.extend(["     well known"] if item["popular"] else [])
    return "\n".join(lines) if lines else "Nothing is left to recommend."


def _reason_text(reason: "Mapping[str, Any]") -> str:
    value = reason["value"]["qid"]
    own = ", liked" if any(liked["qid"] == value for liked in reason["liked"]) else ""
    witnesses = [liked["label"] for liked in reason["liked"] if liked["qid"] != value]
    return f"{_fact(reason)}{own}" + (f", as in {', '.join(witnesses)}" if witnesses else "")


def _fact(reason: "Mapping[str, Any]") -> str:
    return f"{reason['property']}: {reason['value']['label']}"
