"""One file: the live view's page, the script that replaces the server, and the data, isolated by a policy.

The file loads and sends nothing: its content security policy allows only its own scripts and style, by their hashes,
and no connections. Texts of scenarios are data in it, never markup.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from murmura import __version__
from murmura.core.errors import RunError
from murmura.scenario import Scenario
from murmura.scenario.plain_files import write_atomically
from murmura.scenario.sliders import schema_for
from murmura.view.notebook import whole_page
from murmura.view.server import app as server
from murmura.view.standalone.loop import hello_of
from murmura.view.standalone.scene import page_scene
from murmura.view.standalone.words import words_of_codes
from murmura.view.wire.hello import preset_facts

LARGEST = 1_500_000
"""Greatest size of a file [bytes], for mail attachments and any host."""
SCRIPT = "standalone.js"


def flock_page(scenarios: Sequence[Scenario], seed: int) -> str:
    """The page of some scenarios, the first of which is shown; the others are its presets."""
    first = scenarios[0]
    data = {
        "version": __version__,
        "schema": schema_for(first),
        "scenarios": [preset_facts(each) for each in scenarios],
        "scenes": [page_scene(scenario, seed) for scenario in scenarios],
        "words": words_of_codes(),
    }
    return assembled(data, first.title or first.name)


def run_page(scenario: Scenario, seed: int, name: str, loop: dict[str, Any]) -> str:
    """The page of a recorded run: frames only."""
    data = {
        "version": __version__,
        "schema": schema_for(scenario),
        "scenarios": [preset_facts(scenario)],
        "scenes": [{"hello": hello_of(scenario, seed, name)}],
        "loop": loop,
        "words": words_of_codes(),
        "run": name,
    }
    return assembled(data, f"{name}: {scenario.title or scenario.name}")


def assembled(data: dict[str, Any], title: str) -> str:
    """The whole file."""
    script = server.STATIC / SCRIPT
    if not script.exists():
        raise RunError(
            f"the page is not built: {script} is missing. Install a wheel, or run `npm install && npm run build` in "
            "src/murmura/view/web"
        )
    before = script.read_text(encoding="utf-8").replace("</script", "<\\/script")
    page = whole_page()
    page = re.sub(r"<title>[^<]*</title>", lambda _: f"<title>{html.escape(title)}</title>", page, count=1)
    holder = f'<script type="application/octet-stream" id="murmura-data">{packed(data)}</script>'
    page = page.replace("<head>", f'<head>\n    <meta charset="utf-8" />\n    {POLICY_PLACE}', 1)
    page = page.replace("</title>", f'</title>\n    {holder}\n    <script type="module">{before}</script>', 1)
    page = page.replace(POLICY_PLACE, _policy(page), 1)
    if len(page.encode()) > LARGEST:
        raise RunError(
            f"the page would have {len(page.encode()):,} bytes, more than {LARGEST:,}: use fewer agents, fewer frames "
            "or fewer scenarios with --also"
        )
    return page


POLICY_PLACE = "<!-- policy -->"


def _policy(page: str) -> str:
    """A policy that allows the content of the file and nothing else."""
    scripts = re.findall(r'<script type="module"[^>]*>(.*?)</script>', page, re.DOTALL)
    styles = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    parts = {
        "default-src": "'none'",
        # WebAssembly of this file; the word does not allow `eval` of texts.
        "script-src": " ".join([*map(_hash, scripts), "'wasm-unsafe-eval'"]),
        "worker-src": "blob:",
        "style-src": " ".join(map(_hash, styles)),
        "img-src": "data: blob:",
        "media-src": "blob:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    text = "; ".join(f"{name} {value}" for name, value in parts.items())
    return f'<meta http-equiv="Content-Security-Policy" content="{text}" />'


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def packed(data: dict[str, Any]) -> str:
    """Data as text that cannot be mistaken for markup: JSON, deflated, in base64."""
    squeezed = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = squeezed.compress(json.dumps(data, allow_nan=False).encode()) + squeezed.flush()
    return base64.b64encode(body).decode()


def write_page(page: str, out: Path) -> int:
    """Write a page and return its size in bytes."""
    content = page.encode()
    write_file(content, out)
    return len(content)


def write_file(content: bytes, out: Path) -> None:
    """Write a file of a page or a site, whole or not at all."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(out, content)
    except OSError as error:
        raise RunError(f"cannot write {out}: {error}") from None
