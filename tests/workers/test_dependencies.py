import pytest

from scheduler.workers.environments import Dependencies, InvalidDependenciesError, parse_dependencies

BLOCK = """\
\"\"\"Receipts.\"\"\"
# /// script
# requires-python = ">=3.9"
# dependencies = ["python-dateutil", "attrs>=23"]   # optional
# ///
import dayhand
"""


def test_packages_and_python_are_read_from_the_comment_block() -> None:
    assert parse_dependencies(BLOCK) == Dependencies(packages=("attrs>=23", "python-dateutil"), python=">=3.9")
    assert parse_dependencies(BLOCK.replace("\n", "\r\n")) == parse_dependencies(BLOCK)


@pytest.mark.parametrize("source", ["import dayhand\n", "# /// other\n# a = 1\n# ///\n"])
def test_a_script_without_a_block_has_no_dependencies(source: str) -> None:
    assert parse_dependencies(source) == Dependencies()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("dependencies = [", "is not valid TOML"),
        ("dependencies = 'attrs'", 'write # dependencies = ["python-dateutil>=2.9"]'),
        ("dependencies = ['--index-url=http://x']", "is not a list of packages"),
        ("requires-python = 3", "requires-python is not a string"),
    ],
)
def test_an_invalid_block_is_reported_with_its_line(content: str, sentence: str) -> None:
    with pytest.raises(InvalidDependenciesError) as caught:
        parse_dependencies(f"import dayhand\n# /// script\n# {content}\n# ///\n")
    assert sentence in caught.value.sentence
    assert caught.value.line == 2


def test_a_block_without_an_end_is_reported() -> None:
    with pytest.raises(InvalidDependenciesError, match="has no end") as caught:
        parse_dependencies('"""A."""\n# /// script\n# dependencies = ["attrs"]\nimport dayhand\n')
    assert caught.value.line == 2


def test_two_blocks_are_rejected() -> None:
    with pytest.raises(InvalidDependenciesError, match="keep one"):
        parse_dependencies(BLOCK + BLOCK)
