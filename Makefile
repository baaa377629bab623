# make run    makes .venv, fetches the starter model and opens the window; ARGS="--model PATH" goes to it
# make test   makes .venv and runs every check, offscreen; ARGS="tests/engine -k ngram" narrows the tests
# make soak   random replies that come and go, twenty times as long as in make test
# make bench  measures this machine
# make app    makes .venv and, below dist/, the double-clickable application, which then tests itself
# make app-evaluate  lays the application out from the wheels that a Mac would get, and checks it; fetches 230 MB once
# make lint   ruff and mypy alone
# make clean  removes .venv and what the tools left
# PYTHON=…    takes that interpreter for .venv; EXTRAS=cuda installs MLX's CUDA 13 backend too
# Every path is relative and programs are called as modules: the folder may have spaces in its name.

ARGS ?=
EXTRAS ?=
VENV := .venv/bin/python
# a file's tests stay in one process, which makes its models once; each process may hold the starter model
AT_ONCE := -n auto --maxprocesses 4 --dist loadfile
WITH_BLAS = LD_PRELOAD="$$($(VENV) -m engine.blas --print)"

.PHONY: run test soak bench app app-evaluate lint clean venv venv-dev

run: venv
	@$(VENV) -m app.launch $(ARGS)

test: lint
	@QT_QPA_PLATFORM=offscreen $(VENV) -m app.system.libraries
	@QT_QPA_PLATFORM=offscreen $(WITH_BLAS) $(VENV) -m pytest $(AT_ONCE) $(ARGS)

soak: venv-dev
	@SLIPSTREAM_SOAK_ROUNDS=20000 $(WITH_BLAS) $(VENV) -m pytest tests/engine/test_soak.py tests/engine/test_random_orders.py $(ARGS)

bench: venv-dev
	@[ -e tests/benchmarks/__main__.py ] || { echo "There is no benchmark in this version." >&2; exit 1; }
	@$(WITH_BLAS) $(VENV) -m tests.benchmarks $(ARGS)

app app-evaluate: export PYTHONPATH = packaging
app:
	@sh packaging/setup/make_venv.sh
	@$(VENV) packaging/setup/install.py app
	@[ "$$(uname)" != Darwin ] || $(VENV) -m macos floor
	@$(VENV) -m bundle

app-evaluate:
	@sh packaging/setup/make_venv.sh
	@$(VENV) packaging/setup/install.py app
	@$(VENV) -m macos evaluate build/evaluation

lint: venv-dev
	@$(VENV) -m ruff check .
	@$(VENV) -m ruff format --check .
	@$(VENV) -m mypy

venv:
	@sh packaging/setup/make_venv.sh
	@$(VENV) packaging/setup/install.py $(EXTRAS)

venv-dev:
	@sh packaging/setup/make_venv.sh
	@$(VENV) packaging/setup/install.py dev $(EXTRAS)

clean:
	rm -rf .venv build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache
	find app engine resources packaging tests -name __pycache__ -type d -prune -exec rm -rf {} +
