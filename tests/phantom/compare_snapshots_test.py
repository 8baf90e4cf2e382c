#!/usr/bin/env python3
"""compare_snapshots.py: what it counts, where it sees the first difference, and that it runs nothing out of a file."""

import os
import pickle
import subprocess
import sys
import tempfile
import unittest

import compare_snapshots as compare

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), "compare_snapshots.py")


def entry(action, size, line=1):
    return {"action": action, "size": size, "addr": 0, "stream": 0,
            "frames": [{"filename": "train.py", "name": "step", "line": line}]}


def snapshot(trace, live=(), reserved=0):
    blocks = [{"size": compare.rounded(size), "requested_size": size, "state": "active_allocated"} for size in live]
    return {"segments": [{"device": 0, "total_size": reserved, "blocks": blocks}], "device_traces": [trace]}


def run(recorded, predicted):
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("recorded", "predicted")]
        for path, content in zip(paths, (recorded, predicted)):
            with open(path, "wb") as file:
                pickle.dump(content, file)
        return subprocess.run([sys.executable, PROGRAM, *paths], capture_output=True, text=True)


class Alignment(unittest.TestCase):
    def test_equal_histories_agree_wholly(self):
        self.assertEqual(compare.align([1, 2, 2, 3], [1, 2, 2, 3]), (4, []))

    def test_what_only_one_side_has_is_one_gap_and_the_rest_agrees(self):
        common = list(range(100, 120))
        agreed, gaps = compare.align([1, 2] + common, [1, 7, 8, 2] + common)
        self.assertEqual(agreed, 22)
        self.assertEqual(gaps, [compare.Gap(1, 1, 0, 2)])

    def test_another_size_counts_on_both_sides(self):
        agreed, gaps = compare.align([1, 5, 10, 11, 12, 13], [1, 6, 10, 11, 12, 13])
        self.assertEqual((agreed, gaps), (5, [compare.Gap(1, 1, 1, 1)]))

    def test_a_history_that_ends_early(self):
        self.assertEqual(compare.align([1, 2, 3], [1]), (1, [compare.Gap(1, 1, 2, 0)]))


class Peaks(unittest.TestCase):
    def test_what_lived_before_the_history_counts(self):
        # 1,000 B lived from before; 300 B came, 600 B came, 300 B went: 1,900 B at the highest.
        trace = [entry("segment_alloc", 2048), entry("alloc", 300), entry("alloc", 600), entry("free_requested", 300),
                 entry("free_completed", 300)]
        history = compare.history_of(snapshot(trace, live=(1000, 600), reserved=4096), 0)
        self.assertEqual((history.requested_peak, history.allocated_peak, history.reserved_peak), (1900, 1024 + 512 + 1024, 4096))

    def test_segments_given_back_count_until_then(self):
        trace = [entry("segment_map", 4096), entry("segment_unmap", 4096), entry("segment_alloc", 1024)]
        self.assertEqual(compare.history_of(snapshot(trace, reserved=1024), 0).reserved_peak, 4096)


class Program(unittest.TestCase):
    def test_equal_snapshots_end_with_0(self):
        one = snapshot([entry("segment_alloc", 2048), entry("alloc", 300)], live=(300,), reserved=2048)
        result = run(one, one)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("allocations: 1 agree, of 1 recorded and 1 predicted; 0 differences", result.stdout)

    def test_the_first_difference_is_told_with_both_stacks(self):
        result = run(snapshot([entry("alloc", 300, line=7)], live=(300,)), snapshot([entry("alloc", 512, line=8)], live=(512,)))
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn("recorded, number 1: 300 B\n      step train.py:7", result.stdout)
        self.assertIn("predicted, number 1: 512 B\n      step train.py:8", result.stdout)
        self.assertIn("requested at its peak: 300 B recorded, 512 B predicted, +70.667 %", result.stdout)

    def test_a_file_that_would_run_code_is_refused(self):
        result = run(subprocess.Popen, snapshot([entry("alloc", 300)]))
        self.assertEqual(result.returncode, 1)
        self.assertIn("holds a subprocess.Popen", result.stderr)


if __name__ == "__main__":
    unittest.main()
