"""Dialogs that create, test, add and update a workflow."""
