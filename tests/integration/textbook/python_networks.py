"""The networks of assets/networks in Python, a second time: read from the same files, by torch.nn.functional alone."""

import json

import torch
import torch.nn.functional as F


class Network(torch.nn.Module):
    def __init__(self, path, device):
        super().__init__()
        with open(path, encoding="utf-8") as file:
            self.description = json.load(file)
        if "generator" in self.description:
            self.description["layers"] = self.description["generator"] + self.description["discriminator"]
        self.device = device
        self.tables = torch.nn.ParameterDict()
        self.lstms = torch.nn.ModuleDict()
        self.running = {}
        shapes = {"input": [1] + self.description["input"]}
        previous = "input"
        for layer in self.description["layers"]:
            layer.setdefault("inputs", [previous])
            previous = layer["name"]
            self.make(layer, shapes)

    def parameter(self, name, *sizes):
        self.tables[name] = torch.nn.Parameter(torch.empty(sizes, device=self.device))

    def make(self, layer, shapes):
        name, kind = layer["name"], layer["kind"]
        features = shapes[layer["inputs"][0]]
        bias = layer.get("bias", True)
        if kind == "conv2d":
            self.parameter(name, layer["out"], layer["in"] // layer.get("groups", 1), layer["kernel"], layer["kernel"])
        elif kind == "conv_transpose2d":
            self.parameter(name, layer["in"], layer["out"], layer["kernel"], layer["kernel"])
        elif kind == "linear" and "weights_of" not in layer:
            self.parameter(name, layer["out"], layer["in"])
        elif kind == "embedding":
            self.parameter(name, layer["in"], layer["out"])
        elif kind in ("position_embedding", "segment_embedding"):
            self.parameter(name, layer.get("length") or layer["segments"], features[-1])
        elif kind == "class_token":
            self.parameter(name, 1, features[-1])
        elif kind in ("batch_norm2d", "layer_norm"):
            channels = features[1] if kind == "batch_norm2d" else features[-1]
            self.parameter(name, channels)
            self.parameter(name + "_bias", channels)
            if kind == "batch_norm2d":
                self.running[name] = [torch.empty(channels, device=self.device) for _ in range(2)]
        if kind in ("conv2d", "conv_transpose2d", "linear") and bias:
            self.parameter(name + "_bias", layer["out"])
        if kind == "lstm":
            sizes = layer["in"], layer["hidden"], layer.get("layers", 1)
            self.lstms[name] = torch.nn.LSTM(
                *sizes, dropout=layer.get("dropout", 0), batch_first=True, device=self.device
            )
            layer["module"] = self.lstms[name]
            shapes[name] = features[:2] + [layer["hidden"]]
            return
        # Shapes come from running the layer on nothing.
        inputs = [torch.empty(shapes[i], device="meta") for i in layer["inputs"]]
        if self.description.get("vocabulary") and layer["inputs"] == ["input"]:
            inputs = [i.long() for i in inputs]
        weights = {key: value.detach().to("meta") for key, value in self.tables.items()}
        running = {key: [t.to("meta") for t in value] for key, value in self.running.items()}
        with torch.no_grad():
            shapes[name] = list(apply(layer, inputs, weights, running).shape)

    def forward(self, batch):
        values = {"input": batch}
        last_use = {name: index for index, layer in enumerate(self.description["layers"]) for name in layer["inputs"]}
        for index, layer in enumerate(self.description["layers"]):
            values[layer["name"]] = apply(layer, [values[name] for name in layer["inputs"]], self.tables, self.running)
            for name in set(layer["inputs"]):
                if last_use[name] == index:
                    del values[name]
        return values[self.description["layers"][-1]["name"]]


def attend(inputs, heads, causal):
    parts = inputs[0].chunk(3, dim=2) if len(inputs) == 1 else inputs
    query, key, value = (part.unflatten(2, (heads, -1)).transpose(1, 2) for part in parts)
    return F.scaled_dot_product_attention(query, key, value, is_causal=causal).transpose(1, 2).flatten(2)


def apply(layer, inputs, tables, running):
    name, kind, x = layer["name"], layer["kind"], inputs[0]
    weight = tables.get(layer.get("weights_of", name))
    bias = tables.get(name + "_bias")
    size = {key: layer.get(key, default) for key, default in (("stride", 1), ("padding", 0), ("groups", 1))}
    if kind == "conv2d":
        return F.conv2d(x, weight, bias, **size)
    if kind == "conv_transpose2d":
        return F.conv_transpose2d(x, weight, bias, stride=size["stride"], padding=size["padding"])
    if kind == "linear":
        return F.linear(x, weight, bias)
    if kind in ("max_pool2d", "avg_pool2d"):
        pool = F.max_pool2d if kind == "max_pool2d" else F.avg_pool2d
        return pool(x, layer["kernel"], layer.get("stride", layer["kernel"]), size["padding"])
    if kind == "batch_norm2d":
        return F.batch_norm(x, *running[name], weight, bias, training=True)
    if kind == "layer_norm":
        return F.layer_norm(x, x.shape[-1:], weight, bias)
    if kind == "position_embedding":
        return x + weight[: x.shape[1]]
    if kind == "class_token":
        return torch.cat([weight.expand(x.shape[0], 1, -1), x], dim=1)
    simple = {
        "relu": lambda: F.relu(x),
        "relu6": lambda: F.relu6(x),
        "leaky_relu": lambda: F.leaky_relu(x, 0.2),
        "gelu": lambda: F.gelu(x),
        "sigmoid": lambda: torch.sigmoid(x),
        "tanh": lambda: torch.tanh(x),
        "adaptive_avg_pool2d": lambda: F.adaptive_avg_pool2d(x, layer["size"]),
        "dropout": lambda: F.dropout(x, layer["p"], training=True),
        "flatten": lambda: x.flatten(1),
        "add": lambda: inputs[0] + inputs[1],
        "concat": lambda: torch.cat(inputs, dim=1),
        "upsample": lambda: F.interpolate(x, scale_factor=layer["factor"]),
        "embedding": lambda: F.embedding(x, weight),
        "segment_embedding": lambda: x + weight[0],
        "to_sequence": lambda: x.flatten(2).transpose(1, 2).contiguous(),
        "first_token": lambda: x[:, 0],
        "lstm": lambda: layer["module"](x)[0],
        "attention": lambda: attend(inputs, layer["heads"], layer.get("causal", False)),
    }
    return simple[kind]()
