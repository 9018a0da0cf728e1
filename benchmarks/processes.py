"""What processes cost: CPU time and memory, read from /proc (Linux)."""

import os
from collections.abc import Iterator
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_UTIME = 11
"""Place of the field among those after the command's name in /proc/PID/stat (man 5 proc)."""


def cpu_seconds(pid: int, *, children: bool = False) -> float:
    """CPU time that a process has used, on request with its children, dead or alive."""
    fields = _stat(pid)
    ticks = sum(map(int, fields[_UTIME : _UTIME + (4 if children else 2)]))
    own = ticks / _TICKS
    return own + sum(cpu_seconds(child) for child in _children(pid)) if children else own


def memory_mb(pid: int) -> float:
    """Resident memory of a process, in megabytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return round(int(line.split()[1]) / 1024, 1)
    return 0.0


def _stat(pid: int) -> list[str]:
    """The fields after the command's name: state, parent and so on."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _children(pid: int) -> Iterator[int]:
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and int(_stat(int(folder.name))[1]) == pid:
                yield int(folder.name)
        except (FileNotFoundError, ProcessLookupError):
            continue
