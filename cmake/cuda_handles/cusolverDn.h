// Of cuSOLVER's interface only what LibTorch's headers name. The whole comes with the library, which building does not need; and in
// front of the system's folders this one keeps out whatever toolkit a machine may have.
#pragma once
#include <cusolver_common.h>
typedef struct cusolverDnContext* cusolverDnHandle_t;
