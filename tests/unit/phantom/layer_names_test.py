#!/usr/bin/env python3
"""What layers are called, and why they are not told, of modules that are none of PyTorch's: layer_names_test.py TIDEMARK_LAYERS."""

import importlib.util
import sys
import threading
import types
import unittest
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

spec = importlib.util.spec_from_file_location("layers", sys.argv.pop(1))
layers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(layers)


class Module:
    """As much of a torch.nn.Module as is asked for."""

    def __init__(self, **modules):
        self._modules = modules


class Net(Module):
    pass


class Gate(Module):
    """The thread that looks into it first waits there, until as many others have arrived, or for a moment."""

    def __init__(self, arrivals):
        super().__init__()
        self.arrivals = arrivals

    @property
    def _modules(self):
        self.arrivals.append(threading.get_ident())
        if len(set(self.arrivals)) == 1:
            threading.Event().wait(0.2)
        return {}

    @_modules.setter
    def _modules(self, modules):
        pass


def named(names, *called):
    return [names.name(module).decode() for module in called]


class NamesOfThreads(unittest.TestCase):
    def test_threads_that_call_a_module_at_once_are_told_one_name(self):
        names, arrivals = layers.Names(None), []
        net = Net(gate=Gate(arrivals))
        with ThreadPoolExecutor(4) as threads:
            told = list(threads.map(lambda _: names.name(net), range(4)))
        self.assertEqual(told, [b"Net"] * 4)
        self.assertEqual(len(set(arrivals)), 1)
        self.assertEqual(names.used, {"Net": 1, "gate": 1})

    def test_modules_that_threads_call_at_once_have_a_name_each(self):
        names = layers.Names(None)
        nets = [Net(inner=Module()) for _ in range(20)]
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        self.addCleanup(sys.setswitchinterval, interval)
        with ThreadPoolExecutor(8) as threads:
            told = list(threads.map(names.name, nets * 50))
        self.assertEqual(len(set(told)), 20)

    def test_a_child_that_is_forked_while_another_thread_names_goes_on(self):
        names = layers.Names(None)
        holder = threading.Thread(target=names.lock.acquire)
        holder.start()
        holder.join()
        names.make_lock()  # as after a fork
        self.assertEqual(named(names, Net()), ["Net"])


class Holders(unittest.TestCase):
    def test_the_outermost_that_holds_it_is_found_through_shared_and_missing_ones(self):
        inner = Module()
        shared = Module(inner=inner, none=None)
        shared._modules["itself"] = shared
        outer = Net(first=shared, second=shared)
        self.assertIs(layers.holder_of(inner, [Net(), outer, shared]), outer)
        alone = Module()
        self.assertIs(layers.holder_of(alone, [Net(), outer, shared]), alone)

    def test_each_module_is_looked_into_once_however_many_are_around(self):
        looks = []
        gate = Gate(looks)
        inner = Net(gate=gate)
        layers.holder_of(Module(), [Net(inner=inner), inner, gate])
        self.assertEqual(len(looks), 1)


class Parameter:
    """As torch's looks from here, in a block."""

    def __init__(self, block, shape=(3, 2), is_cuda=True):
        self.block, self.shape, self.is_cuda = block, shape, is_cuda

    def untyped_storage(self):
        if self.block is None:
            raise NotImplementedError("no storage")
        return types.SimpleNamespace(data_ptr=lambda: self.block, nbytes=lambda: 24)


class Tracer:
    def __init__(self, tracing=None):
        self.tracing = tracing

    def _get_tracing_state(self):
        return self.tracing

    def _set_tracing_state(self, tracing):
        self.tracing = tracing


