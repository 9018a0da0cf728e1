"""The report of a study: an HTML page with plots, tidy CSV files, and a data dictionary."""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined

from bot.errors import DataError
from bot.export import write_file
from bot.export.redaction import redact
from bot.study import plots
from bot.study.comparison import COLUMNS as COMPARISON
from bot.study.comparison import compare
from bot.study.config import StudyConfig
from bot.study.measures import KEYS, LABELS, StudyTables, measures
from bot.study.questionnaires import Questionnaire, load_questionnaires
from bot.study.scales import reliability, scores
from data.formats.rankings import bradley_terry

_DICTIONARY = {
    "participants.csv": "one row a participant: number, cell, stage, finished, excluded and why, language, times",
    "conditions.csv": "one row a participant and condition: its place in the order, and the level of each factor",
    "messages.csv": "one row a message: times, intent, events, recognised objects, domain, interaction type; no text",
    "shown.csv": "one row a shown item: domain, list (cycle), position from 0, item, rating (+, -, skip or nothing)",
    "answers.csv": "one row an answer: questionnaire, item, value (position of the answer from 1), right for checks",
    "votes.csv": "one row a battle: the two variants, the choice or tie, the comment, the time",
    "measures.csv": "one row a participant and condition: the measures and the scores of the questionnaires",
    "comparisons.csv": "one row a measure and pair of levels: means, test, p, p_ranks, Hedges' g, interval, p_holm",
}


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything that the report shows.

    Attributes:
        table: one row a participant and condition with factors, measures and scores.
        comparisons: see `bot.study.comparison`.
        reliabilities: questionnaire to Cronbach's alpha by construct.
        ranking: variant to Bradley-Terry strength with interval.
    """

    tables: StudyTables
    table: pd.DataFrame
    comparisons: pd.DataFrame
    reliabilities: dict[str, pd.DataFrame]
    ranking: dict[str, dict[str, float]]

    @property
    def numbers(self) -> Sequence[str]:
        """Names of the columns that are compared."""
        return [name for name in self.table.columns if name in LABELS or "." in name or name == "sus"]


def analyse(study: StudyConfig, tables: StudyTables) -> Analysis:
    """Measures, scores, comparisons by factor, reliabilities and the ranking of battles, over who counts.

    Args:
        study: the design.
        tables: everything recorded; participants who are excluded or did not finish are left out here.
    """
    kept = tables.included()
    asked = {*study.questionnaires.before, *study.questionnaires.between, *study.questionnaires.after}
    questionnaires = {name: made for name, made in load_questionnaires().items() if name in asked}
    table = measures(kept)
    in_a_condition = kept.answers["condition"].isin(kept.conditions["condition"].unique())
    table = table.merge(_scored(kept.answers[in_a_condition], questionnaires), on=KEYS, how="left")
    once = _scored(kept.answers[~in_a_condition], questionnaires).drop(columns="condition")
    table = table.merge(once, on="participant", how="left", suffixes=("", " (once)"))
    table = table.dropna(axis="columns", how="all")
    analysis = Analysis(kept, table, pd.DataFrame(columns=COMPARISON), {}, {})
    compared = [
        compare(table, name, list(analysis.numbers), paired=factor.design == "within")
        for name, factor in study.factors.items()
        if len(factor.levels) > 1 and name in table.columns
    ]
    compared = [part for part in compared if not part.empty]
    return Analysis(
        kept,
        table,
        pd.concat(compared, ignore_index=True) if compared else analysis.comparisons,
        {name: reliability(kept.answers, made) for name, made in questionnaires.items() if made.scoring != "none"},
        bradley_terry(
            [
                (row["first"], row["second"], {row["first"]: 1.0, row["second"]: 0.0}.get(row["choice"], 0.5))
                for row in kept.votes.to_dict("records")
            ]
        ),
    )


def _scored(answers: pd.DataFrame, questionnaires: Mapping[str, Questionnaire]) -> pd.DataFrame:
    """Scores of the questionnaires that have answers."""
    answered = set(answers["questionnaire"])
    return scores(answers, {name: made for name, made in questionnaires.items() if name in answered})


def report_page(study: StudyConfig, tables: StudyTables, now: datetime) -> str:
    """The report as one HTML page. Raises DataError when nobody who counts has finished yet."""
    return _page(study, _analysed(study, tables), tables, now)


def _analysed(study: StudyConfig, tables: StudyTables) -> Analysis:
    if tables.included().participants.empty:
        raise DataError(f"study {study.name}: nobody who counts has finished yet; see: converse study status")
    return analyse(study, tables)


def _page(study: StudyConfig, analysis: Analysis, tables: StudyTables, now: datetime) -> str:
    environment = Environment(loader=PackageLoader("bot.study"), autoescape=True, undefined=StrictUndefined)
    return environment.get_template("report.html").render(
        study=study,
        now=now,
        analysis=analysis,
        everyone=tables.participants,
        labels=LABELS,
        dictionary=_DICTIONARY,
        methods=methods(study, tables),
        plots=_plots(study, analysis),
        descriptive=_descriptive(study, analysis),
    )


def write_report(study: StudyConfig, tables: StudyTables, out: Path, now: datetime) -> list[Path]:
    """Writes `report.html` and a folder `data` of CSV files.

    Args:
        study: the design.
        tables: everything recorded.
        out: folder; files of the same name are replaced.
        now: for the page.

    Returns:
        The files.

    Raises:
        DataError: nobody who counts has finished yet.
        UsageError: the folder cannot be written.
    """
    analysis = _analysed(study, tables)
    page = _page(study, analysis, tables, now)
    write_file(out / "report.html", page.encode("utf-8"))
    analysed = {"measures.csv": analysis.table, "comparisons.csv": analysis.comparisons}
    return [out / "report.html", *write_tables(tables, out / "data", analysed)]


def write_tables(tables: StudyTables, folder: Path, more: Mapping[str, pd.DataFrame] | None = None) -> list[Path]:
    """Writes everything recorded as CSV files with a data dictionary.

    Args:
        tables: everything recorded.
        folder: to write to; files of the same name are replaced.
        more: tables of the analysis, by name of the file.

    Raises:
        UsageError: the folder cannot be written.
    """
    made = {
        "participants.csv": tables.participants,
        "conditions.csv": tables.conditions,
        "messages.csv": tables.messages.assign(
            events=tables.messages["events"].map(", ".join), objects=tables.messages["objects"].map(", ".join)
        ),
        "shown.csv": tables.shown,
        "answers.csv": tables.answers,
        "votes.csv": tables.votes.assign(feedback=tables.votes["feedback"].map(lambda text: redact(text)[0])),
        **(more or {}),
    }
    for name, table in made.items():
        write_file(folder / name, table.to_csv(index=False).encode("utf-8"))
    text = "\n".join(f"- `{name}`: {_DICTIONARY[name]}" for name in made)
    write_file(folder / "DICTIONARY.md", f"# Data dictionary\n\n{text}\n".encode())
    return [*(folder / name for name in made), folder / "DICTIONARY.md"]


def _descriptive(study: StudyConfig, analysis: Analysis) -> pd.DataFrame:
    """Mean and standard deviation of each measure by condition."""
    by = (
        analysis.table.groupby("condition")
        if study.factors
        else analysis.table.assign(condition="all").groupby("condition")
    )
    rows = []
    for name in analysis.numbers:
        row: dict[str, object] = {"measure": LABELS.get(name, name)}
        for condition, part in by[name]:
            row[str(condition) or "all"] = f"{part.mean():.3g} (SD {part.std():.2g}, n {part.count()})"
        rows.append(row)
    return pd.DataFrame(rows)


def _plots(study: StudyConfig, analysis: Analysis) -> list[tuple[str, str]]:
    made = [("Participants by stage", plots.stages(analysis.tables.participants))]
    for name, factor in study.factors.items():
        if len(factor.levels) > 1 and name in analysis.table.columns:
            chosen = [
                measure
                for measure in ("hit_rate", "precision_at_5", "messages", "questions", "sus")
                if measure in analysis.numbers
            ]
            made.append((f"Measures by {name}", plots.by_factor(analysis.table, name, chosen)))
            effects = analysis.comparisons[analysis.comparisons["factor"] == name]
            if not effects.empty:
                made.append((f"Effects of {name} (Hedges' g, 95 %)", plots.effects(effects)))
    if analysis.ranking:
        made.append(("Battles (Bradley-Terry strength, 95 %)", plots.ranking(analysis.ranking)))
    return made


def methods(study: StudyConfig, tables: StudyTables) -> str:
    """A paragraph for the methods section: design, assignment, exclusions, tests, versions."""
    people = tables.participants
    factors = "; ".join(
        f"{name} ({', '.join(str(level) for level in factor.levels)}; {factor.design} subjects)"
        for name, factor in study.factors.items()
    )
    excluded = people[people["excluded"]]
    reasons = "; ".join(f"{reason} ({count})" for reason, count in excluded["reason"].value_counts().items())
    analysed = int((people["finished"] & ~people["excluded"]).sum())
    of_them = f"{len(excluded)} were excluded{f' ({reasons})' if reasons else ''}"
    return (
        f"{len(people)} people took part, of whom {analysed} finished and were analysed; {of_them}. "
        f"Factors: {factors or 'none'}. Conditions were assigned by block randomisation (seed "
        f"{study.assignment.seed}), within-subject orders by a balanced Latin square, both rebalanced after drop-outs. "
        "Levels between subjects are compared by Welch's t test, within subjects by the paired t test, with "
        "Mann-Whitney and Wilcoxon tests beside them; effects are Hedges' g with 95 % intervals; p values of the t "
        "tests are corrected by Holm over all measures of a factor. Battles are "
        f"ranked by Bradley-Terry strengths, ties counting half. Consent version {study.consent.version}. Software: "
        f"converse-bot {version('converse-bot')}, Python {platform.python_version()}, pandas {version('pandas')}, "
        f"SciPy {version('scipy')}, pingouin {version('pingouin')}."
    )
