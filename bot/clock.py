"""The real clock; tests pass in their own."""

from datetime import UTC, datetime


def utc_now() -> datetime:
    """The present moment, with time zone."""
    return datetime.now(UTC)