class Parameters(unittest.TestCase):
    def test_those_of_all_modules_are_told_as_the_outermost_gets_its_name(self):
        told = []
        inner, outer = Module(), Module()
        inner._parameters = {"weight": Parameter(512), "bias": None}
        outer._modules = {"inner": inner}
        outer._parameters = {"scale": Parameter(1024, ())}
        names = layers.Names(None, layers.parameter_telling(lambda *parameter: told.append(parameter), Parameter, Tracer()))
        names.name(outer)
        self.assertEqual(sorted(told), [(512, 24, b"inner.weight"), (1024, 24, b"Module.scale")])
        names.name(inner)
        self.assertEqual(len(told), 2)

    def test_those_that_share_a_block_are_one(self):
        told, cell = [], Module()
        cell._parameters = {"weight_ih": Parameter(512), "weight_hh": Parameter(512), "bias": Parameter(1024)}
        layers.parameter_telling(lambda *parameter: told.append(parameter), Parameter, Tracer())(cell, "lstm")
        self.assertEqual(told, [(512, 24, b"lstm.flat_weights"), (1024, 24, b"lstm.bias")])

    def test_what_is_elsewhere_or_hides_its_memory_is_not(self):
        class Hiding(Parameter):
            pass

        module = Module()
        module._parameters = {"host": Parameter(512, is_cuda=False), "hiding": Hiding(512), "none": Parameter(None), "empty": Parameter(0)}
        layers.parameter_telling(self.fail, Parameter, Tracer())(module, "module")

    def test_a_trace_goes_on_and_records_nothing_of_it(self):
        tracer, told = Tracer("the program's"), []
        module = Module()
        module._parameters = {"weight": Parameter(512)}
        layers.parameter_telling(lambda *_: told.append(tracer.tracing), Parameter, tracer)(module, "module")
        self.assertEqual((told, tracer.tracing), ([None], "the program's"))


    def test_what_several_modules_share_has_the_first_ones_name(self):
        told, first, second = [], Module(), Module()
        first._parameters = second._parameters = {"weight": Parameter(512)}
        names = layers.Names(None, layers.parameter_telling(lambda *parameter: told.append(parameter), Parameter, Tracer()))
        names.name(Module(first=first, second=second))
        self.assertEqual([name for _, _, name in told], [b"second.weight", b"first.weight"])  # the last holds

    def test_those_that_are_moved_are_told_once_they_are_there(self):
        told, inner = [], Module()
        outer = Net(inner=inner)
        names = layers.Names(None, lambda module, name: told.append(name))
        begins, ends = layers.apply_telling(names)
        for _ in range(2):
            is_outermost = begins(outer)
            ends(inner, begins(inner))
            self.assertEqual(told, ["inner"])
            ends(outer, is_outermost)
            self.assertEqual(told, ["inner", "Net", "inner", "Net"])  # of what both have the outer one's holds
            told.clear()
        ends(inner, begins(inner))  # by itself
        self.assertEqual(told, ["Module", "Module"])
        names.name(outer)
        told.clear()
        ends(inner, begins(inner))
        self.assertEqual(told, ["inner", "inner"])  # as it was named since


class Optimizer:
    def __init__(self, state):
        self.state = state


class States(unittest.TestCase):
    def setUp(self):
        self.module = Module()
        self.module._parameters = {"weight": Parameter(512)}
        self.names = layers.Names(None)
        self.names.name(self.module)
        self.told = []
        torch = types.SimpleNamespace(compiler=types.SimpleNamespace(is_compiling=lambda: self.is_compiling), Tensor=Parameter)
        self.is_compiling = False
        self.tell_state = layers.state_telling(lambda *state: self.told.append(state), self.names, torch)

    def test_what_an_optimizer_keeps_is_told_by_its_parameter_once_it_is_there(self):
        weight, nobodys = self.module._parameters["weight"], Parameter(4096)
        optimizer = Optimizer({})
        self.tell_state(optimizer)
        self.assertEqual(self.told, [])
        optimizer.state = {weight: {"step": 3, "exp_avg": Parameter(1024)}, nobodys: {"exp_avg": Parameter(8192)}}
        self.tell_state(optimizer, (), {})
        self.tell_state(optimizer, (), {})
        self.assertEqual(self.told, [(1024, 24, b"Module.weight exp_avg")])

    def test_an_optimizer_that_is_like_no_other_goes_on(self):
        class Unhashable(Optimizer):
            __hash__ = None

        for odd in (Unhashable({}), Optimizer(None), Optimizer([Parameter(1024)])):
            self.tell_state(odd)
        self.assertEqual(self.told, [])

    def test_nothing_while_it_is_compiled_and_nothing_of_other_kinds(self):
        self.is_compiling = True
        optimizer = Optimizer({self.module._parameters["weight"]: {"exp_avg": Parameter(1024)}})
        self.tell_state(optimizer)
        self.is_compiling = False
        optimizer.state = {self.module._parameters["weight"]: [Parameter(1024)]}
        self.tell_state(optimizer)
        self.assertEqual(self.told, [])


class Telling(unittest.TestCase):
    def doubts(self, of_compiler, call=lambda self: None, loaded=("TidemarkLayerBegins", "TidemarkLayerEnds", "TidemarkParameter", "TidemarkOptimizerState")):
        process = types.SimpleNamespace(**{name: types.SimpleNamespace() for name in loaded})
        modules = types.ModuleType("modules")
        modules.Module = type("Module", (), {"__call__": call, "_apply": call})
        told = []
        with mock.patch.object(layers.ctypes, "PyDLL", return_value=process), \
                mock.patch.object(layers, "tells_of_compiling", side_effect=of_compiler):
            layers.tell_layers(modules, told.append)
        return told

    def test_an_old_pytorch_is_doubted(self):
        self.assertEqual(self.doubts([False]), ["Layers are not told: that takes a PyTorch from 2.1 on."])

    def test_a_pytorch_whose_source_cannot_be_used_is_doubted_with_what_is_wrong(self):
        told = self.doubts([True], call=print)
        self.assertEqual(len(told), 1)
        self.assertIn("unlike any that is known (TypeError(", told[0])
        self.assertIn("(OSError('none'))", self.doubts([OSError("none")])[0])

    def test_where_nobody_listens_nothing_is_missing(self):
        self.assertEqual(self.doubts([False], loaded=()), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
