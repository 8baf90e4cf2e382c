"""Every classification model of torchvision, and one of each other kind: a training step at batch 8, or as small as it takes."""

import importlib.util

from catalogue import program, train_once, weights_of_zero

# What they ask of their images; the others take 224.
SIZES = {"inception_v3": 299}


def add_classification(name):
    for suffix, autocast in (("", None), ("-fp16", "float16")):

        @program(f"torchvision-{name}{suffix}", needs=("torchvision",))
        def run(autocast=autocast):
            import torch
            import torchvision
            from torch.nn import functional as F

            options = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
            with weights_of_zero():
                model = torchvision.models.get_model(name, weights=None, **options)
            size = SIZES.get(name) or getattr(model, "image_size", 224)
            images = torch.randn(8, 3, size, size, device="cuda")
            labels = torch.zeros(8, dtype=torch.long, device="cuda")

            def loss(model):
                out = model(images)
                heads = out if isinstance(out, tuple) else (out,)  # some have auxiliary ones
                return sum(F.cross_entropy(head, labels) for head in heads)

            optimizer = torch.optim.SGD(model.cuda().parameters(), 0.1, momentum=0.9)
            train_once(model, loss, autocast=autocast and getattr(torch, autocast), optimizer=optimizer)


def classification_models():
    if importlib.util.find_spec("torchvision") is None:
        return []
    import torchvision

    return torchvision.models.list_models(module=torchvision.models)


for name in classification_models():
    add_classification(name)


@program("torchvision-segmentation", needs=("torchvision",))
def segmentation():
    import torch
    import torchvision
    from torch.nn import functional as F

    model = torchvision.models.segmentation.deeplabv3_resnet50(weights=None, weights_backbone=None)
    images = torch.randn(2, 3, 128, 128, device="cuda")
    train_once(model, lambda net: F.cross_entropy(net(images)["out"], torch.zeros(2, 128, 128, dtype=torch.long, device="cuda")))


@program("torchvision-detection", needs=("torchvision",))
def detection():
    import torch
    import torchvision

    model = torchvision.models.detection.fasterrcnn_resnet50_fpn(weights=None, weights_backbone=None, num_classes=3)
    images = [torch.rand(3, 200, 300, device="cuda")]
    targets = [{"boxes": torch.tensor([[1.0, 1.0, 90.0, 90.0]]).cuda(), "labels": torch.ones(1, dtype=torch.long, device="cuda")}]
    train_once(model, lambda net: sum(net(images, targets).values()))


@program("torchvision-video", needs=("torchvision",))
def video():
    import torch
    import torchvision

    model = torchvision.models.video.r3d_18(weights=None)
    train_once(model, lambda net: net(torch.randn(2, 3, 8, 64, 64, device="cuda")).square().mean())
