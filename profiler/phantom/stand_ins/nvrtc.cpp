// NVRTC: programs are taken as they are and never compiled, since no kernel runs. What stands for the
// compiled code is only handed on to the driver (driver_modules.cpp), which does not look at it.
#include <cstring>
#include <list>
#include <string>

#include "tidemark_library_versions.h"

// NVRTC declares it and leaves what it is to itself.
struct _nvrtcProgram {
  std::list<std::string> expressions;  // pointers to their names last as long as the program
};

namespace {

// From nvrtc.h, whose package is not needed to build.
using Program = _nvrtcProgram*;
using Result = int;
constexpr Result kSuccess = 0;
constexpr Result kNoNameBeforeCompilation = 10;
// An empty text, with its end.
constexpr size_t kNothingBytes = 1;

Result GiveSize(size_t* bytes) {
  *bytes = kNothingBytes;
  return kSuccess;
}

Result GiveNothing(char* text) {
  *text = '\0';
  return kSuccess;
}

}  // namespace

extern "C" {

Result nvrtcVersion(int* major, int* minor) {
  *major = TIDEMARK_CUDA_VERSION / 1000;
  *minor = TIDEMARK_CUDA_VERSION % 1000 / 10;
  return kSuccess;
}

const char* nvrtcGetErrorString(Result result) {
  return result == kSuccess ? "NVRTC_SUCCESS" : "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION";
}

Result nvrtcCreateProgram(Program* program, const char*, const char*, int, const char* const*,
                          const char* const*) {
  *program = new _nvrtcProgram;
  return kSuccess;
}

Result nvrtcDestroyProgram(Program* program) {
  delete *program;
  *program = nullptr;
  return kSuccess;
}

Result nvrtcCompileProgram(Program, int, const char* const*) { return kSuccess; }

Result nvrtcAddNameExpression(Program program, const char* expression) {
  program->expressions.emplace_back(expression);
  return kSuccess;
}

// Here a function is called what the program's text calls it.
Result nvrtcGetLoweredName(Program program, const char* expression, const char** name) {
  for (const std::string& known : program->expressions) {
    if (known == expression) {
      *name = known.c_str();
      return kSuccess;
    }
  }
  *name = nullptr;
  return kNoNameBeforeCompilation;
}

Result nvrtcGetPTXSize(Program, size_t* bytes) { return GiveSize(bytes); }
Result nvrtcGetPTX(Program, char* code) { return GiveNothing(code); }
Result nvrtcGetCUBINSize(Program, size_t* bytes) { return GiveSize(bytes); }
Result nvrtcGetCUBIN(Program, char* code) { return GiveNothing(code); }
Result nvrtcGetProgramLogSize(Program, size_t* bytes) { return GiveSize(bytes); }
Result nvrtcGetProgramLog(Program, char* log) { return GiveNothing(log); }

}  // extern "C"
