// What to tell people of CUPTI's answers. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "profiler/capture/cupti/functions.h"

namespace tidemark::capture::cupti {

// "13.0" from what cuptiGetVersion says: 130001; 26 is CUDA 12's.
std::string VersionText(uint32_t version);
int MajorVersion(uint32_t version);

// Why nothing of the driver is recorded. `holder` = who holds CUPTI, "" = not known.
std::string RefusalSentence(Code code, uint32_t version, std::string_view holder);

// Why nothing of the driver is recorded any more: the program itself asked for CUPTI, by the code of that
// library ("libtorch_cpu.so" is torch.profiler).
std::string GivenUpSentence(std::string_view library);

}  // namespace tidemark::capture::cupti
