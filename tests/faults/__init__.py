"""Faults injected into real processes."""

from pathlib import Path


def skewed_clock_file() -> Path:
    """The program that runs `converse` with a wrong clock."""
    return Path(__file__).parent / "skewed_clock.py"
