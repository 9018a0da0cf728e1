"""What the figures of a benchmark have in common: where and when they were taken, and how they are shown."""

import json
import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any


def circumstances() -> dict[str, Any]:
    """Load, date and machine."""
    return {
        "load_average": round(os.getloadavg()[0], 1),
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}",
    }


def show(found: Mapping[str, Any], *, as_json: bool) -> None:
    """Prints figures, as one JSON document on request."""
    if as_json:
        print(json.dumps(found))
        return
    for name, value in found.items():
        print(f"{name.replace('_', ' '):26} {value}")
