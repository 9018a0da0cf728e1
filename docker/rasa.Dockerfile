# Rasa with the intent model of the project. Build from the project's root: docker compose build rasa
FROM python:3.10.19-slim-bookworm AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /venv
ENV PATH=/venv/bin:$PATH
COPY nlu/intents/rasa/requirements.lock /tmp/
RUN pip install --no-deps --require-hashes -r /tmp/requirements.lock

FROM python:3.10.19-slim-bookworm
RUN useradd --uid 10002 --create-home rasa
COPY --from=build /venv /venv
WORKDIR /app
COPY nlu/__init__.py nlu/
COPY nlu/intents/__init__.py nlu/intents/
COPY nlu/intents/rasa nlu/intents/rasa
COPY data/models/intents data/models/intents
ENV PATH=/venv/bin:$PATH PYTHONPATH=/app PYTHONUNBUFFERED=1 \
    RASA_TELEMETRY_ENABLED=false LOG_LEVEL=WARNING TF_CPP_MIN_LOG_LEVEL=3 OMP_NUM_THREADS=1
USER rasa
EXPOSE 5005
HEALTHCHECK --interval=30s --timeout=10s --start-period=120s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:5005/status')"]
CMD ["rasa", "run", "--enable-api", "-i", "0.0.0.0", "-p", "5005", "-m", "data/models/intents"]
