"""Downloads the published datasets from their public homes: resumable, checked, never more than asked for."""

import hashlib
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import httpx
import yaml
from pydantic import BaseModel, ConfigDict

from data.errors import BackendError, DataError, UsageError

_HOMES = Path(__file__).with_name("homes.yaml")
_MAX_UNPACKED = 4 * 1024**3

Progress = Callable[[str, int, int | None], None]
"""Called with the file, the bytes so far and the bytes expected."""


class RemoteFile(BaseModel):
    """One file of a dataset's home."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: str
    size: int | None = None
    sha256: str | None = None
    unpack: bool = False


class Home(BaseModel):
    """Where a dataset is published and on what terms."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    home: str
    licence: str
    base: str
    files: tuple[RemoteFile, ...]


def load_homes(path: Path = _HOMES) -> Mapping[str, Home]:
    """The homes by name of the format."""
    return {name: Home(**home) for name, home in yaml.safe_load(path.read_text(encoding="utf-8")).items()}


def home_of(name: str) -> Home:
    """The home of one dataset. Raises UsageError for an unknown name."""
    homes = load_homes()
    if name not in homes:
        raise UsageError(f"unknown dataset {name!r}; known are {', '.join(homes)}")
    return homes[name]


def fetch(name: str, home: Home, folder: Path, progress: Progress) -> list[Path]:
    """Downloads what is not there yet; an interrupted file is resumed.

    Args:
        name: the dataset's name, for messages.
        home: where it is published.
        folder: where its files go, in their own layout.
        progress: told of every block.

    Returns:
        The files and unpacked folders.

    Raises:
        BackendError: no network, or the server refused; names the files to place by hand.
        DataError: a checksum does not match, or an archive is not safe to unpack.
    """
    made = []
    timeout = httpx.Timeout(20.0, read=60.0)
    with httpx.Client(follow_redirects=True, timeout=timeout) as client:
        for remote in home.files:
            target = folder / remote.path
            if not _whole(target, remote):
                try:
                    _download(client, f"{home.base}/{remote.path}", target, remote, progress)
                except (httpx.HTTPError, OSError) as error:
                    raise BackendError(_by_hand(name, home, folder, error)) from error
            _verify(target, remote)
            made.append(_unpack(target, folder) if remote.unpack else target)
    return made


def _by_hand(name: str, home: Home, folder: Path, error: Exception) -> str:
    files = ", ".join(remote.path for remote in home.files)
    return (
        f"{name} could not be fetched ({error.__class__.__name__}: {error}); without network, get {files} from "
        f"{home.home} and place them in {folder}"
    )


def _whole(target: Path, remote: RemoteFile) -> bool:
    return target.is_file() and (remote.size is None or target.stat().st_size == remote.size)


def _download(client: httpx.Client, url: str, target: Path, remote: RemoteFile, progress: Progress) -> None:
    """To a `.part` file first, from where an earlier try stopped."""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    done = part.stat().st_size if part.is_file() else 0
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={done}-"} if done else {})
    with client.stream("GET", url, headers=headers) as response:
        if done and response.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE:
            part.unlink()
            _download(client, url, target, remote, progress)
            return
        response.raise_for_status()
        resumed = response.status_code == httpx.codes.PARTIAL_CONTENT
        done = done if resumed else 0
        length = response.headers.get("Content-Length")
        total = remote.size or (done + int(length) if length else None)
        with part.open("ab" if resumed else "wb") as file:
            for block in response.iter_bytes(1 << 16):
                file.write(block)
                done += len(block)
                progress(remote.path, done, total)
    part.replace(target)


def checksum(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _verify(target: Path, remote: RemoteFile) -> None:
    if remote.sha256 is None:
        return
    found = checksum(target)
    if found != remote.sha256:
        raise DataError(f"{target}: checksum {found} is not the published {remote.sha256}; delete it and fetch again")


def _unpack(archive: Path, folder: Path) -> Path:
    """Unpacks into a folder beside; refuses what would leave it or is too large."""
    target = folder / archive.name.split(".", maxsplit=1)[0]
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as packed:
                _check_size(archive, sum(part.file_size for part in packed.infolist()))
                packed.extractall(target)  # noqa: S202 - zipfile itself strips what would leave the folder
        else:
            with tarfile.open(archive) as packed_tar:
                _check_size(archive, sum(part.size for part in packed_tar))
                packed_tar.extractall(target, filter="data")
    except (zipfile.BadZipFile, tarfile.TarError) as error:
        raise DataError(f"{archive}: cannot be unpacked ({error}); delete it and fetch again") from error
    return target


def _check_size(archive: Path, size: int) -> None:
    if size > _MAX_UNPACKED:
        raise DataError(f"{archive}: would unpack to {size} bytes, more than {_MAX_UNPACKED}; unpack it by hand")
