"""What sharded training makes of parameters: those gathered from all ranks, what is gathered and scattered in, and the shards of gradients.

PyTorch makes them in functions of its own, of which autograd hears nothing. They are told as these end (tidemark_code.py).
"""

from tidemark_code import tell_what_is_left
from tidemark_tensors import COMMUNICATION, GRADIENT, PARAMETER, shared_path


class FullySharded:
    """torch.distributed.fsdp.fully_shard: each parameter is sharded, and those of a module are gathered and reduced together."""

    def __init__(self, names, tell):
        self.names, self.tell = names, tell

    def name_of(self, parameter):
        info = parameter._module_info
        return f"{self.names.of(info.module)}.{info.param_name}".lstrip(".")

    def name_of_all(self, parameters, what):
        return f"{shared_path(map(self.name_of, parameters))}.{what}".lstrip(".")

    def hear_gather(self, here):
        if "all_gather_output" in here:
            self.tell(here["all_gather_output"], COMMUNICATION, self.name_of_all(here["fsdp_params"], "all-gather"))

    def hear_gathered(self, here):
        for parameter in here["fsdp_params"]:
            for gathered in parameter.all_gather_outputs:
                self.tell(gathered, PARAMETER, self.name_of(parameter) + " gathered")

    def hear_reduce(self, here):
        parameters = here["fsdp_params"]
        scattered, gradient = (self.name_of_all(parameters, what) for what in ("reduce-scatter", "shard.grad"))
        for buffer in ("reduce_scatter_input", "reduce_output"):
            if here.get(buffer) is not None:
                self.tell(here[buffer], COMMUNICATION, scattered)
        for parameter in parameters:
            if parameter.sharded_param.grad is not None:
                self.tell(parameter.sharded_param.grad, GRADIENT, gradient)

    def hear_accumulate(self, here):
        parameter = here["self"]
        if parameter.unsharded_accumulated_grad is not None:
            self.tell(parameter.unsharded_accumulated_grad, GRADIENT, self.name_of(parameter) + ".grad")


class FlatSharded:
    """FullyShardedDataParallel: a module's parameters are one, which is sharded."""

    def __init__(self, names, tell):
        self.names, self.tell = names, tell

    def name_of(self, handle):
        return f"{self.names.of(handle._fully_sharded_module)}._flat_param".lstrip(".")

    def hear_gather(self, here):
        if "unsharded_flat_param" in here:
            self.tell(here["unsharded_flat_param"], PARAMETER, self.name_of(here["self"]) + " gathered")

    def hear_reduce(self, here):
        if "new_sharded_grad" in here:
            self.tell(here["new_sharded_grad"], GRADIENT, self.name_of(here["state"]._handle) + ".grad")


# What a newer PyTorch does without: since 2.15 autograd sums gradients up in their final type.
NOT_IN_ALL = {"FSDPParam.to_accumulated_grad_if_needed"}


def shard_changes(names, tell, doubt):
    """By module: what is to be changed in it once it has been executed."""
    fully, flat = FullySharded(names, tell), FlatSharded(names, tell)
    package = "torch.distributed.fsdp."
    heard = {
        "_fully_shard._fsdp_collectives": {
            "foreach_all_gather": fully.hear_gather,
            "foreach_all_gather_copy_out": fully.hear_gathered,
            "foreach_reduce": fully.hear_reduce,
        },
        "_fully_shard._fsdp_param": {"FSDPParam.to_accumulated_grad_if_needed": fully.hear_accumulate},
        "_flat_param": {"FlatParamHandle._alloc_padded_unsharded_flat_param": flat.hear_gather},
        "_runtime_utils": {"_get_reduce_scatter_tensors": flat.hear_reduce},
    }

    def change(module, hearers):
        for path, hear in hearers.items():
            owner, function = None, module
            for name in path.split("."):
                owner, function = function, getattr(function, name, None)
            if function is None and owner is not None and path in NOT_IN_ALL:
                continue
            while hasattr(function, "__wrapped__"):  # by no_grad
                function = function.__wrapped__
            tell_what_is_left(function, f"tidemark_{path.replace('.', '_')}", hear, doubt)

    return {package + name: lambda module, hearers=hearers: change(module, hearers) for name, hearers in heard.items()}
