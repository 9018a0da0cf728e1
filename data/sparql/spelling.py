"""Ways of writing a title. Labels are matched to the letter; people do not type them so."""

from data.sparql.vocabulary import load_vocabulary

__all__ = ["spellings"]

_SHORT = 5


def spellings(name: str) -> tuple[str, ...]:
    """Ways in which a title that is typed carelessly may really be written, as typed first."""
    small = load_vocabulary().small_words
    plain = " ".join(name.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").split())
    words = (plain.lower() if plain.isupper() else plain).split(" ")
    headline = _capital(" ".join(word if word.lower() in small else _capital(word) for word in words))
    capitals = " ".join(_capital(word.lower()) for word in words)
    forms = [name, plain, headline, capitals, _capital(plain.lower()), plain.lower()]
    if len(plain) <= _SHORT:
        forms.append(plain.upper())
    if not plain.lower().startswith("the "):
        forms.append(f"The {headline}")
    return tuple(dict.fromkeys(forms))


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]
