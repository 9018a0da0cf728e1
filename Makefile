# `make help` lists what there is. `make chat` and `make test` need no other step before them.
SHELL := /bin/sh
BIN := .venv/bin
DATA ?= ../shared/data
CASES ?= ../shared/cases
SNIPPETS ?=
STUDIES ?=

.DEFAULT_GOAL := help
.PHONY: help setup chat telegram web screenshots doctor test lint format slow test-effects test-faults test-spark fuzz train evaluate bench bench-load lock clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## build .venv (bot) and .venv-rasa (Rasa), or bring them up to date
	@for python in python3 python3.13 python3.12 python3.11 python3.10 /usr/bin/python3 python; do \
		if $$python -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then \
			exec $$python tools/setup.py; \
		fi; \
	done; \
	echo "make setup: no Python runs here; install Python 3.11 or newer and Python 3.10 (for Rasa)." >&2; exit 2

chat: setup ## talk with the bot in the terminal
	@$(BIN)/converse chat

telegram: setup ## run the Telegram bot (TELEGRAM_BOT_TOKEN)
	@$(BIN)/converse telegram

web: setup ## run the web pages: chat, studies and dashboard (STUDIES: files of studies)
	@$(BIN)/converse web $(addprefix --study ,$(STUDIES))

screenshots: setup ## take the pictures of the documentation again (needs chromium)
	$(BIN)/python -m tests.browser.screenshots docs/screenshots

doctor: setup ## say what is installed, what is active and what is missing
	@$(BIN)/converse doctor

lint: setup ## check style, types and the direction of imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup ## mend style
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

test: lint ## lint, then run all tests but the slow ones
	$(BIN)/pytest -m "not slow"

slow: setup ## run the slow tests
	$(BIN)/pytest -m slow

test-effects: setup ## let 200 small simulated studies without any effect look for one
	$(BIN)/pytest -m slow tests/bot/study -rA

test-faults: setup ## kill the real bot, and break what it needs, at random points of many turns
	$(BIN)/pytest tests/faults

fuzz: setup ## feed every reader and the message path more than 100,000 broken inputs
	$(BIN)/pytest -m slow tests/fuzz

test-spark: setup ## install PySpark and compare its catalogue with that of one machine (Java 17)
	$(BIN)/uv pip install -q -p $(BIN)/python --require-hashes -r requirements-spark.lock
	$(BIN)/pytest -m slow tests/data/building/test_spark.py

train: setup ## train the intent and sentiment models again (DATA: released data sets)
	$(BIN)/converse train intents --data $(DATA)/converse
	$(BIN)/converse train sentiment --data $(DATA)/converse --redial $(DATA)/redial --redial $(DATA)/redial-eval \
		$(addprefix --snippets ,$(SNIPPETS)) $(addprefix --cases ,$(wildcard $(CASES)/polarity*.jsonl))

evaluate: setup ## measure the figures of the docs again and fail where they differ (DATA, CASES)
	$(BIN)/python -m benchmarks.documented --data $(DATA) --cases $(CASES)

bench: setup ## speed of whole turns and of the recommender
	$(BIN)/python -m benchmarks.turns
	$(BIN)/python -m benchmarks.pagerank

# Minutes of the last run, which watches memory; 50,000 turns take about 25.
bench-load: MINUTES = 9
bench-load: setup ## how many turns a second one, two and four workers bear, and whether memory stays flat
	$(BIN)/python -m benchmarks.load --workers 2 --rates 20 40 60 80 --seconds 15 --minutes 2.5
	$(BIN)/python -m benchmarks.load --workers 4 --rates 20 40 60 80 --seconds 15 --minutes 2.5
	$(BIN)/python -m benchmarks.load --seconds 20 --minutes $(MINUTES) --soak 50000 --soak-rate 40

lock: setup ## write the lock files from the pyproject files (UPGRADE=--upgrade takes newer versions)
	$(BIN)/python tools/lock.py $(UPGRADE)

clean: ## remove both environments and everything that tools left
	rm -rf .venv .venv-rasa .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
