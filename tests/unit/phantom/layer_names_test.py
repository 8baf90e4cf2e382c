#!/usr/bin/env python3
"""What layers are called, and why they are not told, of modules that are none of PyTorch's: layer_names_test.py FOLDER_OF_TIDEMARK_LAYERS."""

import collections.abc
import contextlib
import sys
import threading
import traceback
import types
import unittest
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

sys.path.insert(0, sys.argv.pop(1))
import tidemark_code as code
import tidemark_layers as layers
import tidemark_shards as shards
import tidemark_tensors as tensors


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


class NamesOfReplicas(unittest.TestCase):
    def test_those_that_data_parallel_makes_are_called_as_the_model(self):
        names = layers.Names(None)
        net = Net(inner=Module())
        self.assertEqual(named(names, net, *net._modules.values()), ["Net", "inner"])
        for _ in range(2):
            replica = Net(inner=Module())
            replica._is_replica = True
            self.assertEqual(named(names, replica, *replica._modules.values()), ["Net", "inner"])


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


class Tensor:
    __torch_dispatch__ = None


class Parameter(Tensor):
    """As torch's looks from here, in a block."""

    def __init__(self, block, shape=(3, 2), is_cuda=True, place=None):
        self.block, self.shape, self.is_cuda, self.place = block, shape, is_cuda, place or id(self)

    def data_ptr(self):
        return self.place

    def untyped_storage(self):
        if self.block is None:
            raise NotImplementedError("no storage")
        return types.SimpleNamespace(data_ptr=lambda: self.block, nbytes=lambda: 24)


class DTensor:
    def __init__(self, local):
        self._local_tensor, self.grad = local, None


class Tracer:
    """As much of torch._C."""

    def __init__(self, tracing=None):
        self.tracing, self.is_heard = tracing, True

    @contextlib.contextmanager
    def DisableTorchFunction(self):
        self.is_heard = False
        yield
        self.is_heard = True

    def _get_tracing_state(self):
        return self.tracing

    def _set_tracing_state(self, tracing):
        self.tracing = tracing


