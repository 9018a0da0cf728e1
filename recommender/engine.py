"""The recommender of the product: profiles in, explained recommendations out."""

import bisect
import contextlib
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from data.catalogue import Catalogue
from data.domains import DomainConfig
from data.errors import DataError, MissingFileError, UsageError
from data.model import Constraint, Domain, Entity, Qid
from recommender.candidates import select
from recommender.compiled import CompiledGraph
from recommender.elicitation import Elicitor
from recommender.explanation import Explainer, Profile
from recommender.flow import strands
from recommender.graph import add_renown, build_item_graph, fingerprint, renown
from recommender.model import ElicitationRequest, Reason, Recommendation, Request, Result
from recommender.people import People
from recommender.ranking import DomainItems, Query, WalkRanker, diversify
from recommender.scoring import Ranker, make_ranker
from recommender.variants import VARIANTS, Variant, find_variant

__all__ = ["GraphRecommender"]


@dataclass(frozen=True, slots=True)
class _Seeds:
    """The seeds of a request that the graph has, with their nodes."""

    liked: Mapping[Qid, int]
    disliked: Mapping[Qid, int]


class GraphRecommender:
    """Implements `recommender.model.Recommender` over the graph of one catalogue. Safe for use by several threads.

    Attributes:
        compiled: the item graph for ranking.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        domains: Mapping[Domain, DomainConfig],
        variants: Mapping[str, Variant] = VARIANTS,
        folder: Path | None = None,
    ) -> None:
        self._catalogue = catalogue
        self._domains = domains
        self._variants = variants
        self._graph: nx.Graph[Qid] | None = None
        self.compiled = self._compile(folder)
        self._items = {domain: DomainItems(self.compiled, domain) for domain in domains}
        self._rankers: dict[str, Ranker] = {}
        self._people = People(self.compiled, lambda qid: self.compiled.find(catalogue.canonical(qid)))
        self._explainer = Explainer(catalogue, domains)
        self._elicitor = Elicitor(catalogue, self)
        self._lock = threading.RLock()

    @property
    def graph(self) -> "nx.Graph[Qid]":
        """The item graph with its typed edges, made when it is first asked for."""
        if self._graph is None:
            self._graph = build_item_graph(self._catalogue.entities(), self._domains, self._catalogue.canonical)
            for domain in self._domains:
                add_renown(self._graph, self._catalogue.items(domain))
        return self._graph

    def _compile(self, folder: Path | None) -> CompiledGraph:
        """The graph of the folder, if it is that of the catalogue; else a new one, left there for the next start."""
        names = tuple(self._domains)
        if folder is None:
            return CompiledGraph.from_networkx(self.graph, names)
        source = fingerprint(self._catalogue.entities(), self._domains)
        try:
            return CompiledGraph.load(folder, source)
        except (MissingFileError, DataError):
            compiled = CompiledGraph.from_networkx(self.graph, names)
        with contextlib.suppress(OSError):  # a folder that cannot be written to costs time at the next start, no more
            compiled.save(folder, source)
        return compiled

    def warm_up(self) -> None:
        """Loads the machine code of the loops, so that the first user does not wait for it."""
        for domain in self._domains:
            if items := self._catalogue.items(domain):
                self.recommend(Request(domain, liked=(items[0].qid,), n=1))
                return

    # ---------------------------------------------------------------------------------------------------- recommending

    def recommend(self, request: Request) -> Result:
        """The best items for a profile, with reasons.

        Raises:
            UsageError: for an unknown variant or domain, or fewer than one item wanted.
        """
        variant = find_variant(request.variant, self._variants)
        self.compiled.code(request.domain)
        if request.n < 1:
            raise UsageError(f"{request.n} recommendations cannot be made; ask for at least 1.")
        with self._lock:
            seeds = self._seeds(request)
            barred = frozenset(map(self._catalogue.canonical, request.excluded)) | {*seeds.liked, *seeds.disliked}
            allowed, unmet = self._allowed(request, barred)
            query = self._query(request.domain, seeds, barred, allowed)
            lost = not (seeds.liked or seeds.disliked) and variant.method != "random"
            if lost:
                variant = find_variant("popularity", self._variants)
            items = self._items[request.domain]
            ranked = self._ranker(variant, request.seed).rank(query, items, max(request.n, variant.shortlist))
            shown = self._usable(sorted(request.excluded - {*request.liked, *request.disliked}))
            ranked = diversify(
                self.compiled, ranked, request.n, variant.diversity, list(shown.values()), variant.novelty
            )
            nodes = ranked.nodes.tolist()
            found = zip(nodes, ranked.scores.tolist(), self._reasons(query, seeds, nodes), strict=True)
            best = tuple(Recommendation(self.compiled.qid(node), score, why) for node, score, why in found)
        return Result(best, "popularity" if lost else None, unmet)

    def explain(self, request: Request, qid: Qid) -> tuple[Reason, ...]:
        """Reasons for one item under the request's seeds, strongest first; none for an item that is unknown.

        Raises:
            UsageError: for an unknown variant or domain.
        """
        find_variant(request.variant, self._variants)
        self.compiled.code(request.domain)
        with self._lock:
            node = self.compiled.find(self._catalogue.canonical(qid))
            if node is None:
                return ()
            seeds = self._seeds(request)
            return self._reasons(self._query(request.domain, seeds, frozenset(), None), seeds, [node])[0]

    def scores(self, request: Request, qids: Sequence[Qid]) -> dict[Qid, float]:
        """Scores of given items by the variant `ppr`; those that the graph lacks are left out.

        Raises:
            UsageError: for an unknown domain.
        """
        self.compiled.code(request.domain)
        with self._lock:
            found = {qid: self.compiled.find(self._catalogue.canonical(qid)) for qid in qids}
            known = {qid: node for qid, node in found.items() if node is not None}
            query = self._query(request.domain, self._seeds(request), frozenset(), None)
            nodes = np.array(list(known.values()), dtype=np.int64)
            scores = self._walk().scores(query, self._items[request.domain], nodes)
        return dict(zip(known, scores.tolist(), strict=True))

    def elicit(self, request: ElicitationRequest) -> tuple[Qid, ...]:
        """Items to ask about, best first.

        Raises:
            UsageError: for an unknown strategy or domain.
        """
        self.compiled.code(request.domain)
        return self._elicitor.choose(request)

    # -------------------------------------------------------------------------------------------------------- learning

    def learn(self, entity: Entity) -> None:
        """Inserts an entity with its edges, at once and without a rebuild.

        Raises:
            UsageError: its id is no Wikidata id.
        """
        known = self._catalogue.get(entity.qid) or self._catalogue.add(entity)
        values: dict[Qid, float] = {}
        around = build_item_graph([known], self._domains, self._catalogue.canonical)
        for one, other, edge in around.edges(data=True):
            values[other if one == known.qid else one] = edge["weight"]
        with self._lock:
            code = self.compiled.code(known.domain) if known.domain else 0
            found_at = self.compiled.find(known.qid)
            was_item = found_at is not None and self.compiled.nodes["domain"][found_at] == code
            node = self.compiled.insert(known.qid, code=code, popularity=self._renown(known), year=known.year)
            self.compiled.connect(node, [self.compiled.insert(value) for value in values], list(values.values()))
            if known.domain and not was_item:
                self._items[known.domain].add(node)
            if self._graph is not None:
                self._graph.update(around)
            self._rankers.pop("original", None)

    def follow(self, likes: Mapping[int, Sequence[Qid]]) -> None:
        """Joins what the same person likes, in place of the likes that were given before.

        Args:
            likes: what every person likes who has agreed to it; the keys only tell people apart.
        """
        with self._lock:
            self._people.follow(likes)

    def _renown(self, entity: Entity) -> float:
        items = self._catalogue.items(entity.domain) if entity.domain else ()
        better = bisect.bisect_left(items, -entity.popularity, key=lambda item: -item.popularity)
        return renown(better, len(items)) if items else 0.0

    # ----------------------------------------------------------------------------------------------------------- parts

    def _seeds(self, request: Request) -> _Seeds:
        return _Seeds(self._usable(request.liked), self._usable(request.disliked))

    def _usable(self, seeds: Iterable[Qid]) -> dict[Qid, int]:
        """The seeds that the graph has, each once, with their nodes."""
        found = ((qid, self.compiled.find(qid)) for qid in map(self._catalogue.canonical, seeds))
        return {qid: node for qid, node in found if node is not None}

    def _allowed(
        self, request: Request, barred: frozenset[Qid]
    ) -> tuple[frozenset[Qid] | None, tuple[Constraint, ...]]:
        if not request.constraints:
            return None, ()
        return select(self._catalogue, request.domain, request.constraints, barred, request.n)

    def _query(self, domain: Domain, seeds: _Seeds, barred: frozenset[Qid], allowed: frozenset[Qid] | None) -> Query:
        likes = dict.fromkeys(seeds.liked.values(), 1.0)
        dislikes = dict.fromkeys(seeds.disliked.values(), 1.0)
        return Query(domain, likes, dislikes, self._nodes(barred), None if allowed is None else self._nodes(allowed))

    def _nodes(self, qids: Iterable[Qid]) -> NDArray[np.int64]:
        found = {self.compiled.find(qid) for qid in qids}
        return np.array(sorted(node for node in found if node is not None), dtype=np.int64)

    def _ranker(self, variant: Variant, seed: int) -> Ranker:
        if variant.method == "random":
            return make_ranker(self.compiled, variant, seed=seed)
        if variant.name not in self._rankers:
            parallel = self._parallel() if variant.method == "original" else None
            self._rankers[variant.name] = make_ranker(self.compiled, variant, parallel)
        return self._rankers[variant.name]

    def _parallel(self) -> NDArray[np.int64]:
        """Pairs of nodes, once for every further property that joins them."""
        pairs = [
            (self.compiled.find(one), self.compiled.find(other))
            for one, other, edge in self.graph.edges(data=True)
            for _ in edge["properties"][1:]
        ]
        return np.array(pairs, dtype=np.int64).reshape(-1, 2)

    def _walk(self) -> WalkRanker:
        """The ranker whose walk explains the items of every variant."""
        ranker = self._ranker(find_variant("ppr", self._variants), 0)
        if not isinstance(ranker, WalkRanker):
            raise UsageError("The variant 'ppr' must rank by the walk.")
        return ranker

    def _reasons(self, query: Query, seeds: _Seeds, nodes: list[int]) -> list[tuple[Reason, ...]]:
        profile = Profile(frozenset(seeds.liked), frozenset(seeds.disliked))
        total = self._items[query.domain].total
        found = strands(self.compiled, self._walk(), query, seeds.liked, nodes, total)
        entities = [self._catalogue.get(self.compiled.qid(node)) for node in nodes]
        return [
            self._explainer.reasons(entity, profile, told, popular) if entity else ()
            for entity, (told, popular) in zip(entities, found, strict=True)
        ]
