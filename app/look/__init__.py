"""How it looks: colours, shapes and the dress of the application. Knows no page."""
