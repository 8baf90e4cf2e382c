"""Functions of the program's libraries that tell us something, with their lines and columns as they were: a traceback has no frame more."""

import ast
import inspect


def code_that_tells(function, telling):
    """Its own code in the place of the `pass` that ends the `try` in this source of a function: what stands around it is told."""
    lines, first = inspect.getsourcelines(function)
    *holders, name = function.__qualname__.split(".")
    around = f"class {holders[-1]}:\n" if holders else ""
    whole = ast.parse(around + "".join(lines))
    ast.increment_lineno(whole, first - 1 - len(holders))
    own = (whole.body[0].body if holders else whole.body)[0]
    *before, told = ast.parse(telling).body[0].body
    opening = told.body[:-1]
    told.body = [*opening, *own.body]
    own.body = [*before, told]
    for added in (*before, *opening, *told.finalbody):
        for node in ast.walk(added):
            node.lineno = node.end_lineno = own.lineno
            node.col_offset = node.end_col_offset = own.col_offset
    ast.copy_location(told, own)
    code = compile(whole, function.__code__.co_filename, "exec")
    for wanted in (*holders, name):
        code = next(inner for inner in code.co_consts if inspect.iscode(inner) and inner.co_name == wanted)
    return code


LEFT = """
def told():
    try:
        pass
    finally:
        {name}(locals())
"""


# What a source that is missing, or unlike any that is known, ends in.
UNLIKE_KNOWN = (AttributeError, ImportError, OSError, StopIteration, SyntaxError, TypeError, ValueError)


def tell_what_is_left(function, name, hear, doubt):
    """`hear` gets the function's variables, by their names, as it is left, however. `name`: ours, among the globals of its module.

    Where that cannot be is a doubt, once; nothing of ours may end the program.
    """
    doubted = []

    def hear_what_can_be(here):
        try:
            hear(here)
        except Exception as error:
            if not doubted:
                doubt(f"Some of what blocks hold is not told: PyTorch's {function.__qualname__} is unlike any that is known ({error!r}).")
            doubted.append(error)

    try:
        code = code_that_tells(function, LEFT.format(name=name))
        function.__globals__[name] = hear_what_can_be
        function.__code__ = code
    except UNLIKE_KNOWN as error:
        doubt(f"Some of what blocks hold is not told: the source of PyTorch's {getattr(function, '__qualname__', name)} is missing, or unlike any that is known ({error!r}).")
