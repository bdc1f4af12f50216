from tests.app.app_fixture import empty, installation, request_, wait

__all__ = ["empty", "installation", "request_", "wait"]
