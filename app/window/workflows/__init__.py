"""The Workflows page: the list, and the pane of one workflow with its tabs."""
