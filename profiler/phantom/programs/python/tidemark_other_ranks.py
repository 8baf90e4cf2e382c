"""What another rank of a distributed program would send to this one, where it depends on what that rank makes: the program is run once
more, as that rank, until it has sent it. For tidemark_pretended_ranks.py.

A rank that is asked so asks those before it in its turn; all leave what they have sent in one folder, so that what lies there is not asked for again.
"""

import json
import os
import pickle
import subprocess
import sys

from tidemark_parent import die_with_parent

ASKED = "TIDEMARK_PHANTOM_ASKED"  # where what is sent lies (a folder that whoever started the first of them made), and what is asked for, and by whom, the last one last: ["FOLDER", "SENDER-RECEIVER-NUMBER", ...]
SECONDS = 600
# Stages of a pipeline wait for a few shapes, one after the other; who sends objects with each step is not followed for ever.
MOST_TIMES = 8
DEEPEST = 64


def environment_of(rank, environment):
    """As `tidemark phantom --rank` starts it, but neither recorded nor counted: no recorder listens there."""
    world, most = int(environment["TIDEMARK_PHANTOM_WORLD"]), int(environment["TIDEMARK_PHANTOM_MACHINE_RANKS"])
    of_machine = min(most, world - rank // most * most)
    # Of each rank; LOCAL_WORLD_SIZE is the program's own to take away.
    cards = int(environment.get("TIDEMARK_PHANTOM_DEVICES", 1)) // int(environment.get("LOCAL_WORLD_SIZE", 1))
    own = {"RANK": rank, "LOCAL_RANK": rank % most, "LOCAL_WORLD_SIZE": of_machine,
           "TIDEMARK_PHANTOM_DEVICES": of_machine * max(cards, 1)}
    kept = {name: value for name, value in environment.items() if name != "TIDEMARK_PHANTOM_DOUBTS"}
    return {**kept, **{name: str(value) for name, value in own.items()}, "TIDEMARK_CAPTURE_SOCKET": "/nowhere"}


def last_words(stderr):
    """Without what libraries log as the process ends."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip() and not line.startswith("[")]
    return lines[-1] if lines else "it said nothing"


class OtherRanks:
    """Made when the process begins, since what begins the same way may be started again."""

    def __init__(self, tell):
        self.tell = tell
        self.process, self.place, self.environment = os.getpid(), os.getcwd(), dict(os.environ)
        self.rank = int(os.environ.get("RANK", 0))
        self.sent, self.received = {}, {}  # with each rank, how many times
        self.times = 0  # that one was asked
        self.folder, *self.asked = json.loads(os.environ[ASKED])
        if self.asked:
            die_with_parent()  # nobody waits any more when the one that asked has ended

    def file_of(self, what):
        return os.path.join(self.folder, what)

    def note_sent(self, objects, receiver):
        """What this rank sends; does not return once it is what it was asked for."""
        self.sent[receiver] = self.sent.get(receiver, 0) + 1
        what = f"{self.rank}-{receiver}-{self.sent[receiver]}"
        if not self.asked or os.path.exists(self.file_of(what)):
            return
        file = self.file_of(what)
        with open(file + ".new", "wb") as new:
            pickle.dump(list(objects), new)
        os.rename(file + ".new", file)
        if what == self.asked[-1]:
            os._exit(0)

    def sent_by(self, sender):
        """The next list of objects that it sends to this rank; None where that cannot be found out."""
        self.received[sender] = self.received.get(sender, 0) + 1
        what = f"{sender}-{self.rank}-{self.received[sender]}"
        file = self.file_of(what)
        if not os.path.exists(file) and not self.ask(sender, what):
            return None
        with open(file, "rb") as answer:
            return pickle.load(answer)

    def ask(self, sender, what):
        words = getattr(sys, "orig_argv", None)  # Python 3.9 does not keep them
        is_own = words and self.process == os.getpid() and "spawn_main" not in " ".join(words)  # not forked or spawned by the program
        if what in self.asked or not is_own or self.times == MOST_TIMES or len(self.asked) == DEEPEST:
            return False
        self.times += 1
        if not self.asked:
            print(f"tidemark phantom: running the program as rank {sender}, until it has sent what rank {self.rank} waits for.", file=sys.stderr, flush=True)
        environment = environment_of(sender, self.environment)
        environment[ASKED] = json.dumps([self.folder, *self.asked, what])
        said = ""
        try:
            ran = subprocess.run([sys.executable, *words[1:]], cwd=self.place, env=environment, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace", timeout=SECONDS)
            said = last_words(ran.stderr)
        except subprocess.TimeoutExpired:
            said = f"it had {SECONDS} seconds"
        found = os.path.exists(self.file_of(what))
        if found:
            self.tell(f"What rank {sender} sends to this one was asked for: the program was run as that rank, too, until it had sent it.")
        else:
            self.tell(f"Rank {sender} was asked for what it sends to this one: the program was run as that rank, too, and did not send it ({said}).")
        return found
