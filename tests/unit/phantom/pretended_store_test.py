#!/usr/bin/env python3
"""What the ranks of a distributed program that are only pretended answer: pretended_store_test.py SITECUSTOMIZE."""

import importlib.util
import os
import pickle
import sys
import tempfile
import types
import unittest

spec = importlib.util.spec_from_file_location("pretended", sys.argv.pop(1))
pretended = importlib.util.module_from_spec(spec)
spec.loader.exec_module(pretended)


class Store(unittest.TestCase):
    def setUp(self):
        self.store = pretended.make_store(object, 8)

    def test_the_others_have_set_what_is_waited_for(self):
        self.assertTrue(self.store.check(["init/key"]))
        self.assertIsNone(self.store.wait(["init/key"]))
        self.assertEqual(len(self.store.get("0")), pretended.UNIQUE_ID_BYTES)

    def test_none_of_the_others_has_failed(self):
        self.assertFalse(self.store.check(["exception_dump"]))
        self.assertFalse(self.store.check(["remote_error"]))

    def test_each_adds_as_much(self):
        self.assertEqual(self.store.add("barrier", 1), 8)
        self.assertEqual(self.store.add("barrier", 1), 16)

    def test_own_values_come_back(self):
        self.store.set("key", "value")
        self.assertEqual(self.store.get("key"), b"value")
        self.assertTrue(self.store.delete_key("key"))


class Bytes(list):
    """As much of a tensor as is asked for."""

    def flatten(self):
        return self

    def __getitem__(self, index):
        return types.SimpleNamespace(item=lambda: list.__getitem__(self, index))


class Objects(unittest.TestCase):
    def setUp(self):
        def to_tensor(given, device, group):
            return Bytes(pickle.dumps(given)), len(pickle.dumps(given))

        def to_object(tensor, size, group):
            return pickle.loads(bytes(tensor))

        def receive(objects, src=None):
            objects[:] = [self.collectives._tensor_to_object(Bytes(), 0, None) for _ in objects]
            return src

        self.collectives = types.SimpleNamespace(_object_to_tensor=to_tensor, _tensor_to_object=to_object, recv_object_list=receive)
        pretended.share_objects(self.collectives)
        self.doubts = tempfile.NamedTemporaryFile(mode="r")
        self.addCleanup(self.doubts.close)
        os.environ["TIDEMARK_PHANTOM_DOUBTS"] = self.doubts.name
        self.addCleanup(os.environ.pop, "TIDEMARK_PHANTOM_DOUBTS")

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

    def test_what_is_received_is_what_was_sent_last(self):
        objects = [None]
        self.assertEqual(self.collectives.recv_object_list(objects, src=1), 1)
        self.assertEqual(objects, [None])
        self.collectives._object_to_tensor((8, 16), "cuda", None)
        self.collectives.recv_object_list(objects)
        self.assertEqual(objects, [(8, 16)])


if __name__ == "__main__":
    unittest.main()
