import pytest

from scheduler.workers.dependencies import BadDependenciesError, Dependencies, read_dependencies

BLOCK = """\
\"\"\"Receipts.\"\"\"
# /// script
# requires-python = ">=3.9"
# dependencies = ["python-dateutil", "attrs>=23"]   # optional
# ///
import dayhand
"""


def test_packages_and_python_are_read_from_the_comment() -> None:
    assert read_dependencies(BLOCK) == Dependencies(packages=("attrs>=23", "python-dateutil"), python=">=3.9")
    assert read_dependencies(BLOCK.replace("\n", "\r\n")) == read_dependencies(BLOCK)


@pytest.mark.parametrize("source", ["import dayhand\n", "# /// other\n# a = 1\n# ///\n", "# /// script\nx = 1\n"])
def test_a_script_without_a_block_needs_nothing(source: str) -> None:
    assert read_dependencies(source) == Dependencies()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("dependencies = [", "is not TOML"),
        ("dependencies = 'attrs'", 'write # dependencies = ["python-dateutil>=2.9"]'),
        ("dependencies = ['--index-url=http://x']", "is not a list of packages"),
        ("requires-python = 3", "requires-python is not a text"),
    ],
)
def test_a_bad_block_has_a_sentence_and_a_line(content: str, sentence: str) -> None:
    with pytest.raises(BadDependenciesError) as caught:
        read_dependencies(f"import dayhand\n# /// script\n# {content}\n# ///\n")
    assert sentence in caught.value.sentence
    assert caught.value.line == 2


def test_two_blocks_are_refused() -> None:
    with pytest.raises(BadDependenciesError, match="keep one"):
        read_dependencies(BLOCK + BLOCK)
