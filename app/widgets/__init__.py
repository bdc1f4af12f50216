"""What pages are made of. Widgets are given frozen values and emit signals; they hold no rules and ask nobody."""
