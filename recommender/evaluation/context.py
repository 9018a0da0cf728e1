"""Ranking films for a dialogue: walks from what was mentioned and from the words, pooled.

One graph joins the knowledge graph with the training dialogues: each dialogue is a node, next to the films, entities
and words said in it. Walks start from the films, the entities and the words of the context, later utterances weighing
more; those from the films also go through the knowledge graph alone and through the dialogues alone. A film's score is
log-linear in the walks, in the attributes that follow such contexts, in how often the training dialogues recommend it
and films of its year, and in how it was mentioned before: recommenders come back to a film that was just named.
The weights are fitted on training dialogues that are ranked by a graph of earlier ones: what people talk about changes.
"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from recommender.evaluation.attributes import Attributes
from recommender.evaluation.conversations import KnowledgeGraph, Turn, Utterance, turns_of
from recommender.evaluation.pool import fit_pool
from recommender.evaluation.titles import Titles, words_of
from recommender.evaluation.walks import EdgeList, NumberedGraph, UnitWalks
from recommender.walk import WalkConfig

__all__ = ["EXPERTS", "ContextConfig", "ContextModel", "fit_context_model"]

_WALKS = {"films": "film", "facts": "film", "company": "film", "entities": "entity", "words": "word"}
"""Walks with the kind of their seeds: the first through everything, then through the knowledge graph alone, through the
dialogues alone, and twice through everything again."""
_MENTIONS = ("asked last", "named last", "named before", "answered last", "answered before", "again", "mentioned")
_LIKENESS = ("nearest year", "mean year", "like title", "title in words")
EXPERTS = (*_WALKS, "attributes", "recommended", "year", *_LIKENESS, *_MENTIONS)
"""What the score of a film is pooled from: the walks, its attributes, what the training dialogues recommend, how near
the film is in years and in title to what was said, and how it was mentioned: by the seeker in the last utterance with
a question mark, in the last one, before; by the recommender in the last one, before; how many times more than once;
at all."""

_RETURN = 1.5
"""Added to the fitted weight of a mention. The fit is for the one film that comes next; in a list of ten, a film that
may come back takes little room. Chosen among 0 to 3 by cross-validation on the training dialogues."""

_STEPS = (0.4, 0.6, 0.8, 1.0)
"""Shares of the training dialogues: those up to each step are ranked by a graph of those up to the one before."""


@dataclass(frozen=True, slots=True)
class ContextConfig:
    """How the context is used.

    Attributes:
        decay: weight of an utterance relative to the next one.
        film: weight of the edge between a dialogue and a film.
        entity: the same for other entities.
        word: the same for words.
        least: a word counts when at least so many dialogues have it.
        most: and at most this share of them.
        floor: added to a walk before its logarithm is taken.
        walk: how the walks are solved.
    """

    decay: float = 0.8
    film: float = 1.0
    entity: float = 0.5
    word: float = 0.3
    least: int = 2
    most: float = 0.3
    floor: float = 1e-6
    walk: WalkConfig = field(default_factory=lambda: WalkConfig(epsilon=1e-6, exact_below=0))


class ContextModel:
    """The graph of the training dialogues, and what it says of a context."""

    def __init__(
        self,
        graph: KnowledgeGraph,
        dialogues: Sequence[Sequence[Utterance]],
        facts: UnitWalks,
        config: ContextConfig | None = None,
    ) -> None:
        self._config = config = config or ContextConfig()
        self._items = np.array(graph.items, dtype=np.int64)
        self._places = {item: place for place, item in enumerate(graph.items)}
        first_word = len(graph.names) + len(dialogues)
        self._words = {word: first_word + place for place, word in enumerate(self._vocabulary(dialogues))}
        films, others = self._dialogue_edges(dialogues, len(graph.names))
        count = first_word + len(self._words)
        company = UnitWalks(NumberedGraph(count, films, config.walk), self._items)
        everything = UnitWalks(NumberedGraph(count, graph.edges + films + others, config.walk), self._items)
        own = {"facts": facts, "company": company}
        self._walks = [(own.get(name, everything), kind) for name, kind in _WALKS.items()]
        self._attributes = Attributes(graph, dialogues, config.decay)
        counts = self._recommended(dialogues)
        self._recommended_log = np.log(counts + 0.3)
        self._year_log = _year_log(graph, counts)
        self._titles = Titles(graph)

    def place(self, item: int) -> int | None:
        """Position of a film in the scores."""
        return self._places.get(item)

    def features(self, turn: Turn) -> NDArray[np.float32]:
        """The experts' opinions on every film, shape (experts, films)."""
        mentions = self._mentions(turn)
        walks = [self._walk(walk, turn, kind, mentions[-1] > 0) for walk, kind in self._walks]
        learned = (self._attributes.scores(turn), self._recommended_log, self._year_log)
        return np.array([*walks, *learned, *self._titles.likeness(turn), *mentions], dtype=np.float32)

    # ----------------------------------------------------------------------------------------------------------- parts

    def _mentions(self, turn: Turn) -> NDArray[np.float64]:
        """How every film was mentioned, one row for each of `_MENTIONS`."""
        rows = dict(zip(_MENTIONS, np.zeros((len(_MENTIONS), len(self._items))), strict=True))
        for age, said in enumerate(reversed(turn.context)):
            places = [self._places[item] for item in set(said.items)]
            speaker, when = "named" if said.seeker else "answered", "last" if age <= (not said.seeker) else "before"
            rows[f"{speaker} {when}"][places] = 1.0
            if said.seeker and age == 0 and "?" in said.text:
                rows["asked last"][places] = 1.0
            rows["again"][places] += rows["mentioned"][places]
            rows["mentioned"][places] = 1.0
        return np.array(list(rows.values()))

    def _vocabulary(self, dialogues: Sequence[Sequence[Utterance]]) -> list[str]:
        counts = Counter(
            word for dialogue in dialogues for word in {word for said in dialogue for word in words_of(said.text)}
        )
        most = self._config.most * len(dialogues)
        return sorted(word for word, count in counts.items() if self._config.least <= count <= most)

    def _dialogue_edges(self, dialogues: Sequence[Sequence[Utterance]], first: int) -> tuple[EdgeList, EdgeList]:
        """Edges between the dialogues and the films in them, and between the dialogues and all else."""
        films, others, config = EdgeList(), EdgeList(), self._config
        for node, dialogue in enumerate(dialogues, start=first):
            for item in {item for said in dialogue for item in said.items}:
                films.add(node, item, config.film)
            for entity in {entity for said in dialogue for entity in said.entities}:
                others.add(node, entity, config.entity)
            for word in {word for said in dialogue for word in words_of(said.text) if word in self._words}:
                others.add(node, self._words[word], config.word)
        return films, others

    def _recommended(self, dialogues: Sequence[Sequence[Utterance]]) -> NDArray[np.float64]:
        counts = np.zeros(len(self._items))
        for said in (said for dialogue in dialogues for said in dialogue if not said.seeker):
            counts[[self._places[item] for item in set(said.items)]] += 1
        return counts

    def _seeds(self, turn: Turn, kind: str) -> dict[int, float]:
        seeds: defaultdict[int, float] = defaultdict(float)
        for age, said in enumerate(reversed(turn.context)):
            for node in self._nodes(said, kind):
                seeds[node] += self._config.decay**age
        return seeds

    def _nodes(self, said: Utterance, kind: str) -> Iterable[int]:
        if kind == "film":
            return said.items
        if kind == "entity":
            return said.entities
        return (self._words[word] for word in words_of(said.text) if word in self._words)

    def _walk(self, walk: UnitWalks, turn: Turn, kind: str, mentioned: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Logarithm of the walk from what was said, around its mean; what films say of themselves does not count."""
        found = np.log(walk.pooled(self._seeds(turn, kind)) + self._config.floor)
        found -= found.mean()
        if kind == "film":
            found[mentioned] = 0.0
        return found


def fit_context_model(
    graph: KnowledgeGraph, dialogues: Sequence[Sequence[Utterance]], progress: Callable[[str], None]
) -> tuple[ContextModel, NDArray[np.float64]]:
    """The model of all training dialogues, and the weights of its experts.

    Args:
        graph: the knowledge graph.
        dialogues: to train on, in the order in which they were held.
        progress: takes a line about each step.

    Returns:
        The model and one weight an expert.
    """
    facts = UnitWalks(NumberedGraph(len(graph.names), graph.edges, ContextConfig().walk), np.array(graph.items))
    features: list[NDArray[np.float32]] = []
    targets: list[list[int]] = []
    bounds = [round(share * len(dialogues)) for share in _STEPS]
    for part, (first, last) in enumerate(itertools.pairwise(bounds), start=1):
        progress(f"fitting the pool, part {part} of {len(bounds) - 1}")
        model = ContextModel(graph, dialogues[:first], facts)
        for turn in (turn for dialogue in dialogues[first:last] for turn in turns_of(dialogue, "")):
            places = (model.place(item) for item in turn.targets if item is not None)
            features.append(model.features(turn))
            targets.append([place for place in places if place is not None])
    progress("the graph of all training dialogues")
    weights = fit_pool(features, targets)
    weights[EXPERTS.index("mentioned")] += _RETURN
    return ContextModel(graph, dialogues, facts), weights


def _year_log(graph: KnowledgeGraph, counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithm of how often films of each film's year are recommended, relative to their number, smoothed."""
    years = [graph.year(item) for item in graph.items]
    films, recommended = Counter(years), Counter[int | None]()
    for year, count in zip(years, counts.tolist(), strict=True):
        recommended[year] += count
    return np.log([(recommended[year] + 1.0) / (films[year] + 20.0) for year in years])
