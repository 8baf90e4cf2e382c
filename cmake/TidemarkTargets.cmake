# tidemark_library(NAME [SOURCES ...] [LINKS ...]): a folder is a target. Its headers are included by their path from the
# top ("profiler/base/result.h"); which of them a target may include is held by its link edges and tests/architecture.
add_library(tidemark_warnings INTERFACE)
target_compile_options(tidemark_warnings INTERFACE -Wall -Wextra -Wconversion -Wno-sign-conversion -Wshadow -Werror)
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(tidemark_warnings INTERFACE -Wno-subobject-linkage)  # takes the sources in a batch for headers
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(tidemark_warnings INTERFACE -Wno-restrict)  # false alarms in std::string::insert
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(tidemark_warnings INTERFACE -Wthread-safety)
endif()

add_library(tidemark_sanitizers INTERFACE)
foreach(sanitizer IN LISTS TIDEMARK_SANITIZE)
  target_compile_options(tidemark_sanitizers INTERFACE
    -fsanitize=${sanitizer} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(tidemark_sanitizers INTERFACE -fsanitize=${sanitizer})
endforeach()

# For shared libraries: that every symbol is found is checked when they are linked. Clang puts its sanitizers' runtime into
# programs only.
add_library(tidemark_no_undefined INTERFACE)
if(NOT (TIDEMARK_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang"))
  target_link_options(tidemark_no_undefined INTERFACE -Wl,-z,defs)
endif()

function(tidemark_target_settings target)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${target} PRIVATE tidemark_warnings tidemark_sanitizers)
endfunction()

# tidemark_sources_of(FOLDER LIST [FILE...]): adds sources of another folder to a list, for a target that compiles them along;
# without files all that the folder's library has.
function(tidemark_sources_of folder list)
  set(sources ${ARGN})
  if(NOT sources)
    get_property(library DIRECTORY "${PROJECT_SOURCE_DIR}/${folder}" PROPERTY BUILDSYSTEM_TARGETS)
    get_target_property(sources ${library} SOURCES)
  endif()
  list(TRANSFORM sources PREPEND "${PROJECT_SOURCE_DIR}/${folder}/")
  set(${list} ${${list}} ${sources} PARENT_SCOPE)
endfunction()

function(tidemark_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_library(tidemark_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(tidemark_${name} PUBLIC ${ARG_LINKS})
  tidemark_target_settings(tidemark_${name})
endfunction()

# tidemark_assets(FOLDER): assets/FOLDER as the running program finds it (profiler/base/paths.h). A link, so that a file
# added there is there at once.
function(tidemark_assets folder)
  file(MAKE_DIRECTORY "${TIDEMARK_SHARE_DIRECTORY}")
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/assets/${folder}" "${TIDEMARK_SHARE_DIRECTORY}/${folder}" SYMBOLIC)
endfunction()