class Parameters(unittest.TestCase):
    def setUp(self):
        self.told = []
        self.tell_module = tensors.module_telling(lambda block, *what: self.told.append((block[0], *what)), Tracer())

    def test_those_of_all_modules_are_told_as_the_outermost_gets_its_name(self):
        inner, outer = Module(), Module()
        inner._parameters = {"weight": Parameter(512), "bias": None}
        inner._buffers = {"mean": Parameter(2048)}
        outer._modules = {"inner": inner}
        outer._parameters = {"scale": Parameter(1024, ())}
        names = layers.Names(None, self.tell_module)
        names.name(outer)
        self.assertEqual(sorted(self.told), [(512, 0, "inner.weight"), (1024, 0, "Module.scale"), (2048, 0, "inner.mean")])
        names.name(inner)
        self.assertEqual(len(self.told), 3)

    def test_those_that_share_a_block_are_one(self):
        cell = Module()
        cell._parameters = {"weight_ih": Parameter(512), "weight_hh": Parameter(512), "bias": Parameter(1024)}
        self.tell_module([(cell, "lstm")])
        self.assertEqual(self.told, [(512, 0, "lstm.flat_weights"), (1024, 0, "lstm.bias")])

    def test_what_is_elsewhere_or_hides_its_memory_is_not(self):
        class Hiding(Parameter):
            __torch_dispatch__ = Module

        module = Module()
        module._parameters = {"host": Parameter(512, is_cuda=False), "hiding": Hiding(512), "none": Parameter(None), "empty": Parameter(0)}
        self.tell_module([(module, "module")])
        self.assertEqual(self.told, [])

    def test_a_dtensor_is_what_this_rank_has_of_it(self):
        self.assertEqual([(name, part.block) for name, part in tensors.parts_of(DTensor(Parameter(512)))], [("", 512)])

    def test_one_that_wraps_others_is_those_however_often_but_for_a_circle(self):
        class Wrapping(Tensor):
            __torch_dispatch__ = Module

            def __init__(self, **inner):
                vars(self).update(inner)

            def __tensor_flatten__(self):
                return list(vars(self)), None

        wrapped = Wrapping(codes=Parameter(512), more=Wrapping(scales=Parameter(1024)))
        self.assertEqual([(name, part.block) for name, part in tensors.parts_of(wrapped)], [(".codes", 512), (".more.scales", 1024)])
        wrapped.more = wrapped
        self.assertIn((".codes", 512), [(name, part.block) for name, part in tensors.parts_of(wrapped)])

    def test_a_subclass_with_memory_of_its_own_is_that_and_what_its_attributes_hold_but_for_its_module(self):
        class Quantized(Parameter):
            pass

        class State:
            pass

        class Trainer:
            def __getattr__(self, name):
                raise RuntimeError(name)

        Quantized.__module__ = State.__module__ = "library.of_its_own"
        weight, scales, state, trainer = Quantized(512), Parameter(1024), State(), Trainer()
        scales.__class__ = type("Tensor", (Parameter,), {})
        state.scales, state.back, state.weight = scales, state, weight
        trainer.kept, weight.trainer = scales, trainer
        weight.state, weight.module, weight.kind = state, Module(), "nf4"
        weight.module._parameters, weight.module.mask = {"weight": weight}, scales
        self.assertEqual([(name, part.block) for name, part in tensors.parts_of(weight)], [("", 512), (".state.scales", 1024)])

    def test_what_a_model_is_called_with_is_input_unless_gradients_flow_into_it(self):
        batch, grown, label, other = (Parameter(block) for block in (512, 1024, 2048, 4096))
        for tensor in (batch, grown, label, other):
            tensor.requires_grad = tensor is grown
        tell = tensors.input_telling(lambda block, *what: self.told.append((block[0], *what)), Tracer())
        tell((batch, grown, [{"label": label}], "text"), {"other": other})
        self.assertEqual(sorted(self.told), [(block, 3, "") for block in (512, 2048, 4096)])

    def test_what_a_model_is_called_with_is_looked_into_as_long_as_it_is_no_code_of_the_programs(self):
        class Lazy(collections.abc.Mapping):
            def __getitem__(self, key):
                asked.append(key)

            def __iter__(self):
                return iter("a")

            def __len__(self):
                return 1

        asked, batch = [], Parameter(512)
        circle = [batch]
        circle.append(circle)
        found = list(tensors.tensors_in((Lazy(), circle, [[1] * 2000] * 2000)))
        self.assertEqual((set(found), asked), ({batch}, []))
        self.assertLessEqual(len(found), 1000)
        self.assertEqual(list(tensors.tensors_in(collections.UserDict(ids=batch))), [batch])

    def test_a_tensor_that_wraps_others_is_told_by_what_it_holds_and_nothing_that_makes_it(self):
        class Wrapping(Tensor):
            __torch_dispatch__ = Module
            __slots__ = ("codes",)

            def __tensor_flatten__(self):
                return ["codes", "scales", "made", "none"], None

            @property
            def made(self):
                made.append(self)

        made, tensor, of = [], Wrapping(), Parameter(1)
        tensor.codes, tensor.scales, tensor.none = Parameter(512), Parameter(1024), None
        names = types.SimpleNamespace(of_tensor=lambda parameter: "Net.weight" if parameter is of else "")
        tell = tensors.wrapped_telling(lambda block, *what: self.told.append((block[0], *what)), names, Tracer())
        tell(tensor, tensors.ACTIVATION, tensor)
        tell(tensor, tensors.GRADIENT, of)
        self.assertEqual(self.told, [(512, 4, ""), (1024, 4, ""), (512, 2, "Net.weight.grad"), (1024, 2, "Net.weight.grad")])
        self.assertEqual(made, [])

    def test_what_a_wrapping_tensor_answers_ends_nothing_and_saves_nothing_more(self):
        class Wrapping(Tensor):
            __torch_dispatch__ = Module

            def __tensor_flatten__(self):
                asked.append(self)
                tell(self, tensors.ACTIVATION, self)
                raise answers

        asked = []
        tell = tensors.wrapped_telling(lambda *what: self.told.append(what), None, Tracer())
        for answers in (RuntimeError(), KeyboardInterrupt()):
            tell(Wrapping(), tensors.ACTIVATION, None)
        with self.assertRaises(KeyboardInterrupt):  # later
            for _ in range(1000):
                threading.Event().wait(0.01)
        self.assertEqual((len(asked), self.told), (2, []))

    def test_a_sparse_one_is_its_indices_and_values(self):
        class Sparse(Parameter):
            layout = "torch.sparse_coo"

            def detach(self):
                return self

            def _indices(self):
                return Parameter(512)

            def _values(self):
                return Parameter(1024)

        self.assertEqual([(name, part.block) for name, part in tensors.parts_of(Sparse(1))], [(".indices", 512), (".values", 1024)])

    def test_a_trace_goes_on_and_records_nothing_of_it(self):
        tracer, traced = Tracer("the program's"), []

        class Parameter(globals()["Parameter"]):
            def data_ptr(self):
                traced.append((tracer.tracing, tracer.is_heard))
                return super().data_ptr()

        module = Module()
        module._parameters = {"weight": Parameter(512)}
        tensors.module_telling(lambda *_: None, tracer)([(module, "module")])
        self.assertEqual((traced, tracer.tracing, tracer.is_heard), ([(None, False)], "the program's", True))

    def test_what_several_modules_share_has_the_first_ones_name(self):
        first, second = Module(), Module()
        first._parameters = second._parameters = {"weight": Parameter(512)}
        names = layers.Names(None, self.tell_module)
        names.name(Module(first=first, second=second))
        self.assertEqual(self.told, [(512, 0, "first.weight")])

    def test_those_of_a_whole_model_in_one_buffer_are_of_the_module_that_holds_all(self):
        modules = [Module() for _ in range(3)]
        for place, module in enumerate(modules):
            module._parameters = {"weight": Parameter(512, place=512 + place)}
        layer, first, second = modules
        self.tell_module([(layer, "norm"), (first, "block.up"), (second, "block.down")])
        self.tell_module([(first, "block.up"), (second, "block.down")])
        self.assertEqual(self.told, [(512, 0, "flat_weights"), (512, 0, "block.flat_weights")])

    def test_a_module_like_no_other_goes_on(self):
        module = Module()
        module._parameters = {"weight": object()}
        self.tell_module([(module, "module")])
        self.tell_module([(module, "module")] * 2 + [None])
        self.assertEqual(self.told, [])

    def test_one_is_told_as_it_is_made_whoever_calls_its_module(self):
        hear = tensors.parameter_telling(lambda block, *what: self.told.append((block[0], *what)), Tracer())
        for data in (Parameter(512), Parameter(1024, shape=()), Parameter(2048, is_cuda=False), object()):
            hear({"cls": Parameter, "data": data, "requires_grad": True})
        self.assertEqual(self.told, [(512, 0, "parameter 3×2"), (1024, 0, "parameter scalar")])

    def test_those_that_are_moved_are_told_once_they_are_there(self):
        told, inner = [], Module()
        outer = Net(inner=inner)
        names = layers.Names(None, lambda modules: told.extend(name for _, name in modules))
        begins, ends = layers.apply_telling(names)
        for _ in range(2):
            is_outermost = begins(outer)
            ends(inner, begins(inner))
            self.assertEqual(told, ["inner"])
            ends(outer, is_outermost)
            self.assertEqual(told, ["inner", "Net", "Net", "inner"])
            told.clear()
        ends(inner, begins(inner))  # by itself
        self.assertEqual(told, ["Module", "Module"])
        names.name(outer)
        told.clear()
        ends(inner, begins(inner))
        self.assertEqual(told, ["inner", "inner"])  # as it was named since


