from tests.app.living import empty, installation, request_, wait

__all__ = ["empty", "installation", "request_", "wait"]
