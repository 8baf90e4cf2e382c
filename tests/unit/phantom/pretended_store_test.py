#!/usr/bin/env python3
"""What the store answers in which the ranks of a distributed program have met: pretended_store_test.py SITECUSTOMIZE."""

import importlib.util
import sys
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


if __name__ == "__main__":
    unittest.main()