class Optimizer:
    def __init__(self, state, *parameters):
        self.state, self.param_groups = state, [{"params": list(parameters)}]


class Optimizers(unittest.TestCase):
    def setUp(self):
        self.module = Module()
        self.module._parameters = {"weight": Parameter(512)}
        self.names = layers.Names(None)
        self.names.name(self.module)
        self.told = []
        torch = types.SimpleNamespace(compiler=types.SimpleNamespace(is_compiling=lambda: self.is_compiling))
        self.is_compiling = False
        tell = lambda tensor, *what: self.told.append((*tensors.block_of(tensor), *what))
        self.before, self.behind = tensors.optimizer_telling(tell, self.names, torch)

    def test_what_an_optimizer_keeps_is_told_by_its_parameter_once_it_is_there(self):
        weight, nobodys = self.module._parameters["weight"], Parameter(4096)
        optimizer = Optimizer({})
        self.behind(optimizer)
        self.assertEqual(self.told, [])
        optimizer.state = {weight: {"exp_avg": Parameter(1024)}, nobodys: {"exp_avg": Parameter(8192)}}
        self.behind(optimizer, (), {})
        self.behind(optimizer, (), {})
        self.assertEqual(self.told, [(1024, 24, 1, "Module.weight exp_avg")])

    def test_what_it_loaded_is_told_before_its_next_step(self):
        weight = self.module._parameters["weight"]
        optimizer = Optimizer({weight: {"exp_avg": Parameter(1024)}})
        self.behind(optimizer)
        optimizer.state = {weight: {"exp_avg": Parameter(2048)}}
        self.before(optimizer)
        self.behind(optimizer)
        self.assertEqual([block for block, *_ in self.told], [1024, 2048])

    def test_gradients_of_shards_are_told_before_each_step(self):
        sharded, flat = DTensor(Parameter(1024)), Parameter(2048)
        flat._is_flat_param = True
        self.module._parameters.update(sharded=sharded, flat=flat)
        for number, parameter in enumerate((self.module._parameters["weight"], sharded, flat), 1):
            parameter.grad = Parameter(number << 16)
        optimizer = Optimizer({}, self.module._parameters["weight"], sharded, flat, DTensor(Parameter(4096)))
        self.before(optimizer)
        sharded.grad = None
        self.before(optimizer)
        flat_one = (3 << 16, 24, 2, "Module.flat.grad")
        self.assertEqual(self.told, [(2 << 16, 24, 2, "Module.sharded.grad"), flat_one, flat_one])

    def test_an_optimizer_that_is_like_no_other_goes_on(self):
        class Unhashable(Optimizer):
            __hash__ = None

        for odd in (Unhashable({}), Optimizer(None), Optimizer([Parameter(1024)]), object()):
            self.before(odd)
            self.behind(odd)
        self.assertEqual(self.told, [])

    def test_nothing_while_it_is_compiled_and_nothing_of_other_kinds(self):
        self.is_compiling = True
        optimizer = Optimizer({self.module._parameters["weight"]: {"exp_avg": Parameter(1024)}})
        self.behind(optimizer)
        self.is_compiling = False
        optimizer.state = {self.module._parameters["weight"]: [Parameter(1024)]}
        self.behind(optimizer)
        self.assertEqual(self.told, [])


