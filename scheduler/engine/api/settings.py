"""Verbs that show and change the user's settings."""

from typing import Any

from scheduler.engine.api.backend import Backend
from scheduler.engine.runtime import Runtime
from scheduler.engine.setting_values import SETTINGS, apply_settings, find_setting, parse_setting


class SettingsApi:
    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def settings(self, key: str | None = None) -> dict[str, Any]:
        """All settings, or one of them."""
        wanted = SETTINGS if key is None else dict([find_setting(key)])
        values = self._backend.saved_settings.read()
        return {
            "settings": [
                {
                    "key": name,
                    "value": values[name],
                    "default": rule.default,
                    "meaning": str(rule.meaning),
                    "allowed": str(rule.allowed),
                }
                for name, rule in wanted.items()
            ]
        }

    def change_setting(self, key: str, value: str) -> dict[str, Any]:
        """Takes effect at once."""
        name, _ = find_setting(key)
        chosen = parse_setting(name, value)

        def act(runtime: Runtime) -> dict[str, Any]:
            saved = self._backend.saved_settings
            before = saved.read()[name]
            saved.save(name, chosen)
            values = saved.read()
            runtime.change_settings(lambda settings: apply_settings(settings, values))
            return {"key": name, "value": chosen, "before": before}

        return self._backend.execute(act)
