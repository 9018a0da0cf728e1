"""The alias index as one file: a line of JSON that says what follows, the trie, and arrays to be mapped into memory."""

import hashlib
import json
import logging
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import marisa_trie  # type: ignore[import-not-found]
import numpy as np
from numpy.typing import NDArray

from data.errors import DataError, MissingFileError
from data.model import Entity
from nlu.entities.index import AliasIndex
from nlu.entities.words import Words

FORMAT_VERSION = 1
_log = logging.getLogger(__name__)
_KEY = "converse_alias_index"
_ALIGNMENT = 64


def prepared_index(entities: Iterable[Entity], words: Words, path: Path) -> AliasIndex:
    """The index of these entities from a file that was prepared earlier, or built now and kept there for next time.

    Args:
        entities: those of the catalogue.
        words: decide which names an entity has.
        path: of the file; it is written anew when the entities or words have changed. Where it cannot be written the
            index is built each time.
    """
    entities = tuple(entities)
    mark = fingerprint(entities, words)
    with suppress(MissingFileError, DataError):
        index = load_index(path, mark)
        _log.debug("alias index from %s", path)
        return index
    index = AliasIndex.build(entities, words)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        save_index(index, path, mark)
    except OSError as error:
        _log.warning("the alias index cannot be kept in %s (%s); it is built at every start", path, error)
    return index


def fingerprint(entities: Iterable[Entity], words: Words) -> str:
    """Tells one set of entities, names and words from another."""
    digest = hashlib.blake2b(words.fingerprint.encode(), digest_size=16)
    for entity in entities:
        named = (entity.qid, entity.label, entity.kind, *entity.aliases, *entity.labels.values(), entity.popularity)
        digest.update(repr(named).encode())
    return digest.hexdigest()


def save_index(index: AliasIndex, path: Path, mark: str = "") -> None:
    """Writes the prepared part of an index, at once or not at all; entities added later are not in it.

    Args:
        index: what to write.
        path: of the file.
        mark: fingerprint of what it was built from.
    """
    trie = index.trie.tobytes()
    place = _aligned(len(trie))
    arrays: dict[str, dict[str, Any]] = {}
    for name, array in index.arrays.items():
        arrays[name] = {"offset": place, "dtype": array.dtype.str, "length": len(array)}
        place = _aligned(place + array.nbytes)
    header = json.dumps({_KEY: FORMAT_VERSION, "mark": mark, "trie": len(trie), "arrays": arrays}).encode()
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


def load_index(path: Path, mark: str | None = None) -> AliasIndex:
    """Opens an index file; its arrays stay on disk until they are used.

    Args:
        path: of the file.
        mark: fingerprint that it must have; None for any.

    Raises:
        MissingFileError: there is no such file.
        DataError: it is no index, one of another version, or of other entities.
    """
    try:
        with path.open("rb") as stream:
            header = stream.readline()
            described = json.loads(header)
            if described.get(_KEY) != FORMAT_VERSION:
                raise ValueError("another version")
            if mark is not None and described["mark"] != mark:
                raise ValueError("other entities")
            trie = marisa_trie.Trie().frombytes(stream.read(described["trie"]))
        arrays = {
            name: _map(path, len(header) + known["offset"], known["dtype"], known["length"])
            for name, known in described["arrays"].items()
        }
    except (FileNotFoundError, NotADirectoryError) as error:
        raise MissingFileError(f"There is no alias index {path}; build it from the catalogue again.") from error
    except (OSError, ValueError, KeyError, AttributeError, RuntimeError, UnicodeDecodeError) as error:
        raise DataError(f"{path} is no alias index of version {FORMAT_VERSION}; build it again.") from error
    return AliasIndex(trie, arrays)


def _aligned(place: int) -> int:
    return -(-place // _ALIGNMENT) * _ALIGNMENT


def _map(path: Path, offset: int, dtype: str, length: int) -> NDArray[Any]:
    if not length:
        return np.zeros(0, dtype)
    mapped: NDArray[Any] = np.memmap(path, dtype=dtype, mode="r", offset=offset, shape=(length,))
    return mapped.view(np.ndarray)