def part(module, name, **what):
    """An FSDPParam of that module."""
    what = {"all_gather_outputs": [], "sharded_param": types.SimpleNamespace(grad=None), "unsharded_accumulated_grad": None, **what}
    return types.SimpleNamespace(_module_info=types.SimpleNamespace(module=module, param_name=name), **what)


class Shards(unittest.TestCase):
    def setUp(self):
        self.up, self.down = Module(), Module()
        self.names = layers.Names(None)
        self.names.name(Net(block=Module(up=self.up, down=self.down)))
        self.told = []
        self.fully = shards.FullySharded(self.names, lambda tensor, *what: self.told.append((tensor, *what)))

    def test_a_path_is_that_of_the_module_that_holds_all(self):
        self.assertEqual(tensors.shared_path(["a.b.up.weight", "a.b.up.bias"]), "a.b.up")
        self.assertEqual(tensors.shared_path(["a.b.up.weight", "a.b.norm"]), "a.b")
        self.assertEqual(tensors.shared_path(["a.weight", "b.weight"]), "")

    def test_what_is_gathered_is_the_parameters(self):
        parts = [part(self.up, "weight", all_gather_outputs=["first"]), part(self.down, "weight", all_gather_outputs=["second"])]
        self.fully.hear_gather({"fsdp_params": parts})  # it could not begin
        self.fully.hear_gather({"fsdp_params": parts, "all_gather_output": "all"})
        self.fully.hear_gathered({"fsdp_params": parts})
        self.assertEqual(self.told, [("all", 9, "block.all-gather"), ("first", 0, "block.up.weight gathered"), ("second", 0, "block.down.weight gathered")])

    def test_what_is_scattered_becomes_gradients(self):
        parts = [part(self.up, "weight", sharded_param=types.SimpleNamespace(grad="shard"), unsharded_accumulated_grad="whole")]
        self.fully.hear_reduce({"fsdp_params": parts, "reduce_scatter_input": "all", "reduce_output": None})
        self.fully.hear_accumulate({"self": parts[0]})
        self.assertEqual(self.told, [("all", 9, "block.up.reduce-scatter"), ("shard", 2, "block.up.shard.grad"), ("whole", 2, "block.up.weight.grad")])

    def test_all_parameters_of_a_module_are_one_where_they_are_flat(self):
        handle = types.SimpleNamespace(_fully_sharded_module=self.up)
        flat = shards.FlatSharded(self.names, lambda tensor, *what: self.told.append((tensor, *what)))
        flat.hear_gather({"self": handle, "unsharded_flat_param": "whole"})
        flat.hear_reduce({"state": types.SimpleNamespace(_handle=handle), "new_sharded_grad": "shard"})
        self.assertEqual(self.told, [("whole", 0, "block.up._flat_param gathered"), ("shard", 2, "block.up._flat_param.grad")])

    def test_a_pytorch_that_has_none_of_it_is_doubted_and_goes_on(self):
        doubts = []
        changes = shards.shard_changes(self.names, self.fully.tell, doubts.append)
        for change in changes.values():
            change(types.ModuleType("like_no_other"))
        self.assertEqual(len(doubts), 6)
        self.assertIn("PyTorch's tidemark_foreach_reduce is missing", "".join(doubts))

    def test_a_pytorch_in_which_autograd_sums_gradients_up_by_itself_is_not_doubted(self):
        doubts = []
        of_parameter = shards.shard_changes(self.names, self.fully.tell, doubts.append)["torch.distributed.fsdp._fully_shard._fsdp_param"]
        of_parameter(types.SimpleNamespace(FSDPParam=type("FSDPParam", (), {})))
        self.assertEqual(doubts, [])


