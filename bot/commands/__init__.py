"""The families of commands. Each module has `register(app)`, which adds its commands; `bot.cli` finds them all."""

import typer


def group(app: typer.Typer, name: str, help_text: str) -> typer.Typer:
    """The sub-command group of that name, made on first use, so that several modules can add to one group.

    Args:
        app: the root command.
        name: e.g. "evaluate".
        help_text: shown by `converse NAME --help`; the first module's text counts.

    Returns:
        The group to add commands to.
    """
    for known in app.registered_groups:
        if known.name == name and known.typer_instance is not None:
            return known.typer_instance
    made = typer.Typer(help=help_text, no_args_is_help=True)
    app.add_typer(made, name=name)
    return made
