# Imported targets for everything that we did not write. System libraries come from the distribution; LibTorch, the CUDA
# headers, CUPTI and Dear ImGui from the archives that cmake/install_dependencies.sh unpacked into .deps.
set(TIDEMARK_DEPS "${PROJECT_SOURCE_DIR}/.deps" CACHE PATH "Folder with the unpacked archives")

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(sqlite REQUIRED IMPORTED_TARGET sqlite3)
find_package(ZLIB REQUIRED)

if(TIDEMARK_TORCH)
  # The one that the trainer is built with. Stand-ins alone are also built for a user's (target tidemark_phantom_stand_ins).
  set(TIDEMARK_SITE "${TIDEMARK_DEPS}/site" CACHE PATH "The folder that holds torch/")
  if(NOT EXISTS "${TIDEMARK_SITE}/torch/lib/libtorch_cuda.so")
    message(FATAL_ERROR "LibTorch is not in ${TIDEMARK_SITE}. Run cmake/install_dependencies.sh (or ./run): it fetches it; or "
                        "configure with -DTIDEMARK_TORCH=OFF (preset core) to build without the trainer.")
  endif()
  # Headers of the CUDA runtime, driver and CUPTI: from the pinned wheels, never from a toolkit on the machine.
  add_library(tidemark_cuda_headers INTERFACE)
  set(TIDEMARK_CUDA13_INCLUDE "${TIDEMARK_DEPS}/site/nvidia/cu13/include")
  # CUDA 12's runtime wheel lacks the crt/ headers, which have not changed.
  execute_process(COMMAND readelf --dynamic --wide "${TIDEMARK_SITE}/torch/lib/libc10_cuda.so"
    OUTPUT_VARIABLE tidemark_needed COMMAND_ERROR_IS_FATAL ANY)
  if(tidemark_needed MATCHES "libcudart\\.so\\.12")
    set(TIDEMARK_CUDA_INCLUDE "${TIDEMARK_DEPS}/cuda12/nvidia/cuda_runtime/include" "${TIDEMARK_CUDA13_INCLUDE}")
  elseif(tidemark_needed MATCHES "libcudart\\.so\\.13")
    set(TIDEMARK_CUDA_INCLUDE "${TIDEMARK_CUDA13_INCLUDE}")
  else()
    message(FATAL_ERROR "${TIDEMARK_SITE}/torch was built with neither CUDA 12 nor CUDA 13.")
  endif()
  target_include_directories(tidemark_cuda_headers SYSTEM INTERFACE ${TIDEMARK_CUDA_INCLUDE})
  # Until 2.6, official wheels were built with the strings of before C++11.
  execute_process(COMMAND nm --dynamic --defined-only "${TIDEMARK_SITE}/torch/lib/libc10.so"
    OUTPUT_VARIABLE tidemark_symbols COMMAND_ERROR_IS_FATAL ANY)
  string(FIND "${tidemark_symbols}" "_ZN3c105ErrorC1ENS_14SourceLocationENSt7__cxx11" tidemark_new_strings)
  set(TIDEMARK_TORCH_CXX11_ABI 1)
  if(tidemark_new_strings EQUAL -1)
    set(TIDEMARK_TORCH_CXX11_ABI 0)
  endif()

  add_library(tidemark_libtorch INTERFACE)
  target_include_directories(tidemark_libtorch SYSTEM INTERFACE "${PROJECT_SOURCE_DIR}/cmake/cuda_handles"
    "${TIDEMARK_SITE}/torch/include" "${TIDEMARK_SITE}/torch/include/torch/csrc/api/include")
  target_link_directories(tidemark_libtorch INTERFACE "${TIDEMARK_SITE}/torch/lib")
  # What these need in turn (cuBLAS, cuDNN, ...) is found at run time: NVIDIA's wheels beside torch, or the stand-ins.
  target_link_libraries(tidemark_libtorch INTERFACE tidemark_cuda_headers
    -Wl,--no-as-needed torch_cuda torch_cpu c10_cuda c10 -Wl,--as-needed -Wl,--allow-shlib-undefined)
  target_link_options(tidemark_libtorch INTERFACE
    "-Wl,--disable-new-dtags,-rpath,${TIDEMARK_SITE}/torch/lib:${TIDEMARK_SITE}/nvidia/cu13/lib")
endif()

if(TIDEMARK_ARROW)
  include(TidemarkArrow)
endif()

if(TIDEMARK_GUI)
  include(TidemarkImGui)
endif()