def shared(number, divisor):
    """What a library's function might be."""
    quotient = number / divisor
    return quotient


class Left(unittest.TestCase):
    def setUp(self):
        self.heard, self.doubts = [], []
        self.function = types.FunctionType(shared.__code__, dict(globals()), "shared")
        self.function.__qualname__ = "shared"
        self.line = shared.__code__.co_firstlineno + 2

    def tell(self, hear):
        code.tell_what_is_left(self.function, "tidemark_shared", hear, self.doubts.append)

    def test_a_function_tells_its_variables_as_it_returns_and_as_it_raises(self):
        self.tell(lambda here: self.heard.append(dict(here)))
        self.assertEqual(self.function(6, 2), 3)
        try:
            self.function(6, 0)
        except ZeroDivisionError as error:
            frames = traceback.extract_tb(error.__traceback__)
        self.assertEqual(self.heard, [{"number": 6, "divisor": 2, "quotient": 3}, {"number": 6, "divisor": 0}])
        self.assertEqual([(frame.name, frame.lineno) for frame in frames[1:]], [("shared", self.line)])

    def test_who_hears_it_may_fail_and_that_is_a_doubt_once(self):
        self.tell(lambda here: here["of another PyTorch"])
        self.assertEqual((self.function(6, 2), self.function(8, 2)), (3, 4))
        self.assertEqual(len(self.doubts), 1)
        self.assertIn("PyTorch's shared is unlike any that is known (KeyError('of another PyTorch'))", self.doubts[0])


class Telling(unittest.TestCase):
    def doubts(self, of_compiler, call=lambda self: None, loaded=("TidemarkLayerBegins", "TidemarkLayerEnds", "TidemarkTensor")):
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
