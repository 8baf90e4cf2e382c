#!/usr/bin/env python3
"""replay_snapshot.py: what it asks the allocator for, and in which order."""

import unittest

import replay_snapshot


def entry(action, addr, size, stream=0):
    return {"action": action, "addr": addr, "size": size, "stream": stream}


class Written:
    """An allocator that writes down what it is asked; its handles are numbers from 1."""

    def __init__(self):
        self.asked = []
        self.handles = 0

    def allocate(self, size, stream):
        self.asked.append(("allocate", size, stream))
        self.handles += 1
        return self.handles

    def free(self, handle):
        self.asked.append(("free", handle))

    def give_back(self):
        self.asked.append(("give back",))


class Replay(unittest.TestCase):
    def replayed(self, *trace):
        allocator = Written()
        unknown = replay_snapshot.replay(trace, allocator)
        return allocator.asked, unknown

    def test_an_address_that_is_used_again_is_another_block(self):
        asked, unknown = self.replayed(entry("segment_alloc", 7, 2048), entry("alloc", 7, 300), entry("free_requested", 7, 300),
                                       entry("free_completed", 7, 300), entry("alloc", 7, 200), entry("free_requested", 7, 200))
        self.assertEqual(asked, [("allocate", 300, 0), ("free", 1), ("allocate", 200, 0), ("free", 2)])
        self.assertEqual(unknown, 0)

    def test_frees_of_what_lived_before_are_counted(self):
        self.assertEqual(self.replayed(entry("free_requested", 7, 300)), ([], 1))

    def test_segments_that_went_together_were_one_call(self):
        asked, _ = self.replayed(entry("segment_free", 1, 9), entry("segment_free", 2, 9), entry("alloc", 3, 5),
                                 entry("segment_unmap", 4, 9))
        self.assertEqual(asked, [("give back",), ("allocate", 5, 0), ("give back",)])

    def test_streams_stay_apart(self):
        self.assertEqual(self.replayed(entry("alloc", 1, 5, stream=99))[0], [("allocate", 5, 99)])

    def test_segments_from_before_the_history_are_told(self):
        trace = [entry("segment_alloc", 1, 100), entry("segment_free", 2, 30)]
        snapshot = {"segments": [{"device": 0, "total_size": 500}, {"device": 1, "total_size": 7}], "device_traces": [trace]}
        self.assertEqual(replay_snapshot.reserved_before(snapshot, 0), 430)


if __name__ == "__main__":
    unittest.main()
