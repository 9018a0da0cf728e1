from nlu.model import Span
from nlu.sentiment.masking import OTHER, TARGET, mask, words


def spans(text: str, *names: str) -> tuple[Span, ...]:
    return tuple(Span(text.index(name), text.index(name) + len(name)) for name in names)


def test_the_scored_target_and_the_others_become_different_tokens() -> None:
    text = "I adore Amélie but Se7en scared me"
    targets = spans(text, "Amélie", "Se7en")
    assert mask(text, targets, 0) == ["i", "adore", TARGET, "but", OTHER, "scared", "me"]
    assert mask(text, targets, 1) == ["i", "adore", OTHER, "but", TARGET, "scared", "me"]


def test_the_order_of_targets_does_not_matter() -> None:
    text = "Dune bored me, Arrival did not"
    first, second = spans(text, "Dune", "Arrival")
    assert mask(text, (second, first), 1) == mask(text, (first, second), 0)


def test_of_overlapping_targets_the_scored_one_counts() -> None:
    text = "I like The Empire Strikes Back"
    inner, outer = spans(text, "Empire", "The Empire Strikes Back")
    assert mask(text, (inner, outer), 0) == ["i", "like", "the", TARGET, "strikes", "back"]
    assert mask(text, (inner, outer), 1) == ["i", "like", TARGET]


def test_without_a_target_the_whole_message_is_read() -> None:
    assert mask("Loved it!", (), None) == ["loved", "it", "!"]


def test_dashes_and_slashes_separate_words() -> None:
    assert words("so-so sci-fi/horror - ok") == ["so", "so", "sci", "fi", "horror", "ok"]


def test_curly_quotes_read_as_straight_ones() -> None:
    assert words("I don’t") == words("I don't") == ["i", "don't"]


def test_emoji_become_words_and_skin_tones_nothing() -> None:
    assert words("👍🏽") == ["thumbs", "up", "sign"]
    assert words("❤️") == words("❤")


def test_smileys_stay_whole_whatever_their_nose() -> None:
    assert words("good :-)") == words("good :)") == ["good", ":)"]


def test_there_is_always_a_token_and_never_too_many() -> None:
    assert mask("", (), None) == ["-"]
    text = "word " * 3000 + "Alien" + " word" * 3000
    masked = mask(text, spans(text, "Alien"), 0)
    assert TARGET in masked
    assert len(masked) <= 121
    assert max(map(len, words("a" * 10000))) <= 30
