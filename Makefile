# `make test` and `make demo` need nothing but Python 3.11+: what is missing is installed
# into .venv first. PYTHON=/path/to/python3 names the interpreter to make .venv with.

python := .venv/bin/python
# Holds the folder it was installed from, so a copied or moved checkout is installed anew.
installed := .venv/.installed
peers := .venv/.peers
ifneq ($(shell cat $(installed) 2>/dev/null),$(realpath .))
.PHONY: $(installed)
endif

.PHONY: test lint demo bench generate clean

# Verdicts are mostly waiting, so there are more workers than cores.
test: lint
	@$(python) -m pytest -n 8 --dist worksteal

lint: $(installed)
	@$(python) -m ruff check
	@$(python) -m ruff format --check
	@$(python) -m mypy
	@$(python) -m pyright --pythonpath $(python)

demo: $(installed)
	@$(python) examples/demo.py

# What streams cost, beside their peers. `make bench ARGS="--only W1 --only junctions"`;
# ARGS=--help lists the rest.
bench: $(peers)
	@$(python) -m bench $(ARGS)

# The documents that are made from data; a test says when one of them is stale.
generate: $(installed)
	@$(python) -m penstock.spec >docs/standard.new && mv docs/standard.new docs/standard.md
	@$(python) -m tests.tck.wrong.page >docs/kit.new && mv docs/kit.new docs/kit.md
	@$(python) -m tests.flow.page >docs/operators.new && mv docs/operators.new docs/operators.md
	@$(python) -m tests.flow.matrix >docs/conformance.new && mv docs/conformance.new docs/operators-conformance.md

# Nothing but the measures needs them, so nothing else waits for their installation.
$(peers): $(installed) pyproject.toml
	@echo "penstock: installing the peers that are measured"
	@$(python) -m pip --disable-pip-version-check install --quiet --group bench
	@touch $@

$(installed): pyproject.toml
	@PYTHON='$(PYTHON)' MAKECMDGOALS='$(MAKECMDGOALS)' sh .ci/venv

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist reports
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
