# The bot. Build from the project's root: docker compose build bot
FROM python:3.11.14-slim-bookworm AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /venv
ENV PATH=/venv/bin:$PATH
COPY requirements.lock /tmp/
RUN pip install --no-deps --require-hashes -r /tmp/requirements.lock
RUN pip install --no-deps --index-url https://download.pytorch.org/whl/cpu torch==2.13.0
WORKDIR /app
COPY pyproject.toml README.md LICENSE ./
COPY bot bot
COPY nlu nlu
COPY recommender recommender
COPY data data
RUN pip install --no-deps --no-build-isolation -e .

FROM python:3.11.14-slim-bookworm
RUN useradd --uid 10001 --create-home converse && install -d -o converse -g converse /data
COPY --from=build /venv /venv
COPY --from=build /app /app
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 CONVERSE_DATA_DIR=/data
WORKDIR /app
USER converse
VOLUME /data
HEALTHCHECK --interval=60s --timeout=30s --start-period=60s CMD ["converse", "doctor"]
ENTRYPOINT ["converse"]
CMD ["telegram"]
