"""How the page looks: on paper-white and on black, on a desk and on a phone."""

from __future__ import annotations

__all__ = ["STYLE"]

STYLE = """
:root { color-scheme: light dark; --back: #fff; --ink: #1b1f24; --soft: #57606a;
  --line: #d0d7de; --tint: #f6f8fa; --good: #116329; --bad: #b3261e; --bad-tint: #fdeceb; }
@media (prefers-color-scheme: dark) {
  :root { --back: #0f1318; --ink: #e6e9ed; --soft: #9aa4af; --line: #343b44;
    --tint: #181d24; --good: #6fcf86; --bad: #ff8f85; --bad-tint: #33191a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 76rem; background: var(--back);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: .5rem 0; }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; overflow-wrap: anywhere; }
h3 { font-size: 1rem; margin: 0 0 .5rem; }
header p, small, .skipped, .none { color: var(--soft); }
h3 small, summary small { margin-left: .5em; font-weight: normal; }
a { color: inherit; }
code, pre { font-family: ui-monospace, monospace; font-size: .875em; }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
details pre { margin-top: .5rem; padding: .5rem; background: var(--back);
  white-space: pre; overflow-x: auto; }
.overview { list-style: none; margin: 0; padding: 0; display: grid; gap: .5rem;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 20rem), 1fr)); }
.overview li, article { padding: .75rem; background: var(--tint); border-radius: .25rem;
  border-left: .25rem solid var(--good); overflow-wrap: anywhere; }
.overview li.broken, article { border-color: var(--bad); }
article { margin: 0 0 1rem; }
dl { margin: 0; display: grid; grid-template-columns: 6rem 1fr; gap: .25rem .75rem; }
dt { color: var(--soft); }
dd { margin: 0; min-width: 0; }
summary { cursor: pointer; }
li { overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; min-width: 100%; }
th, td { padding: .35rem .6rem; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; font-weight: normal; }
thead th { font-weight: 600; vertical-align: bottom; max-width: 12rem; overflow-wrap: anywhere; }
tbody th[scope=row] { position: sticky; left: 0; background: var(--back); min-width: 12rem;
  max-width: 40rem; }
th.part { padding-top: 1.25rem; font-weight: 600; }
th p { margin: .4rem 0; color: var(--soft); overflow-wrap: anywhere; }
td { white-space: nowrap; }
.kept b, td.kept { color: var(--good); }
.broken b, td.broken { color: var(--bad); }
td.broken { background: var(--bad-tint); font-weight: 600; }
@media (max-width: 40rem) {
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .5rem; }
  tbody th[scope=row] { min-width: 60vw; } }
"""
