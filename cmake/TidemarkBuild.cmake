# Language, build type, where outputs go, and how to compile fast.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# Several files of a target are compiled as one: their headers are read once, which is most of a first build. So a name in
# an anonymous namespace is unique within its target. Who changes one file all day may prefer -DCMAKE_UNITY_BUILD=OFF.
option(CMAKE_UNITY_BUILD "Compile several files of a target as one" ON)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)

# The layout that profiler/base/paths.h expects.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(TIDEMARK_SHARE_DIRECTORY "${PROJECT_BINARY_DIR}/share/tidemark")

find_program(CCACHE_PROGRAM ccache)
find_program(ENV_PROGRAM env)
if(CCACHE_PROGRAM AND ENV_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Another checkout finds what this one compiled: names within it are relative to it, in what the compiler is asked and
  # (-ffile-prefix-map) in what it writes, so that the folder where it ran no longer matters (NOHASHDIR).
  # Sloppiness: what ccache's manual ("Precompiled headers") asks for before it caches what uses one; by content all the same.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${ENV_PROGRAM}" "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
    "CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime" "${CCACHE_PROGRAM}")
  add_compile_options("-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.")
endif()
find_program(MOLD_PROGRAM mold)
if(MOLD_PROGRAM)
  add_link_options(-fuse-ld=mold)
endif()
