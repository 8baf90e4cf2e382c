#!/usr/bin/env python3
"""What the ranks of a distributed program that are only pretended answer: pretended_store_test.py PYTHON_FOLDER."""

import json
import os
import pickle
import subprocess
import sys
import tempfile
import types
import unittest

FOLDER = sys.argv.pop(1)
sys.path.insert(0, FOLDER)
import tidemark_pretended_ranks as pretended  # noqa: E402


class Told(unittest.TestCase):
    """With what is told in `doubts`."""

    def setUp(self):
        self.doubts = tempfile.NamedTemporaryFile(mode="r")
        self.addCleanup(self.doubts.close)
        os.environ["TIDEMARK_PHANTOM_DOUBTS"] = self.doubts.name
        self.addCleanup(os.environ.pop, "TIDEMARK_PHANTOM_DOUBTS")


class Store(Told):
    def setUp(self):
        super().setUp()
        self.store = pretended.pretended_store(object, 8)("127.0.0.1", 29500, world_size=8)

    def test_the_others_have_set_what_is_waited_for(self):
        self.assertTrue(self.store.check(["init/key"]))
        self.assertIsNone(self.store.wait(["init/key"]))
        self.assertEqual(len(self.store.get("0")), pretended.UNIQUE_ID_BYTES)

    def test_what_another_alone_would_put_there_is_told_but_for_the_ids_of_nccl(self):
        for key in ("default_pg/0//cuda//0", "0:1", "default_pg/0//cuda//UniqueNCCLID:2"):
            self.assertEqual(len(self.store.get(key)), pretended.UNIQUE_ID_BYTES)
        self.store.set("address/3", "host")
        self.assertEqual(self.store.get("address/4"), b"host")
        self.assertEqual(self.doubts.read(), "")
        self.store.get("default_pg/0//run_id")
        self.assertIn("another rank alone would put into the store", self.doubts.read())

    def test_none_of_the_others_has_failed(self):
        self.assertFalse(self.store.check(["exception_dump"]))
        self.assertFalse(self.store.check(["remote_error"]))

    def test_each_adds_as_much(self):
        self.assertEqual(self.store.add("barrier", 1), 8)
        self.assertEqual(self.store.add("barrier", 1), 16)
        self.assertEqual(self.store.get("barrier"), b"16")

    def test_own_values_come_back(self):
        self.store.set("key", "value")
        self.assertEqual(self.store.get("key"), b"value")
        self.store.add("counted", 1)
        self.assertEqual(self.store.getNumKeys(), 2)
        self.assertTrue(self.store.deleteKey("key"))
        self.assertTrue(self.store.deleteKey("counted"))
        self.assertFalse(self.store.deleteKey("counted"))
        self.assertEqual(self.store.getNumKeys(), 0)

    def test_groups_that_are_split_meet_in_the_same(self):
        self.assertIs(self.store.clone(), self.store)


class Bytes(list):
    """As much of a tensor as is asked for."""

    def flatten(self):
        return self

    def __getitem__(self, index):
        return types.SimpleNamespace(item=lambda: list.__getitem__(self, index))


