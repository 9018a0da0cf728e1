"""The exception tree of the product (defined in `data.errors`, the lowest layer)."""

from data.errors import (
    BackendError,
    ConfigError,
    ConverseError,
    DataError,
    MissingFileError,
    StorageError,
    UsageError,
)

__all__ = [
    "BackendError",
    "ConfigError",
    "ConverseError",
    "DataError",
    "MissingFileError",
    "StorageError",
    "UsageError",
]
