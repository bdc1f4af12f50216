"""Commands on workflows: deploy, run, pause, answer, archive, remove."""
