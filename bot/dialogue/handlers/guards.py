"""Turns that cannot be read: they get a clear answer and change nothing."""

from bot.dialogue.scene import Handler, Move, Scene

UNEXPORTED = {"media", "unknown_command", "stale"}


def _unreadable(scene: Scene) -> Move:
    key = scene.action.value if scene.action and scene.does == "unreadable" else scene.does
    text = scene.say(key, longest=scene.know.policy.longest_message)
    then = "none" if key in UNEXPORTED or scene.state.position is None else "remind"
    return scene.move(text, then=then, exported=key not in UNEXPORTED)


HANDLERS = (Handler("unreadable", lambda scene: scene.does in {"unreadable", "unknown_command", "stale"}, _unreadable),)
