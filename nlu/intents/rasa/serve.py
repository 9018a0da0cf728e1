"""Rasa as a server that lives as long as somebody holds a lease on it. Runs in Rasa's own environment (Python 3.10).

The caller passes the read end of a named pipe. Every program that uses the server keeps the write end open; the kernel
closes it when that program ends, however it ends. When the last one is gone, the server stops.
"""

import argparse
import fcntl
import json
import os
import select
import signal
import sys
import threading
from pathlib import Path

SECONDS_TO_STOP = 5.0
"""After this a server that does not stop by itself is ended."""


def main() -> None:
    """Detach from the caller, say where the server is, and serve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="where state.json, lease and lock lie")
    parser.add_argument("--lease", type=int, required=True, help="file descriptor: the pipe's read end")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--model", type=Path, required=True)
    arguments = parser.parse_args()
    if server := os.fork():
        state = {"pid": server, "port": arguments.port, "model": str(arguments.model)}
        (arguments.folder / "state.json").write_text(json.dumps(state), encoding="utf-8")
        os._exit(0)
    os.setsid()
    threading.Thread(target=stop_when_unused, args=(arguments.lease, arguments.folder), daemon=True).start()
    serve(arguments.model, arguments.port)


def stop_when_unused(lease: int, folder: Path) -> None:
    """Wait until nobody holds the lease, then stop this process."""
    poll = select.poll()
    poll.register(lease, 0)
    while True:
        poll.poll()
        with (folder / "lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not poll.poll(0):  # somebody came in the meantime
                continue
            for name in ("state.json", "lease"):
                (folder / name).unlink(missing_ok=True)
            os.close(lease)
        break
    os.kill(os.getpid(), signal.SIGTERM)
    threading.Event().wait(SECONDS_TO_STOP)
    os._exit(0)


def serve(model: Path, port: int) -> None:
    """Run `rasa run --enable-api` on the loopback interface in this process."""
    sys.path.append(str(Path(__file__).resolve().parents[3]))  # our own components; last, so that it hides nothing
    spare_imports()
    from rasa.__main__ import main as rasa

    sys.argv = ["rasa", "run", "--enable-api", "-i", "127.0.0.1", "-p", str(port), "-m", str(model)]
    rasa()


def spare_imports() -> None:
    """Halve the start: skops imports all of scikit-learn to list trusted estimators, TensorFlow Lite tries jax."""
    import sklearn.utils
    from sklearn.linear_model import LogisticRegression

    sklearn.utils.all_estimators = lambda: [("LogisticRegression", LogisticRegression)]
    sys.modules["jax"] = None  # type: ignore[assignment]


if __name__ == "__main__":
    main()
