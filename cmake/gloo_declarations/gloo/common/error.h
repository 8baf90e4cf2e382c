// Of Gloo only what LibTorch's headers name: its code is in libtorch_cpu, its headers come with no package of it.
#pragma once
