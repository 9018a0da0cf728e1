"""The one exception tree.

Every message names what is wrong and what to do next; `exit_code` is what the command line ends with.
The tree lives in the lowest layer so that every layer can raise from it; `bot.errors` re-exports it.
"""

__all__ = [
    "BackendError",
    "ConfigError",
    "ConverseError",
    "DataError",
    "MissingFileError",
    "StorageError",
    "UsageError",
]


class ConverseError(Exception):
    """Base of all errors that the product raises on purpose."""

    exit_code = 1


class UsageError(ConverseError, ValueError):
    """A wrong argument or option on the command line."""

    exit_code = 2


class ConfigError(ConverseError, ValueError):
    """A setting that is unknown or has an impossible value."""

    exit_code = 2


class DataError(ConverseError, ValueError):
    """A file whose content does not follow its format."""

    exit_code = 2


class MissingFileError(ConverseError, FileNotFoundError):
    """A file or folder that must exist and does not (a model, a catalogue, a data set)."""

    exit_code = 2


class BackendError(ConverseError, RuntimeError):
    """A service or model that cannot be used at the moment (Rasa, Wikidata, Stanza)."""


class StorageError(ConverseError, RuntimeError):
    """A database that cannot be opened, read or written."""
