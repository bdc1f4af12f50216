"""`quit`: end the app that runs."""

from argparse import ArgumentParser, Namespace

from app.keeping.folder import add_data_dir
from app.verbs.verb import Told, Verb, ask


def _quit_arguments(parser: ArgumentParser) -> None:
    parser.description = "End Dayhand. What runs is asked to end, and goes on at the next start."
    add_data_dir(parser)


def _quit(options: Namespace) -> Told:
    return Told(ask(options, "quit"), lambda told: [told["sentence"]])


VERBS = {"quit": Verb(_quit_arguments, _quit)}