class Objects(Told):
    def setUp(self):
        super().setUp()

        def to_tensor(given, device, group):
            return Bytes(pickle.dumps(given)), len(pickle.dumps(given))

        def to_object(tensor, size, group):
            return pickle.loads(bytes(tensor))

        def receive(objects, src=None):
            objects[:] = [self.collectives._tensor_to_object(Bytes(), 0, None) for _ in objects]
            return src

        def send(objects, dst=None):
            self.collectives._object_to_tensor(objects[0], "cuda", None)

        self.collectives = types.SimpleNamespace(_object_to_tensor=to_tensor, _tensor_to_object=to_object, send_object_list=send, recv_object_list=receive)
        self.others = types.SimpleNamespace(note_sent=lambda objects, receiver: None, sent_by=lambda sender: self.answers.get(sender))
        self.answers = {}
        pretended.share_objects(self.collectives, self.others)

    def test_the_others_give_what_this_rank_gives_and_each_its_own(self):
        given = {"rank": [3]}
        tensor, size = self.collectives._object_to_tensor(given, "cuda", None)
        own = self.collectives._tensor_to_object(tensor, size, None)
        other = self.collectives._tensor_to_object(Bytes([0] * size), size, None)
        self.assertEqual((own, other), (given, given))
        self.assertIsNot(other["rank"], given["rank"])
        self.assertEqual(self.doubts.read(), "")

    def test_what_another_alone_would_send_is_none_and_told(self):
        self.collectives._object_to_tensor("sent before", "cuda", None)
        self.assertIsNone(self.collectives._tensor_to_object(Bytes(), 0, None))
        self.assertIn("another rank alone would send", self.doubts.read())

    def test_what_is_received_is_what_the_sender_is_asked_for_or_was_sent_last(self):
        objects = [None]
        self.assertEqual(self.collectives.recv_object_list(objects, src=1), 1)
        self.assertEqual(objects, [None])
        self.assertEqual(self.doubts.read().count("another rank alone would send"), 1)
        self.collectives.send_object_list([(8, 16)], dst=2)
        self.collectives.recv_object_list(objects, src=1)
        self.assertEqual(objects, [(8, 16)])
        self.assertEqual(self.doubts.read().count("another rank alone would send"), 1)
        self.answers[1] = [(4, 4)]
        self.collectives.recv_object_list(objects, src=1)
        self.assertEqual(objects, [(4, 4)])
        self.assertEqual(self.doubts.read(), "")


ASKING = """
import os, sys
sys.path.insert(0, sys.argv[1])
import tidemark_other_ranks
others = tidemark_other_ranks.OtherRanks(lambda sentence: print("told:", sentence, file=sys.stderr))
rank = others.rank
way = " ".join(sys.argv[2:])
if way == "fails" and rank == 1:
    sys.exit("no data")
if way == "in a circle":
    others.sent_by(1 - rank)
got = [rank, others.sent_by(rank - 1)] if rank > 0 else [rank]
others.note_sent([got, os.environ.get("LOCAL_RANK"), "TIDEMARK_PHANTOM_DOUBTS" in os.environ], rank + 1)
print(got)
"""


class Asking(unittest.TestCase):
    """The ranks before it are asked by running the program as each of them, until it has sent."""

    def run_as(self, rank, *words, prefix="tidemark-test-"):
        with tempfile.TemporaryDirectory(prefix=prefix) as folder:
            environment = {**os.environ, "RANK": str(rank), "TIDEMARK_PHANTOM_WORLD": "12", "TIDEMARK_PHANTOM_MACHINE_RANKS": "8",
                           "TIDEMARK_PHANTOM_DOUBTS": "/dev/null", "TIDEMARK_PHANTOM_ASKED": json.dumps([folder])}
            command = [sys.executable, "-c", ASKING, FOLDER, *words]
            return subprocess.run(command, env=environment, capture_output=True, text=True)

    def test_each_asks_the_one_before_it(self):
        ran = self.run_as(9)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        got = [0]
        for rank in range(9):
            got = [rank + 1, [got, str(rank % 8), False]]
        self.assertEqual(ran.stdout, f"{got}\n")
        self.assertEqual(ran.stderr.count("running the program as rank 8, until it has sent what rank 9 waits for."), 1)
        self.assertEqual(ran.stderr.count("running the program"), 1)
        self.assertIn("told: What rank 8 sends to this one was asked for", ran.stderr)

    def test_it_is_found_in_a_folder_whose_name_has_spaces(self):
        ran = self.run_as(2, prefix="of a person ")
        self.assertEqual(ran.stdout, "[2, [[1, [[0], '0', False]], '1', False]]\n", ran.stderr)

    def test_one_that_ends_before_is_told_with_its_reason(self):
        ran = self.run_as(2, "fails")
        self.assertEqual(ran.stdout, "[2, None]\n")
        self.assertIn("told: Rank 1 was asked for what it sends to this one", ran.stderr)
        self.assertIn("and did not send it (no data)", ran.stderr)

    def test_ranks_that_wait_for_one_another_are_not_asked_for_ever(self):
        ran = self.run_as(1, "in a circle")
        self.assertIn("told: Rank 0 was asked", ran.stderr)
        self.assertIn("did not send it", ran.stderr)


if __name__ == "__main__":
    unittest.main()
