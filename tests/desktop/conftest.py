from tests.app.notices.recording import heard, otherwise
from tests.desktop.fixtures import desk, one_desk
from tests.desktop.notices import miss, see

__all__ = ["desk", "heard", "miss", "one_desk", "otherwise", "see"]
