"""The model card: what a shipped sentiment model is, how it was made, and the hashes that its files must have."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from data.errors import DataError, MissingFileError

CARD = "card.json"
MODELS_FOLDER = Path(__file__).resolve().parents[2] / "data" / "models" / "sentiment"


class Thresholds(BaseModel):
    """When the recogniser says that no opinion is stated; chosen on validation data.

    Attributes:
        none: least probability of "no opinion" that counts as none.
        margin: least distance of the positive share, among positive and negative, from one half.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    none: float = Field(default=0.5, gt=0, le=1)
    margin: float = Field(default=0.1, ge=0, lt=0.5)


class ModelCard(BaseModel):
    """Content of `card.json` in a model folder.

    Attributes:
        name: what `converse doctor` and the evaluation call it.
        made_with: the command that rebuilds it.
        made_on: date, ISO.
        seed: of all random choices.
        data: sources of training examples with their numbers and licences.
        figures: measures by name, with the data and split they were taken on.
        encoder: name of the transformer underneath; None for word vectors alone.
        thresholds: when no polarity is given.
        files: file name to SHA-256; classifier and word vectors only work as the pair they were trained as.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    made_with: str
    made_on: str
    seed: int
    data: Mapping[str, str | int | float]
    figures: Mapping[str, str | int | float]
    encoder: str | None = None
    thresholds: Thresholds = Thresholds()
    files: Mapping[str, str]

    @classmethod
    def load(cls, folder: Path) -> "ModelCard":
        """Reads the card and checks every file against it.

        Raises:
            MissingFileError: when the card or a file is not there.
            DataError: when the card is not valid or a file is not the one the card names.
        """
        path = folder / CARD
        remedy = "Restore the folder from version control or run `converse train sentiment`."
        if not path.is_file():
            raise MissingFileError(f"{path} is missing: there is no sentiment model. {remedy}")
        try:
            card = cls.model_validate(orjson.loads(path.read_bytes()))
        except (orjson.JSONDecodeError, ValidationError) as error:
            raise DataError(f"{path} is not a model card: {error}. {remedy}") from error
        for name, expected in card.files.items():
            if not (folder / name).is_file():
                raise MissingFileError(f"{folder / name} is missing. {remedy}")
            if sha256(folder / name) != expected:
                raise DataError(f"{folder / name} is not the file that {CARD} names. {remedy}")
        return card

    def save(self, folder: Path) -> None:
        """Writes the card beside its files."""
        (folder / CARD).write_bytes(orjson.dumps(self.model_dump(mode="json"), option=orjson.OPT_INDENT_2) + b"\n")


def model_folder(name: str) -> Path:
    """The folder of a model that ships, by its name, or of another one, by its path.

    Raises:
        MissingFileError: when there is neither.
    """
    for folder in (MODELS_FOLDER / name, Path(name)):
        if (folder / CARD).is_file():
            return folder
    shipped = ", ".join(sorted(path.parent.name for path in MODELS_FOLDER.glob(f"*/{CARD}")))
    raise MissingFileError(f"There is no sentiment model {name!r}: name one of {shipped} or the folder of another one.")


def sha256(path: Path) -> str:
    """Hexadecimal digest of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
