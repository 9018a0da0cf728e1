"""Training sentences of our own: phrases of `data/training/sentiment` put together in many ways, with a fixed seed.

The names themselves never matter, since the classifier reads masked text: a sentence is a list of pieces, in which a
slot stands for something named. `Sentence.instances` gives one masked token list per slot.
"""

import random
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nlu.sentiment.masking import OTHER, TARGET, normalised, words
from nlu.sentiment.phrases import NAMED, POLARITIES, TRAINING_FOLDER, Patterns, load_messages, load_phrases

_SLOT = re.compile(r"\bX\b")
_MARKED = re.compile(r"\{([+\-0])\}|\{r([+\-0])\}|\{c([+\-0])\}")
_SHORT = 90
_MARK = "\x00{}\x01"
_MARKS = re.compile("\x00(\\d+)\x01")
_VARIANTS = 30
_IT = re.compile(r"\b(it|this one|that one|this|that|them|him)\b")


@dataclass(frozen=True, slots=True)
class Instance:
    """One training example: masked tokens and "+", "-" or "0" (no opinion stated)."""

    tokens: tuple[str, ...]
    label: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """Text with numbered slots (`_MARK`) and the polarity of each; without slots, the polarity of the whole."""

    text: str
    labels: tuple[str, ...]

    def instances(self) -> Iterator[Instance]:
        """One masked token list per slot, or one of the unmasked text when there is none."""
        if not _MARKS.search(self.text):
            yield Instance(tuple(words(self.text)) or ("-",), self.labels[0])
            return
        pieces = _MARKS.split(self.text)
        for slot, label in enumerate(self.labels):
            tokens: list[str] = []
            for index, piece in enumerate(pieces):
                if index % 2:
                    tokens.append(TARGET if int(piece) == slot else OTHER)
                else:
                    tokens += words(piece)
            yield Instance(tuple(tokens), label)


def placed(clause: str, slot: int = 0) -> str:
    """The clause with its X replaced by the mark of a slot."""
    return _SLOT.sub(_MARK.format(slot), clause)


def marked(message: str) -> Sentence:
    """The sentence of a message whose names are marked with signs."""
    labels: list[str] = []

    def slot(found: re.Match[str]) -> str:
        labels.append(found[2].replace("?", "0"))
        return _MARK.format(len(labels) - 1)

    return Sentence(NAMED.sub(slot, message), tuple(labels))


