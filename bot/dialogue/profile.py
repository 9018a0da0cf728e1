"""Pure changes of what is known of a user."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from bot.dialogue.state import Preference, Profile, Shown
from data.model import Domain, Polarity, Qid

__all__ = ["excluded", "known", "marked", "opinion", "reset", "seeds", "with_preference", "with_shown", "without"]


def opinion(profile: Profile, qid: Qid) -> Polarity | None:
    """What the user thinks of it, as far as known."""
    return next((preference.polarity for preference in profile.preferences if preference.qid == qid), None)


def with_preference(profile: Profile, preference: Preference) -> Profile:
    """The profile with one preference more, or with a changed one in its old place."""
    others = [_with_role_of(old, preference) if old.qid == preference.qid else old for old in profile.preferences]
    if all(old.qid != preference.qid for old in profile.preferences):
        others.append(preference)
    return replace(profile, preferences=tuple(others))


def _with_role_of(old: Preference, new: Preference) -> Preference:
    return new if new.role else replace(new, role=old.role)


def without(profile: Profile, qids: Iterable[Qid]) -> Profile:
    """The profile without any opinion on these."""
    gone = set(qids)
    return replace(profile, preferences=tuple(old for old in profile.preferences if old.qid not in gone))


def reset(profile: Profile, keep: Callable[[Preference], bool], keep_shown: Callable[[Shown], bool]) -> Profile:
    """The profile with only what is to be kept."""
    return Profile(tuple(filter(keep, profile.preferences)), tuple(filter(keep_shown, profile.shown)))


def with_shown(profile: Profile, shown: Shown) -> Profile:
    """The profile with one more item that was shown."""
    return replace(profile, shown=(*profile.shown, shown))


def marked(profile: Profile, qid: Qid, **changes: Any) -> Profile:
    """The profile with the latest showing of an item changed (rated, details asked …)."""
    shown = list(profile.shown)
    for index in reversed(range(len(shown))):
        if shown[index].qid == qid:
            shown[index] = replace(shown[index], **changes)
            break
    return replace(profile, shown=tuple(shown))


def excluded(profile: Profile) -> frozenset[Qid]:
    """What must never be recommended: everything liked, disliked, skipped or shown before."""
    return frozenset(preference.qid for preference in profile.preferences) | {shown.qid for shown in profile.shown}


def seeds(profile: Profile, polarity: Polarity) -> tuple[Qid, ...]:
    """Everything liked (or disliked), in any domain."""
    return tuple(preference.qid for preference in profile.preferences if preference.polarity == polarity)


def known(profile: Profile, domain: Domain) -> tuple[Preference, ...]:
    """Preferences of one domain."""
    return tuple(preference for preference in profile.preferences if preference.domain == domain)
