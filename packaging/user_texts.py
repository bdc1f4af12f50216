"""Updates resources/translations/engine_*.json from the texts of the engine; run by packaging/translate.

Every `UserText("…")` in `scheduler/` is an entry. New ones are added as "", to be translated.
"""  # noqa: INP001  a script

import ast
import json
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
TRANSLATIONS = ROOT / "resources" / "translations"


def find_templates(root: Path = ROOT) -> set[str]:
    paths = (root / "scheduler").rglob("*.py")
    return {template for path in paths for template in read_templates(path.read_text(encoding="utf-8"))}


def read_templates(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "UserText":
            template = node.args[0] if node.args else None
            if isinstance(template, ast.Constant) and isinstance(template.value, str):
                yield template.value


def main(target: Path) -> None:
    templates = sorted(find_templates())
    for path in sorted(TRANSLATIONS.glob("engine_*.json")):
        known = json.loads(path.read_text(encoding="utf-8"))
        text = json.dumps({template: known.get(template, "") for template in templates}, ensure_ascii=False, indent=0)
        (target / path.name).write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else TRANSLATIONS)
