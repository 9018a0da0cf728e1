"""Whether a sentence supports that some of its words are a name.

"Up", "It", "1984" or "Friends" are titles after "I like", in quotes, beside "the film", with a capital or alone; in
"what's up?" or "with friends" they are not.
"""

from collections.abc import Callable, Iterable

from data.model import Entity, Qid
from nlu.entities.index import Posting
from nlu.entities.message import Message, Segment
from nlu.entities.names import PERSON_KINDS, PLACE_KINDS, NameKind

_SENTENCE_TITLE = 4
_LONG_TITLE = 3
_LONG_KEY = 9
_SHORT_KEY = 2
_FEWEST_WORDS_ANYWHERE = 2
_EVERYDAY = 10.0
_VOCABULARY = frozenset({"genre"})
RARELY_LIKED_KINDS = frozenset({"language", "country", "place", "award", "organisation", "subject", "work"})
"""Kinds of which a title is more probably meant than they themselves."""

_PEOPLE = PERSON_KINDS | {"band"}


class Support:
    """Judges places in messages."""

    def __init__(self, nouns: frozenset[str], get: Callable[[Qid], Entity | None]) -> None:
        """Takes the folded words for items ("film", "songs") and how to look an entity up."""
        self._nouns = nouns
        self._get = get

    def kept(
        self, message: Message, span: Segment, postings: tuple[Posting, ...], *, item_shown: bool
    ) -> tuple[Posting, ...]:
        """The entities that the words may name here; none when the words are no name here."""
        words = message.phrase(span.first, span.last)
        if message.crosses_sentences(span) and len(words) < _SENTENCE_TITLE:
            return ()
        if message.is_contraction(span.first) or (self.is_small_talk(message) and not self._stressed(message, span)):
            return ()
        if len(words) == 1 and words[0] in message.words.nationalities:
            return postings if self._nationality_counts(message, span) else ()
        untitled = message.words.indefinite | message.words.possessives
        if message.word(span.first - 1) in untitled and not message.tokens[span.first].capital:
            # "an island" is not Iceland: the names of places take no indefinite article
            postings = tuple(one for one in self.people(postings) if self._kind(one) not in PLACE_KINDS)
        content = [word for word in words if word not in message.words.common and not word.isdecimal()]
        if len(message.key(span.first, span.last)) == 1:
            return postings if self._marked(message, span) else ()
        if not content:
            return self._common_words(message, span, postings, item_shown=item_shown)
        if len(content) >= _FEWEST_WORDS_ANYWHERE or self._marked(message, span):
            return postings
        postings = self._no_mere_thing(message, span, postings, item_shown=item_shown)
        long = len(words) >= _LONG_TITLE and len(message.key(span.first, span.last)) >= _LONG_KEY
        if long and any(one.kind <= NameKind.FOREIGN for one in postings):
            return postings
        return self._one_word(message, span, postings)

    def is_vocabulary(self, postings: Iterable[Posting]) -> bool:
        """Whether the words name what everyday words name: genres, countries, languages, subjects."""
        everyday = _VOCABULARY | RARELY_LIKED_KINDS
        return any(self._kind(one) in everyday and one.kind <= NameKind.FOREIGN for one in postings)

    def names_genre(self, postings: Iterable[Posting]) -> bool:
        """Whether the words may name a genre."""
        return bool(self._genres(postings))

    def _genres(self, postings: Iterable[Posting]) -> tuple[Posting, ...]:
        return tuple(one for one in postings if self._kind(one) == "genre" and one.kind <= NameKind.FOREIGN)

    def is_small_talk(self, message: Message) -> bool:
        """Whether the whole message is a phrase of small talk, an answer or a command."""
        return message.phrase(0, len(message)) in message.words.small_talk

    def national(self, message: Message, span: Segment, postings: tuple[Posting, ...]) -> tuple[Posting, ...]:
        """What an adjective of nationality means: a language in "in Italian", else the country."""
        beside = {message.word(span.first - 1), message.word(span.last)}
        order = ("language", "country") if beside & message.words.in_language else ("country", "language")
        for kind in order:
            found = tuple(one for one in postings if self._kind(one) == kind and one.kind <= NameKind.FOREIGN)
            if found:
                return found
        return ()

    def _nationality_counts(self, message: Message, span: Segment) -> bool:
        """Beside a noun, a role or "in", denied, or after a verb of taste; not in "do you speak Italian?"."""
        words = message.words
        telling = self._nouns | words.role_words | words.in_language
        before = span.first - 1
        while message.is_article(before):
            before -= 1
        beside = {message.word(span.first - 1), message.word(span.last)}
        if beside & telling or message.word(before) in words.negations:
            return True
        return message.is_opinion(self.before(message, span.first))

    def _kind(self, posting: Posting) -> str | None:
        entity = self._get(posting.qid)
        return entity.kind if entity else None

    def _common_words(
        self, message: Message, span: Segment, postings: tuple[Posting, ...], *, item_shown: bool
    ) -> tuple[Posting, ...]:
        """Names made of common words and numbers: whole names only."""
        words = message.phrase(span.first, span.last)
        if all(word in message.words.interjections for word in words) and span not in message.quoted:
            return ()
        if all(word in message.words.pronouns for word in words):
            alone = not item_shown and (self._stressed(message, span) or self._whole(message, span))
            supported = alone or self._marked(message, span)
            titles = (one for one in postings if one.kind is NameKind.LABEL and self._is_item(one))
            return tuple(titles) if supported else ()
        if message.word(span.last) in self._nouns and (genres := self._genres(postings)):
            return genres
        own = tuple(one for one in postings if one.kind <= NameKind.FOREIGN and self._is_item(one))
        nouns = all(word in self._nouns | message.words.articles for word in words)
        supported = (
            len(words) >= _SENTENCE_TITLE
            or self._marked(message, span)
            or (self._capital(message, span) and not self._within_capitals(message, span))
            or self._title_case(message, span)
            or (not nouns and self._fills_slot(message, span))
            or (words[0].isdecimal() and self._follows_verb(message, span.first))
        )
        return own if supported else ()

    def _one_word(self, message: Message, span: Segment, postings: tuple[Posting, ...]) -> tuple[Posting, ...]:
        """Names with one telling word."""
        if self._within_capitals(message, span):
            return ()
        if not self._surname_fits(message, span):
            postings = tuple(one for one in postings if one.kind is not NameKind.SURNAME)
        if len(message.key(span.first, span.last)) <= _SHORT_KEY and not self._fills_slot(message, span):
            return ()
        opinion = message.is_opinion(self.before(message, span.first))
        if self._capital(message, span) or opinion:
            return postings
        national = any(word in message.words.nationalities for word in message.phrase(span.first, span.last))
        if self._introduced(message, span) and not national:
            return tuple(one for one in postings if self._kind(one) not in RARELY_LIKED_KINDS)
        before = self.before(message, span.first)
        people = message.word(before) in message.words.before_people
        place = any(message.phrase(before - more, before + 1) in message.words.place_leads for more in (0, 1))
        place = place and message.word(before - 1) not in message.words.speech
        owned = message.word(span.first - 1) in message.words.possessives | message.words.subjects
        return tuple(one for one in postings if self._fits_anywhere(one, people=people, place=place, owned=owned))

    def _fits_anywhere(self, posting: Posting, *, people: bool, place: bool, owned: bool) -> bool:
        """Genres are everyday words, but for "my family"; people may follow "with" or "by", places "from"."""
        entity = self._get(posting.qid)
        if entity is None:
            return False
        if entity.kind in _VOCABULARY:
            return posting.kind <= NameKind.FOREIGN and not owned
        if entity.kind in RARELY_LIKED_KINDS:
            return place
        whole = posting.kind is not NameKind.WITHOUT_ARTICLE
        return people and whole and (entity.domain is None or entity.kind in _PEOPLE)

    def _named_thing(self, posting: Posting) -> bool:
        """Whether it is an item, a person or a band, rather than a genre, a place or a subject."""
        return self._is_item(posting) or self._kind(posting) in _PEOPLE

    def _is_item(self, posting: Posting) -> bool:
        entity = self._get(posting.qid)
        return entity is not None and entity.is_item

    def _stressed(self, message: Message, span: Segment) -> bool:
        """With a capital after a word that names follow: "I like It"."""
        return self._capital(message, span) and self._introduced(message, span)

    def _surname_fits(self, message: Message, span: Segment) -> bool:
        """Not after another telling word ("Willy Parsons") or an article, nor as the first of more words."""
        if self._beside_content(message, span) or self._everyday_thing(message, span):
            return False
        if message.word(span.last) in self._nouns and message.tokens[span.first].capital:
            return True  # "a Kubrick film"
        if message.is_article(span.first - 1) and not message.is_opinion(self.before(message, span.first)):
            return False
        if message.ends_clause(span.last) or message.word(span.last) in message.words.verbs_after:
            return True
        return message.word(span.last) in message.words.common and not message.starts_sentence(span.first)

    def _no_mere_thing(
        self, message: Message, span: Segment, postings: tuple[Posting, ...], *, item_shown: bool
    ) -> tuple[Posting, ...]:
        """What "the hook" or "the beginning" may name; with an item on show, no other one."""
        if item_shown and self._everyday_thing(message, span):
            return tuple(one for one in postings if not self._named_thing(one))
        if message.is_article(span.last - 2) and message.is_everyday(span.last - 1):
            return tuple(one for one in postings if one.kind is not NameKind.SUBTITLE)
        return postings

    def _everyday_thing(self, message: Message, span: Segment) -> bool:
        """Whether an ordinary word stands after an article that is no part of the name: "the pace", "the hero"."""
        return message.is_article(span.first - 1) and message.is_everyday(span.last - 1, least=_EVERYDAY)

    def _within_capitals(self, message: Message, span: Segment) -> bool:
        """Whether a neighbour has a capital too, so that the word is a part of a longer name: "The Big Sick"."""
        if message.mostly_capital or not message.tokens[span.first].capital or span in message.quoted:
            return False
        before, after = span.first - 1, span.last
        joined = not message.ends_clause(span.first) and before > 0 and not message.starts_sentence(before)
        if joined and message.tokens[before].capital and message.word(before) not in message.words.subjects:
            return True
        return not message.ends_clause(after) and message.tokens[after].capital

    def _marked(self, message: Message, span: Segment) -> bool:
        """In quotes, or beside a word such as "film"."""
        if span in message.quoted:
            return True
        if all(word in self._nouns for word in message.phrase(span.first, span.last)):
            return False
        before = message.word(span.first - 1)
        noun = before in self._nouns or before in message.words.role_words
        if not noun or message.starts_sentence(span.first) or not message.ends_clause(span.last):
            return False
        determined = message.is_article(span.first - 2) or message.word(span.first - 2) in message.words.demonstratives
        return determined or not message.is_common(span.first, span.last)

    def _follows_verb(self, message: Message, place: int) -> bool:
        return message.is_opinion(place - 1) or message.leads(place - 1)

    def _whole(self, message: Message, span: Segment) -> bool:
        outside = (*range(span.first), *range(span.last, len(message)))
        return all(message.is_year(place) for place in outside)

    def _capital(self, message: Message, span: Segment) -> bool:
        """Written with capitals where none is needed."""
        if message.mostly_capital or message.starts_sentence(span.first):
            return False
        tokens = message.tokens[span.first : span.last]
        return tokens[0].capital and all(token.capital or token.word in message.words.common for token in tokens)

    def _title_case(self, message: Message, span: Segment) -> bool:
        """Several words with capitals that begin a sentence: "Get Out is great"."""
        tokens = message.tokens[span.first : span.last]
        told = message.word(span.last) in message.words.verbs_after or message.ends_clause(span.last)
        return len(tokens) > 1 and told and not message.mostly_capital and all(token.capital for token in tokens)

    def _introduced(self, message: Message, span: Segment) -> bool:
        """After a word that titles follow, in a list of names, alone in its clause, or what a sentence is about."""
        before = self.before(message, span.first)
        if before < 0 or message.starts_sentence(before + 1) or self._listed(message, before):
            follows = message.word(span.last)
            told = follows in message.words.verbs_after or follows in message.words.by_people
            return told or self._nothing_more(message, span.last)
        word = message.word(before)
        refused = word in message.words.negations and message.word(before - 1) in message.words.breaks
        return message.is_opinion(before) or message.leads(before) or word in message.words.about or refused

    def introduces(self, message: Message, place: int) -> bool:
        """Whether a name of some kind may follow the word there."""
        return message.leads(place) or message.word(place) in message.words.about

    def people(self, postings: Iterable[Posting]) -> tuple[Posting, ...]:
        """Only what may follow "with" or "by": no titles."""
        return tuple(one for one in postings if not self._is_item(one) or self._kind(one) in _PEOPLE)

    def _fills_slot(self, message: Message, span: Segment) -> bool:
        """The whole object of a verb of taste, or the whole message."""
        if self._whole(message, span):
            return True
        before = self.before(message, span.first)
        if before < 0 or not self._nothing_more(message, span.last):
            return False
        if message.is_opinion(before):
            return True
        opinion = any(message.is_opinion(place) for place in range(before))
        return opinion and self._listed(message, before)

    def _listed(self, message: Message, before: int) -> bool:
        return message.word(before) in message.words.joins | message.words.breaks or message.ends_clause(before + 1)

    def _beside_content(self, message: Message, span: Segment) -> bool:
        """Whether a telling word stands right before: "Willy Parsons" is not just any Parsons."""
        before = span.first - 1
        if before < 0 or message.ends_clause(span.first):
            return False
        return message.word(before) not in message.words.common and not message.is_opinion(before)

    def before(self, message: Message, place: int) -> int:
        """The place of the word before, articles, years and words such as "film" skipped; -1 for none."""
        place -= 1
        words = message.words
        skipped = self._nouns | words.role_words | words.demonstratives
        while place >= 0 and (message.word(place) in skipped or message.is_article(place) or message.is_year(place)):
            if message.word(place) in words.joins:
                break
            place -= 1
        return place

    def _nothing_more(self, message: Message, place: int) -> bool:
        """Whether nothing but a polite word follows in the clause."""
        words = message.words
        while not message.ends_clause(place):
            part = message.word(place) in words.part_words and message.word(place + 1).isdecimal()
            part = part or (message.word(place - 1) in words.part_words and message.word(place).isdecimal())
            if not part and message.word(place) not in words.after_titles and not message.is_year(place):
                return False
            place += 1
        return True
