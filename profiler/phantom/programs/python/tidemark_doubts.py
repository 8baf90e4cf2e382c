"""What makes a prediction doubtful, told beside it (profiler/phantom/device/doubts.h is the same for C++)."""

import os


def doubt(sentence):
    """The report tells it; each sentence once, however often it is written."""
    file = os.environ.get("TIDEMARK_PHANTOM_DOUBTS")
    if file:
        with open(file, "a") as doubts:
            doubts.write(sentence + "\n")
