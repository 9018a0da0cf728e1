"""The Compose file and the Dockerfiles name only what exists, pin what they use, and hold no secret."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from bot.channels.telegram.server import health_routes
from bot.cli import build_app
from bot.config import PREFIX, Settings

ROOT = Path(__file__).resolve().parents[1]
DOCKERFILES = sorted((ROOT / "docker").glob("*.Dockerfile"))
OTHERS = {"PGPASSWORD", "FORWARDED_ALLOW_IPS"}
"""Variables of libpq and uvicorn."""
PUBLISHING = {"web", "proxy"}
CHANNELS = {"bot", "web"}


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    assert set(loaded) == {"name", "services", "networks", "volumes"}
    return dict(loaded)


def instructions(dockerfile: Path) -> list[tuple[str, str]]:
    """Instruction and its arguments, continued lines joined."""
    text = re.sub(r"\\\n\s*", "", dockerfile.read_text())
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in text.splitlines()) if word.isupper()]


def environment(dockerfile: Path) -> dict[str, str]:
    pairs = " ".join(rest for word, rest in instructions(dockerfile) if word == "ENV")
    return dict(pair.split("=", 1) for pair in pairs.split())


def test_the_services_build_from_files_that_exist(compose: dict[str, Any]) -> None:
    built = {ROOT / service["build"]["dockerfile"] for service in compose["services"].values() if "build" in service}
    assert built == set(DOCKERFILES)


@pytest.mark.parametrize("channel", sorted(CHANNELS))
def test_channels_are_given_known_settings_only(compose: dict[str, Any], channel: str) -> None:
    known = {PREFIX + name.upper() for name in Settings.model_fields}
    known |= {str(alias) for field in Settings.model_fields.values() for alias in aliases(field.validation_alias)}
    given = set(compose["services"][channel]["environment"]) | set(environment(ROOT / "docker" / "bot.Dockerfile"))
    assert {name for name in given if name.startswith((PREFIX, "RASA_", "TELEGRAM_"))} <= known
    assert given - known <= OTHERS | {"PATH", "PYTHONUNBUFFERED", "PIP_NO_CACHE_DIR", "PIP_DISABLE_PIP_VERSION_CHECK"}


def aliases(alias: Any) -> list[Any]:
    return list(getattr(alias, "choices", []))


def test_channels_run_commands_that_exist(compose: dict[str, Any]) -> None:
    commands = set(get_command(build_app()).commands)  # type: ignore[attr-defined]
    assert {compose["services"][channel]["command"][0] for channel in CHANNELS} <= commands
    health = next(rest for word, rest in instructions(ROOT / "docker" / "bot.Dockerfile") if word == "HEALTHCHECK")
    assert re.search(r'CMD \["converse", "(\w+)"\]', health)[1] in commands  # type: ignore[index]


def test_the_settings_of_the_bot_are_valid(compose: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in compose["services"]["bot"]["environment"].items():
        monkeypatch.setenv(name, re.sub(r"\$\{[^}]*\}", "", value))
    settings = Settings()
    assert settings.database.host in compose["services"]
    assert settings.rasa_url is not None


def test_rasa_is_where_the_bot_looks_for_it(compose: dict[str, Any]) -> None:
    match = re.fullmatch(r"http://(\w+):(\d+)", compose["services"]["bot"]["environment"]["RASA_URL"])
    assert match
    assert match[1] in compose["services"]
    lines = dict(instructions(ROOT / "docker" / "rasa.Dockerfile"))
    assert lines["EXPOSE"] == match[2]
    assert f'"-p", "{match[2]}"' in lines["CMD"]
    assert f":{match[2]}/status" in lines["HEALTHCHECK"]


def test_services_start_after_what_they_need_is_healthy(compose: dict[str, Any]) -> None:
    needs = compose["services"]["bot"]["depends_on"]
    assert {service: need["condition"] for service, need in needs.items()} == dict.fromkeys(
        ("rasa", "postgres"), "service_healthy"
    )
    assert "healthcheck" in compose["services"]["postgres"]
    for dockerfile in DOCKERFILES:
        assert "HEALTHCHECK" in dict(instructions(dockerfile))


def test_volumes_and_networks_are_declared_and_used(compose: dict[str, Any]) -> None:
    services = compose["services"].values()
    mounts = [mount.split(":") for service in services for mount in service.get("volumes", [])]
    assert {name for name, _ in mounts} == set(compose["volumes"])
    assert {name for service in services for name in service["networks"]} == set(compose["networks"])
    assert dict(mounts)["data"] == environment(ROOT / "docker" / "bot.Dockerfile")["CONVERSE_DATA_DIR"]


def test_only_the_channels_reach_the_outside_and_only_the_pages_are_published(compose: dict[str, Any]) -> None:
    assert compose["networks"]["inside"]["internal"] is True
    for name, service in compose["services"].items():
        assert ("ports" in service) == (name in PUBLISHING)
        assert ("outside" in service["networks"]) == (name in CHANNELS | PUBLISHING)
    (published,) = compose["services"]["web"]["ports"]
    assert published == f"127.0.0.1:{Settings().web_port}:{Settings().web_port}", "behind a server that speaks https"


def test_the_proxy_leads_to_what_listens(compose: dict[str, Any]) -> None:
    proxy, given = compose["services"]["proxy"], compose["services"]["bot"]["environment"]
    written = (ROOT / "docker" / "Caddyfile").read_text()
    assert proxy["profiles"] == ["public"]
    assert f"reverse_proxy web:{Settings().web_port}" in written
    assert re.search(r"name bot\s+port (\d+)", written)[1] == given["CONVERSE_WEBHOOK_PORT"]  # type: ignore[index]
    ports = dict(re.findall(r"(https?)_port (\d+)", written))
    assert proxy["ports"] == [f"80:{ports['http']}", f"443:{ports['https']}"]
    assert set(re.findall(r"\{\$(\w+)\}", written)) == set(proxy["environment"])
    assert re.search(r"@inside path (.*)", written)[1].split() == [route for route, *_ in health_routes(fails, bytes)]  # type: ignore[index]
    health = dict(instructions(ROOT / "docker" / "proxy.Dockerfile"))["HEALTHCHECK"]
    assert re.search(r"http://127\.0\.0\.1:\d+", health)[0] in written  # type: ignore[index]


async def fails() -> dict[str, str]:
    return {}


def test_it_keeps_to_the_compose_specification() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    done = subprocess.run([*command, ROOT / "docker-compose.yml"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_specification_is_really_checked(tmp_path: Path) -> None:
    (tmp_path / "broken.yml").write_text("services: {bot: {imagge: x}}")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    assert subprocess.run([*command, tmp_path / "broken.yml"], capture_output=True).returncode == 1


def test_secrets_come_from_the_environment(compose: dict[str, Any]) -> None:
    for service in compose["services"].values():
        for name, value in service.get("environment", {}).items():
            if re.search("TOKEN|PASSWORD|SECRET", name):
                assert re.fullmatch(r"\$\{\w+:\?[^}]+\}", value), name
    asked = set(re.findall(r"\$\{(\w+)", (ROOT / "docker-compose.yml").read_text()))
    example = dict(re.findall(r"^(\w+)=(.*)$", (ROOT / ".env.example").read_text(), re.MULTILINE))
    assert set(example) == asked
    assert not any(example.values())
    assert ".env" in (ROOT / ".gitignore").read_text().split()


@pytest.mark.parametrize("dockerfile", DOCKERFILES, ids=lambda file: file.name)
def test_images_are_pinned_and_run_without_rights(dockerfile: Path) -> None:
    lines = instructions(dockerfile)
    for word, rest in lines:
        if word == "FROM":
            assert re.match(r"python:3\.\d+\.\d+-slim-bookworm\b|caddy:\d+\.\d+\.\d+-alpine$", rest)
    users = [rest for word, rest in lines if word == "USER"]
    assert users
    assert users[-1] not in {"root", "0"}


def test_images_of_the_services_are_pinned(compose: dict[str, Any]) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    for service in compose["services"].values():
        name, _, tag = service["image"].partition(":")
        assert tag == version if name.startswith("converse-") else re.match(r"\d+\.\d+-", tag)


@pytest.mark.parametrize("dockerfile", DOCKERFILES, ids=lambda file: file.name)
def test_what_is_copied_exists_and_reaches_the_build(dockerfile: Path) -> None:
    ignored = (ROOT / ".dockerignore").read_text().split()
    for word, rest in instructions(dockerfile):
        if word == "COPY" and not rest.startswith("--from"):
            for source in rest.split()[:-1]:
                assert (ROOT / source).exists(), source
                assert "!" + source.split("/")[0] in ignored, source


def test_pytorch_is_the_pinned_cpu_build() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (pin,) = [line for line in project["dependencies"] if line.startswith("torch")]
    run = [rest for word, rest in instructions(ROOT / "docker" / "bot.Dockerfile") if word == "RUN" and "torch" in rest]
    assert len(run) == 1
    assert run[0].endswith(f"/whl/cpu {pin}")


def test_rasa_sends_no_telemetry_and_logs_no_words_of_users() -> None:
    given = environment(ROOT / "docker" / "rasa.Dockerfile")
    assert given["RASA_TELEMETRY_ENABLED"] == "false"
    assert given["LOG_LEVEL"] == "WARNING"
