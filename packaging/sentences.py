"""Updates resources/translations/engine_*.json from the English sentences of the engine; run by packaging/translate.

Every sentence in `scheduler/` is an entry, with {1}, {2}, … as placeholders. New ones are added as "", to be
translated; null marks those that are never shown in the window.
"""  # noqa: INP001  a script

import ast
import itertools
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
TRANSLATIONS = ROOT / "resources" / "translations"
_UNREAD = ("scheduler/job_import/", "scheduler/store/migrations/")
"""Shown in the terminal only, or not natural language."""
_SILENT = {"debug", "info", "warning", "error", "exception", "critical", "compile", "execute", "executemany"} | {
    "Field", "Parameter", "ArgumentParser", "add_argument"
}  # fmt: skip
_QUERY = re.compile(
    r"\b(SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|WHERE|FROM|JOIN|ORDER BY|ALTER|VALUES|AND)\b|(=|LIKE) \?"
)
_HOLE = re.compile(r"\{[a-z_]+(?:\[[^\]{}]*\]|\.[a-z_]+)*(?:![rs])?(?::[^{}]*)?\}")
_WORDS = re.compile(r"[A-Za-z]{2,}\S* | [A-Za-z]{2,}")
HOLE = "\0"


def find_sentences(root: Path = ROOT) -> set[str]:
    sentences = set()
    for path in sorted((root / "scheduler").rglob("*.py")):
        if not path.relative_to(root).as_posix().startswith(_UNREAD):
            sentences.update(read_sentences(path.read_text(encoding="utf-8")))
    return sentences


def read_sentences(source: str) -> Iterator[str]:
    """The sentences of a file: one for each branch of a conditional, with placeholders for other expressions."""
    todo: list[ast.AST] = [ast.parse(source)]
    while todo:
        node = todo.pop()
        if _is_silent(node):
            continue
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            for text in _spell(node):
                if (sentence := _number(text)) is not None:
                    yield sentence
        todo += list(ast.iter_child_nodes(node)) if not isinstance(node, ast.JoinedStr) else _inside(node)


def _is_silent(node: ast.AST) -> bool:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    if isinstance(node, ast.Call):
        called = node.func
        return (called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")) in _SILENT
    return isinstance(node, ast.Assert)


def _inside(node: ast.JoinedStr) -> list[ast.AST]:
    """Strings inside placeholders are separate sentences, unless they were spelled out."""
    holes = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
    return [hole for hole in holes if _choices(hole) is None]


def _spell(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Constant):
        yield _HOLE.sub(HOLE, str(node.value))
        return
    assert isinstance(node, ast.JoinedStr)
    parts = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts.append([str(part.value)])
        else:
            assert isinstance(part, ast.FormattedValue)
            parts.append(_choices(part.value) or [HOLE])
    for chosen in itertools.product(*parts):
        yield "".join(chosen)


def _choices(node: ast.AST) -> list[str] | None:
    """The strings of `'one' if … else 'several'`; None for anything else."""
    if not isinstance(node, ast.IfExp):
        return None
    texts = []
    for branch in (node.body, node.orelse):
        if isinstance(branch, ast.IfExp):
            inner = _choices(branch)
            if inner is None:
                return None
            texts += inner
        elif isinstance(branch, ast.JoinedStr) or (isinstance(branch, ast.Constant) and isinstance(branch.value, str)):
            texts += list(_spell(branch))
        else:
            return None
    return texts


def _number(text: str) -> str | None:
    """None if it is not a sentence."""
    if not _WORDS.search(text) or _QUERY.search(text):
        return None
    numbers = itertools.count(1)
    return re.sub(HOLE, lambda _: f"{{{next(numbers)}}}", text)


def main(target: Path) -> None:
    sentences = sorted(find_sentences())
    for path in sorted(TRANSLATIONS.glob("engine_*.json")):
        known = json.loads(path.read_text(encoding="utf-8"))
        kept = {sentence: known.get(sentence, "") for sentence in sentences}
        text = json.dumps(kept, ensure_ascii=False, indent=0)
        (target / path.name).write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else TRANSLATIONS)
