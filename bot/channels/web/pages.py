"""Makes pages out of templates, in the visitor's language."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from bot.channels.web.visitors import csrf_token, remember
from bot.channels.web.wording import FALLBACK, PageWording, load_page_wordings

FOLDER = Path(__file__).parent
STATIC = FOLDER / "static"
LANGUAGE_COOKIE = "language"
_DIGITS = 10


class Pages:
    """The templates and texts of all pages."""

    def __init__(self, *folders: Path) -> None:
        """Takes folders of more templates, which may extend `base.html`."""
        self._wordings = load_page_wordings()
        self._versions: dict[str, str] = {}
        self._environment = Environment(
            loader=FileSystemLoader([FOLDER / "templates", *folders]),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.globals["static"] = self._static

    @property
    def languages(self) -> Sequence[str]:
        """Codes of the languages that pages speak."""
        return tuple(self._wordings)

    @property
    def filters(self) -> dict[str, Any]:
        """The filters that templates can use; more may be added."""
        return self._environment.filters

    def page(self, request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
        """A whole page. The visitor's cookie goes along.

        Args:
            request: that is answered.
            template: name of the file.
            status: of the response.
            values: for the template, beside `t` (the texts), `csrf`, `language` and `path`; a `language` among them
                is the page's.
        """
        response = HTMLResponse(self.fragment(request, template, **values), status)
        response.headers["Cache-Control"] = "no-store"
        remember(request, response)
        return response

    def fragment(self, request: Request, template: str, **values: Any) -> str:
        """A piece of a page as HTML."""
        language = values.get("language") or self.language(request)
        known = {"t": self.texts(language), "csrf": csrf_token(request), "path": request.url.path}
        return self._environment.get_template(template).render({**known, **values, "language": language})

    def texts(self, language: str) -> PageWording:
        """The texts in a language, or in English."""
        return self._wordings.get(language, self._wordings[FALLBACK])

    def language(self, request: Request) -> str:
        """The language that the visitor chose, or the first of their browser's that pages speak, or English."""
        wished = request.headers.get("Accept-Language", "").split(",")
        codes = [request.cookies.get(LANGUAGE_COOKIE, ""), *(part.strip()[:2].lower() for part in wished)]
        return next((code for code in codes if code in self._wordings), FALLBACK)

    def _static(self, name: str) -> str:
        """Address of a static file, which changes with its content."""
        if name not in self._versions:
            self._versions[name] = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:_DIGITS]
        return f"/static/{name}?v={self._versions[name]}"
