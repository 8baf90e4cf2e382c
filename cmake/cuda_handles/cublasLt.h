// Of cuBLASLt's interface only what LibTorch's headers name. The whole comes with the library, which building does not need; and in
// front of the system's folders this one keeps out whatever toolkit a machine may have.
#pragma once
typedef struct cublasLtContext* cublasLtHandle_t;
