// Functions of the driver that is already loaded (LibTorch is linked with it), which is the stand-in and
// never one of the machine. Through it, what watches the driver sees what other libraries ask of it. Any
// thread; O(1) but for the loader's own look.
#pragma once

#include <string>

namespace tidemark::phantom {

// None where it has no such function, or no driver is loaded.
void* DriverFunction(const std::string& name);
// The driver exports the newest form of a function under a numbered name, and the oldest under the plain one.
void* NewestDriverFunction(const std::string& name);

}  // namespace tidemark::phantom
