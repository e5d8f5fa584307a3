"""`python -m penstock.spec > docs/standard.md` writes the standard as a page."""

from __future__ import annotations

import sys

from penstock.spec._markdown import markdown

sys.stdout.write(markdown())
