"""Where the published datasets lie, for the tests that read them all."""

import os
from pathlib import Path

import pytest

_DEFAULT = Path(__file__).parents[4] / "shared" / "data"


@pytest.fixture(scope="session")
def published() -> Path:
    """The folder of the published datasets; skips where they are not."""
    folder = Path(os.environ.get("CONVERSE_PUBLISHED_DATA", _DEFAULT))
    if not folder.is_dir():
        pytest.skip("the published datasets are not here; set CONVERSE_PUBLISHED_DATA to their folder")
    return folder
