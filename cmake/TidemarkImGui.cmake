# Dear ImGui 1.92 (docking) and its GLFW/OpenGL3 backends from the imgui-bundle archive, and the fonts that travel with it.
#
#   tidemark_imgui_headers   include folders and definitions: what the window's code compiles against
#   tidemark_imgui           the library that the program links
#   tidemark_imgui_testing   the same with the test engine's hooks, and the engine itself: linked by tests/gui only. (The test
#                            engine's licence is free for open source; nothing of it is in the program.)
find_package(glfw3 3.3 REQUIRED)
set(OpenGL_GL_PREFERENCE GLVND)
find_package(OpenGL REQUIRED)

set(TIDEMARK_IMGUI_BUNDLE "${TIDEMARK_DEPS}/imgui-bundle")
set(TIDEMARK_IMGUI_SOURCE "${TIDEMARK_IMGUI_BUNDLE}/external/imgui/imgui")
set(TIDEMARK_TEST_ENGINE_SOURCE "${TIDEMARK_IMGUI_BUNDLE}/external/imgui_test_engine/imgui_test_engine")
if(NOT EXISTS "${TIDEMARK_IMGUI_SOURCE}/imgui.h")
  message(FATAL_ERROR "Dear ImGui's sources are not in ${TIDEMARK_IMGUI_SOURCE}. Run ./run once: it fetches them; or configure "
                      "with -DTIDEMARK_GUI=OFF to build without the window.")
endif()

add_library(tidemark_imgui_headers INTERFACE)
target_include_directories(tidemark_imgui_headers SYSTEM INTERFACE
  "${TIDEMARK_IMGUI_SOURCE}" "${TIDEMARK_IMGUI_SOURCE}/backends"
  "${TIDEMARK_IMGUI_BUNDLE}/external/nanovg/nanovg/example"           # stb_image_write.h: screenshots
  "${TIDEMARK_IMGUI_BUNDLE}/external/hello_imgui/hello_imgui/src")    # hello_imgui/icons_font_awesome_6.h: code points
# 32-bit indices: a timeline of 2,000 columns and nine categories does not fit in 65,536 vertices.
target_compile_definitions(tidemark_imgui_headers INTERFACE
  "ImDrawIdx=unsigned int" IMGUI_DISABLE_OBSOLETE_FUNCTIONS IMGUI_DEFINE_MATH_OPERATORS GLFW_INCLUDE_NONE)

function(tidemark_add_imgui name)
  set(sources imgui imgui_draw imgui_stacklayout imgui_tables imgui_widgets backends/imgui_impl_glfw backends/imgui_impl_opengl3)
  list(TRANSFORM sources PREPEND "${TIDEMARK_IMGUI_SOURCE}/")
  list(TRANSFORM sources APPEND ".cpp")
  add_library(${name} STATIC ${sources} ${ARGN})
  # Its own speed decides ours, so it is optimised in every build type.
  target_compile_options(${name} PRIVATE -O2 -w)
  target_link_libraries(${name} PUBLIC tidemark_imgui_headers glfw OpenGL::GL ${CMAKE_DL_LIBS})
endfunction()

tidemark_add_imgui(tidemark_imgui)
target_compile_definitions(tidemark_imgui PRIVATE IMGUI_DISABLE_DEMO_WINDOWS)

if(TIDEMARK_TESTS)
  file(GLOB engine_sources "${TIDEMARK_TEST_ENGINE_SOURCE}/imgui_test_engine/*.cpp")
  list(FILTER engine_sources EXCLUDE REGEX "python_gil")
  tidemark_add_imgui(tidemark_imgui_testing ${engine_sources} "${TIDEMARK_IMGUI_SOURCE}/imgui_demo.cpp")
  target_include_directories(tidemark_imgui_testing SYSTEM PUBLIC "${TIDEMARK_TEST_ENGINE_SOURCE}")
  target_compile_definitions(tidemark_imgui_testing PUBLIC
    IMGUI_ENABLE_TEST_ENGINE IMGUI_TEST_ENGINE_ENABLE_COROUTINE_STDTHREAD_IMPL=1)
  target_link_libraries(tidemark_imgui_testing PUBLIC Threads::Threads)
  set_target_properties(tidemark_imgui_testing PROPERTIES EXCLUDE_FROM_ALL ON)
endif()

# The faces: Roboto for words, Inconsolata for numbers, Font Awesome for icons.
set(TIDEMARK_FONT_SOURCE "${TIDEMARK_IMGUI_BUNDLE}/bindings/imgui_bundle/assets/fonts")
set(font_outputs)
foreach(font Roboto/Roboto-Regular.ttf Roboto/Roboto-Bold.ttf Inconsolata-Medium.ttf Font_Awesome_6_Free-Solid-900.otf)
  get_filename_component(file "${font}" NAME)
  add_custom_command(OUTPUT "${TIDEMARK_SHARE_DIRECTORY}/fonts/${file}"
    COMMAND "${CMAKE_COMMAND}" -E copy "${TIDEMARK_FONT_SOURCE}/${font}" "${TIDEMARK_SHARE_DIRECTORY}/fonts/${file}"
    DEPENDS "${TIDEMARK_FONT_SOURCE}/${font}" VERBATIM)
  list(APPEND font_outputs "${TIDEMARK_SHARE_DIRECTORY}/fonts/${file}")
endforeach()
add_custom_target(tidemark_fonts DEPENDS ${font_outputs})
