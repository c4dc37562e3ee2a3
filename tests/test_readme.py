"""What the README shows is what happens."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_the_six_lines_print_what_the_readme_says() -> None:
    text = README.read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", text, re.S)
    output = re.search(r"```text\n(.*?)```", text, re.S)
    assert code is not None
    assert output is not None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code.group(1), {})
    assert printed.getvalue() == output.group(1)
