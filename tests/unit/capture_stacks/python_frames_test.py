#!/usr/bin/env python3
"""python_frames_test.py LIBRARY: what is read of this Python's frames, beside what it says of them itself."""

import ctypes
import gc
import os
import re
import sys
import threading
import time
import traceback
import unittest

LIBRARY = ctypes.CDLL(sys.argv.pop())
os.environ["TIDEMARK_STACKS"] = "python"


def read():
    text = ctypes.create_string_buffer(16384)
    LIBRARY.StackText(text, len(text))
    return text.value.decode().splitlines()


def stack_name():
    text = ctypes.create_string_buffer(16384)
    LIBRARY.StackName(text, len(text))
    return text.value.decode().split(" ← ")


def said():
    """What Python says at the place of the caller, as read() says it; of the caller no line, which goes on."""
    frames = traceback.extract_stack(sys._getframe(1))
    return [f"{frame.name} ({name_of(frame.filename)}:{frame.lineno})" for frame in reversed(frames)]


def name_of(file):
    """Python's own from its folder on, others without folders."""
    return re.sub(r"^.*/lib/(?=python3)", "", file) if "/lib/python3" in file else os.path.basename(file)


def here():
    frames, expected = read(), said()
    return frames[1:], expected  # without read() itself


class PythonFrames(unittest.TestCase):
    def check(self, both):
        frames, expected = both
        self.assertEqual(frames, expected)

    def test_functions_methods_and_comprehensions(self):
        self.check(here())
        self.check([here() for _ in range(1)][0])
        self.check((lambda: here())())
        self.check(sorted([1], key=lambda _: self.check(here())) and here())  # through C

    def test_lines_of_a_call_that_has_several(self):
        self.check(
            max(
                [here()],
                key=lambda both: len(both),
            )
        )

    def test_generators(self):
        def numbers():
            yield from inner()

        def inner():
            yield here()

        self.check(next(numbers()))

    def test_code_that_is_gone_and_comes_again(self):
        for function in ("first", "second", "third") * 3:
            space = {"here": here}
            exec(compile(f"def {function}():\n\n return here()\n", f"{function}.py", "exec"), space)
            frames, expected = space[function]()
            self.assertEqual(frames, expected)
            self.assertTrue(frames[1].startswith(f"{function} ({function}.py:3)"), frames)
            del space
            gc.collect()

    def test_a_known_stack_is_not_that_of_other_code_at_its_place(self):
        name, file = "again", "again.py"
        for line in range(1, 40):
            space = {"stack_name": stack_name}
            exec(compile("\n" * (line - 1) + f"def {name}(): return stack_name()\n", file, "exec"), space)
            self.assertEqual(space[name]()[1], f"again (again.py:{line})")

    def test_a_package_far_above_its_file(self):
        space = {"here": here}
        inside = "helper/" + "deep/" * 40 + "part.py"
        exec(compile("def far():\n return here()\n", f"/x/site-packages/{inside}", "exec"), space)
        self.assertEqual(space["far"]()[0][1], f"far ({inside[:160]}:2)")

    def test_names_in_other_letters(self):
        space = {"here": here}
        exec(compile("def größe_数():\n return here()\n", "höhe.py", "exec"), space)
        self.assertEqual(space["größe_数"]()[0][1], "größe_数 (höhe.py:2)")

    def test_threads_have_their_own_while_others_run(self):
        stop = threading.Event()

        def busy():
            while not stop.is_set():
                sum(range(100))

        results = []

        def deep(left):
            if left > 0:
                return deep(left - 1)
            results.append(here())

        def work():
            for depth in range(40):
                deep(depth)

        others = [threading.Thread(target=busy) for _ in range(2)]
        workers = [threading.Thread(target=work) for _ in range(3)]
        for thread in others + workers:
            thread.start()
        for thread in workers:
            thread.join()
        stop.set()
        for thread in others:
            thread.join()
        self.assertEqual(len(results), len(workers) * 40)
        for both in results:
            self.check(both)

    def test_the_first_argument_of_a_function_that_takes_all(self):
        first = LIBRARY.FirstArgument
        first.restype = ctypes.c_void_p

        def wrapper(*args, **kwargs):
            self, *_ = args
            return inner()

        def inner():
            return first(b"wrapper", b"/python_frames_test.py"), first(b"wrapper", b"/other.py"), first(b"inner", b".py")

        thing = object()
        self.assertEqual(wrapper(thing, 2, three=3), (id(thing), None, None))
        self.assertIsNone(first(b"wrapper", b".py"))

    def test_no_object_is_made_or_kept(self):
        def held():
            return sys.getrefcount(held.__code__), sys.getrefcount(held.__code__.co_filename)

        before = held()
        for _ in range(1000):
            read()
        self.assertEqual(held(), before)

    def test_a_read_costs_next_to_nothing(self):
        def deep(left):
            if left > 0:
                return deep(left - 1)
            times = 20000
            begun = time.perf_counter()
            frames = LIBRARY.ReadAgain(times) // times
            return (time.perf_counter() - begun) / times, frames

        per_read, frames = deep(20)
        print(f"{frames} frames in {per_read * 1e9:.0f} ns, Python {sys.version.split()[0]}")
        self.assertLess(per_read, 10e-6)


if __name__ == "__main__":
    unittest.main()