class Grammar:
    """Puts phrases together.

    Args:
        folder: with the phrase files.
        seed: same seed, same sentences.
        written: clauses that other people wrote, by sign, with X where they name the thing.
    """

    def __init__(
        self, folder: Path = TRAINING_FOLDER, seed: int = 7, written: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        self._rng = random.Random(seed)
        self._written_by_others = written or {}
        self._expressions = Patterns("expressions.yaml", folder, self._rng)
        self._combinations = Patterns("combinations.yaml", folder, self._rng)
        self._clauses = {POLARITIES[key]: lines for key, lines in load_phrases("clauses.yaml", folder).items()}
        self._predicates = load_phrases("predicates.yaml", folder)
        self._reactions = {POLARITIES[key]: lines for key, lines in load_phrases("reactions.yaml", folder).items()}
        self._frames: list[str] = [line for lines in load_phrases("frames.yaml", folder).values() for line in lines]
        self._style = load_phrases("style.yaml", folder)
        self._italian = load_phrases("italian.yaml", folder)

    def sentences(self, scale: float = 1.0) -> list[Sentence]:
        """All kinds of sentences.

        Args:
            scale: multiplies the number of random combinations; the phrases themselves all occur at least once.

        Returns:
            Sentences in a fixed order for a given seed.
        """
        made: list[Sentence] = []
        for polarity, clauses in self._clauses.items():
            for clause in clauses:
                made.append(self._one(clause, polarity))
                made += [self._dressed(self._one(clause, polarity)) for _ in range(2)]
        for frame in self._frames * 3:
            made.append(self._dressed(self._framed(frame), 0.35))
        made += self._from_patterns(scale)
        for polarity, lines in self._reactions.items():
            for line in lines:
                made.append(Sentence(line, (polarity,)))
                made.append(self._dressed(Sentence(line, (polarity,))))
                if _IT.search(line):
                    made.append(self._dressed(Sentence(_IT.sub(_MARK.format(0), line, count=1), (polarity,)), 0.4))
        made += [self._one(line, sign) for line, sign in map(self._learner, self._style["learner"])]
        made += self._italian_sentences()
        combinations: list[tuple[Callable[[], Sentence], int]] = [
            (self._predicate, 3000),
            (self._verb, 2500),
            (self._contrast, 3500),
            (self._crowded, 1000),
            (self._agreement, 1500),
            (self._aside, 2000),
            (self._hearsay, 500),
            (self._listed, 1200),
            (self._anaphora, 1500),
        ]
        for make, count in combinations:
            made += [self._dressed(make(), 0.4) for _ in range(int(count * scale))]
        return [self._written(sentence) for sentence in made]

    def messages(
        self, folder: Path = TRAINING_FOLDER, pairs: int = 6000, unwanted: Container[str] = ()
    ) -> list[Sentence]:
        """Whole messages as they were written and once more as people type them, and pairs of short ones.

        Args:
            folder: with the phrase files.
            pairs: number of contrasts made of two short messages on one thing each.
            unwanted: normalised texts of messages that are left out.
        """
        lines = load_messages(folder)
        whole = [marked(line) for line in lines if normalised(NAMED.sub(r"\1", line)) not in unwanted]
        made = [*whole, *(self._written(self._dressed(sentence, 0.3)) for sentence in whole)]
        short = {sign: [one for one in whole if one.labels == (sign,) and len(one.text) < _SHORT] for sign in "+-"}
        if all(short.values()):
            made += [self._written(self._pair(short)) for _ in range(pairs)]
        return made

    def _pair(self, short: Mapping[str, Sequence[Sentence]]) -> Sentence:
        first = self._sign()
        second = "-" if first == "+" else "+"
        one, two = self._rng.choice(short[first]).text, self._rng.choice(short[second]).text
        joint = self._pick(self._style["contrast"])
        return Sentence(f"{one.rstrip(' .!')} {joint} {two.replace(_MARK.format(0), _MARK.format(1))}", (first, second))

    def _from_patterns(self, scale: float) -> Iterator[Sentence]:
        for key, patterns in self._expressions.groups.items():
            for pattern in patterns:
                for _ in range(max(1, round(_VARIANTS * scale * min(1, pattern.count("|") / 12)))):
                    yield self._dressed(self._one(self._expressions.expand(pattern), POLARITIES[key]), 0.3)
        for patterns in self._combinations.groups.values():
            for pattern in [*patterns] * max(1, round(_VARIANTS * scale)):
                yield self._dressed(self._framed(self._combinations.expand(pattern)), 0.25)

    def _pick(self, options: Sequence[str]) -> str:
        return self._rng.choice(options)

    def _sign(self) -> str:
        return self._pick("+-")

    def _clause(self, polarity: str) -> str:
        chance = self._rng.random()
        if polarity != "0" and chance < 0.25:
            return self._pick([self._verb_clause, self._predicate_clause][chance < 0.12](polarity))
        if chance < 0.4 and self._written_by_others.get(polarity):
            return self._pick(self._written_by_others[polarity])
        if chance < 0.75:
            name = next(name for name, sign in POLARITIES.items() if sign == polarity)
            return self._expressions.expand(self._pick(self._expressions.groups[name]))
        return self._pick(self._clauses[polarity])

    def _verb_clause(self, polarity: str) -> list[str]:
        name = {"+": "positive", "-": "negative", "0": "none"}[polarity]
        verb = self._pick(self._predicates["verbs"][name])
        adverb = self._pick(self._predicates["adverbs"]) + " " if self._rng.random() < 0.35 else ""
        subject = self._pick(["I ", "I ", "I ", "i ", "we ", ""])
        return [f"{subject}{adverb}{verb} X"]

    def _predicate_clause(self, polarity: str) -> list[str]:
        name = {"+": "positive", "-": "negative"}[polarity]
        copula = self._pick(self._predicates["copulas"])
        if self._rng.random() < 0.35:
            return [f"X {copula} {self._pick(self._predicates['nouns'][name])}"]
        adjective = self._pick(self._predicates["adjectives"][name])
        plain = not re.search(r"^(so|too|not|far|anything|less|worse|better|even|way|really|very|pretty)\b", adjective)
        degree = self._pick(self._predicates["degrees"]) + " " if plain and self._rng.random() < 0.4 else ""
        shape = self._rng.random()
        if shape < 0.6:
            return [f"X {copula} {degree}{adjective}"]
        if shape < 0.8:
            return [f"{self._pick(['I found', 'I find', 'found', 'we found'])} X {degree}{adjective}"]
        return [f"{self._pick(['what a', 'such a'])} {adjective} film X"] if plain else [f"X, {adjective}"]

    def _predicate(self) -> Sentence:
        polarity = self._sign()
        if self._rng.random() < 0.15:
            return self._denied(polarity)
        return self._one(self._predicate_clause(polarity)[0], polarity)

    def _denied(self, polarity: str) -> Sentence:
        opposite = "negative" if polarity == "+" else "positive"
        adjective = self._pick(self._predicates["adjectives"][opposite])
        if re.search(r"^(not|far|anything|so so|just|hardly|never|less|too|meh)\b", adjective):
            return self._one(f"X is {adjective}", "-" if polarity == "+" else "+")
        denial = self._pick(["isn't", "is not", "wasn't", "was not", "is hardly", "is anything but", "was never"])
        return self._one(f"X {denial} {adjective}", polarity)

    def _verb(self) -> Sentence:
        polarity = self._pick("++--0")
        return self._one(self._verb_clause(polarity)[0], polarity)

    def _one(self, clause: str, polarity: str) -> Sentence:
        return Sentence(placed(self._with_noun(clause)), (polarity,))

    def _with_noun(self, clause: str) -> str:
        """Now and then something stands beside the name: "the movie X", "X movies", "songs by X"."""
        if self._rng.random() > 0.18:
            return clause
        around = self._pick(self._style["around"])
        return _SLOT.sub(around, clause)

    def _two(self, first: str, joint: str, second: str, labels: tuple[str, str]) -> Sentence:
        first, second = self._with_noun(first), self._with_noun(second)
        return Sentence(f"{placed(first)} {joint} {placed(second, 1)}", labels)

    def _contrast(self) -> Sentence:
        first = self._sign()
        second = "-" if first == "+" else "+"
        one, two = self._clause(first), self._clause(second)
        if self._rng.random() < 0.2:
            lead = self._pick(self._style["leading"])
            return self._two(f"{lead} {one}", ",", two, (first, second))
        return self._two(one, self._pick(self._style["contrast"]), two, (first, second))

    def _crowded(self) -> Sentence:
        """Two or three clauses, each on one or two things, opinions turning at every joint."""
        sign = self._sign()
        text = ""
        labels: list[str] = []
        for index in range(self._rng.choice((2, 3))):
            count = self._rng.choice((1, 1, 2))
            named = [_MARK.format(len(labels) + number) for number in range(count)]
            joint = self._pick(self._style["contrast"]) if index else ""
            clause = _SLOT.sub(self._pick((" and ", " & ", ", ")).join(named), self._clause(sign), count=1)
            text = f"{text} {joint} {_SLOT.sub(named[0], clause)}"
            labels += [sign] * count
            sign = "-" if sign == "+" else "+"
        return Sentence(text.strip(), tuple(labels))

    def _agreement(self) -> Sentence:
        sign = self._sign()
        joint = self._pick(self._style["agreement"])
        if self._rng.random() < 0.35:
            return self._same(self._clause(sign), joint, self._clause(sign), sign)
        return self._two(self._clause(sign), joint, self._clause(sign), (sign, sign))

    def _same(self, first: str, joint: str, second: str, sign: str) -> Sentence:
        """Two clauses on one thing: the second names it again or says "it"."""
        again = _SLOT.sub(self._pick([_MARK.format(0), "it", "it"]), second)
        return Sentence(f"{placed(first)} {joint} {again}", (sign,))

    def _aside(self) -> Sentence:
        """An opinion on one thing beside a remark or a question on another."""
        sign = self._pick("++--0")
        opinion, remark = self._clause(sign), self._pick(self._clauses["0"])
        joint = self._pick([".", ",", "and", "but", "?", "!", "so", "."])
        if self._rng.random() < 0.5:
            return self._two(opinion, joint, remark, (sign, "0"))
        return self._two(remark, joint, opinion, ("0", sign))

    def _hearsay(self) -> Sentence:
        sign = self._sign()
        theirs = self._clause("-" if sign == "+" else "+")
        text = f"{self._pick(self._style['hearsay'])} {theirs} {self._pick(['but', ', but', '. But', 'however'])}"
        return Sentence(f"{placed(text)} {self._pick(self._reactions[sign])}", (sign,))

    def _listed(self) -> Sentence:
        sign = self._pick("++--0")
        count = self._rng.randint(2, 4)
        marks = [_MARK.format(index) for index in range(count)]
        joint = self._pick([" and ", ", and ", " & ", ", ", " and also "] + ([" or "] if sign == "-" else []))
        listed = ", ".join(marks[:-1]) + joint + marks[-1]
        return Sentence(_SLOT.sub(listed, self._clause(sign), count=1), (sign,) * count)

    def _anaphora(self) -> Sentence:
        sign = self._pick("++--0")
        remark, reaction = self._pick(self._clauses["0"]), self._pick(self._reactions[sign])
        if sign != "0" and re.search(
            r"^(do|did|is|was|are|have|what|who|when|where|how|why|would|will|should)", remark
        ):
            remark = "I watched X"
        joint = self._pick([".", ",", "and", "but", "!", "...", ";", "-"])
        if self._rng.random() < 0.3 and _IT.search(reaction):
            marked = _IT.sub(_MARK.format(1), reaction, count=1)
            return Sentence(f"{placed(remark)} {joint} {marked}", (sign, sign))
        return Sentence(f"{placed(remark)} {joint} {reaction}", (sign,))

    def _framed(self, frame: str) -> Sentence:
        labels: list[str] = []

        def fill(match: re.Match[str]) -> str:
            if match[2]:
                return self._pick(self._reactions[match[2]])
            labels.append(match[1] or match[3])
            mark = _MARK.format(len(labels) - 1)
            return mark if match[1] else _SLOT.sub(mark, self._clause(match[3]))

        text = _MARKED.sub(fill, frame)
        return Sentence(text, tuple(labels))

    def _italian_sentences(self) -> list[Sentence]:
        made = []
        for key, sign in POLARITIES.items():
            lines = self._italian[key]
            made += [self._one(line, sign) for line in lines for _ in range(2)]
            made += [Sentence(line, (sign,)) for line in self._italian["reactions"][key]]
        made += [self._framed(line) for line in self._italian["frames"] for _ in range(3)]
        for _ in range(300):
            one, two = self._pick(self._italian["positive"]), self._pick(self._italian["negative"])
            joint = self._pick(["ma", ", ma", "però", ", invece", "mentre", "but", ", anche se", "."])
            if self._rng.random() < 0.5:
                made.append(self._two(one, joint, two, ("+", "-")))
            else:
                made.append(self._two(two, joint, one, ("-", "+")))
        return made

    @staticmethod
    def _learner(line: str) -> tuple[str, str]:
        text, _, sign = line.rpartition("|")
        return text.strip(), sign.strip()

    def _dressed(self, sentence: Sentence, share: float = 0.6) -> Sentence:
        """Words before and after, which change nothing."""
        text = sentence.text
        if self._rng.random() < share:
            text = f"{self._pick(self._style['openers'])} {text}"
        if self._rng.random() < share:
            text = f"{text} {self._pick(self._style['closers'])}"
        return Sentence(text, sentence.labels)

    def _written(self, sentence: Sentence) -> Sentence:
        """Spelling as people have it: missing apostrophes, common misspellings, slips of the finger."""
        chance = self._rng.random()
        if chance < 0.55:
            return sentence
        slips = 0.06 if chance < 0.85 else 0.3
        return Sentence(" ".join(self._misspelt(part, slips) for part in sentence.text.split(" ")), sentence.labels)

    def _misspelt(self, word: str, slips: float) -> str:
        spellings = self._style["spellings"].get(word)
        if spellings and self._rng.random() < 0.35:
            return self._pick(spellings)
        if len(word) > 3 and word.isalpha() and self._rng.random() < slips:
            place = self._rng.randrange(1, len(word) - 1)
            before, letter, after = word[:place], word[place], word[place + 1 :]
            swapped = before + after[0] + letter + after[1:]
            return self._pick([swapped, before + after, before + letter + letter + after])
        return word
