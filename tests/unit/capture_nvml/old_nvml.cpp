// A library that calls itself NVML, of a driver that has next to nothing of it.
extern "C" __attribute__((visibility("default"))) int nvmlInit_v2() { return 0; }
