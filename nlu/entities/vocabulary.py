"""The ordinary words of English and Italian: a real word is not another name, misspelt ("the villain", The Village)."""

from collections.abc import Mapping
from functools import cache

from nlu.entities.folding import fold

_LANGUAGES = ("en", "it")


def uses(word: str) -> float:
    """How often people use a folded word in a million words (`wordfreq`), in the language that has it more often.

    Words that are used less than once count as 0.
    """
    return _uses().get(word, 0.0)


@cache
def _uses() -> Mapping[str, float]:
    from wordfreq import get_frequency_dict

    found: dict[str, float] = {}
    for language in _LANGUAGES:
        for word, share in get_frequency_dict(language, "small").items():
            folded = fold(word)
            found[folded] = max(found.get(folded, 0.0), 1e6 * share)
    return found
