"""Reusable widgets. They take frozen values and emit signals; they hold no rules and run no queries."""
