"""The alias index as one file: a line of JSON that says what follows, the trie, and arrays to be mapped into memory."""

import json
from pathlib import Path
from typing import Any

import marisa_trie  # type: ignore[import-not-found]
import numpy as np
from numpy.typing import NDArray

from data.errors import DataError, MissingFileError
from nlu.entities.index import AliasIndex

FORMAT_VERSION = 1
_KEY = "converse_alias_index"
_ALIGNMENT = 64


def save_index(index: AliasIndex, path: Path) -> None:
    """Writes the prepared part of an index, at once or not at all; entities added later are not in it."""
    trie = index.trie.tobytes()
    place = _aligned(len(trie))
    arrays: dict[str, dict[str, Any]] = {}
    for name, array in index.arrays.items():
        arrays[name] = {"offset": place, "dtype": array.dtype.str, "length": len(array)}
        place = _aligned(place + array.nbytes)
    header = json.dumps({_KEY: FORMAT_VERSION, "trie": len(trie), "arrays": arrays}).encode()
    start = _aligned(len(header) + 1)
    part = path.with_name(path.name + ".part")
    with part.open("wb") as stream:
        stream.write(header.ljust(start - 1) + b"\n")
        stream.write(trie)
        for name, array in index.arrays.items():
            stream.seek(start + arrays[name]["offset"])
            stream.write(np.ascontiguousarray(array).tobytes())
        stream.truncate(start + place)
    part.replace(path)


def load_index(path: Path) -> AliasIndex:
    """Opens an index file; its arrays stay on disk until they are used.

    Raises:
        MissingFileError: there is no such file.
        DataError: it is no index, or one of another version.
    """
    try:
        with path.open("rb") as stream:
            header = stream.readline()
            described = json.loads(header)
            if described.get(_KEY) != FORMAT_VERSION:
                raise ValueError("another version")
            trie = marisa_trie.Trie().frombytes(stream.read(described["trie"]))
        arrays = {
            name: _map(path, len(header) + known["offset"], known["dtype"], known["length"])
            for name, known in described["arrays"].items()
        }
    except FileNotFoundError as error:
        raise MissingFileError(f"There is no alias index {path}; build it from the catalogue again.") from error
    except (ValueError, KeyError, AttributeError, RuntimeError, UnicodeDecodeError) as error:
        raise DataError(f"{path} is no alias index of version {FORMAT_VERSION}; build it again.") from error
    return AliasIndex(trie, arrays)


def _aligned(place: int) -> int:
    return -(-place // _ALIGNMENT) * _ALIGNMENT


def _map(path: Path, offset: int, dtype: str, length: int) -> NDArray[Any]:
    if not length:
        return np.zeros(0, dtype)
    mapped: NDArray[Any] = np.memmap(path, dtype=dtype, mode="r", offset=offset, shape=(length,))
    return mapped.view(np.ndarray)
