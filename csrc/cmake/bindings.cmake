# One extension module per family: src/wordodds/_core/<family>.pyx over include/wordodds/<family>/.
include(UseCython)

set(core_dir ${CMAKE_CURRENT_SOURCE_DIR}/../src/wordodds/_core)

function(add_binding name)  # add_binding(NAME SOURCE...)
  Python_add_library(${name} MODULE WITH_SOABI ${ARGN})
  # All loops over data are in the engine; what converts arguments builds faster with less.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  target_compile_definitions(${name} PRIVATE PY_SSIZE_T_CLEAN)
  # All modules share their precompiled headers, and so must have the same definitions.
  set_target_properties(${name} PROPERTIES DEFINE_SYMBOL "")
  install(TARGETS ${name} DESTINATION wordodds/_core)
endfunction()

# Cython's memoryview code, compiled once instead of in every module.
set(memoryviews ${generated_dir}/memoryviews.cpp)
add_custom_command(
  OUTPUT ${memoryviews}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${generated_dir}
  COMMAND ${Python_EXECUTABLE} -m cython --cplus --generate-shared=${memoryviews}
  COMMENT "Memoryviews for all modules"
  VERBATIM)
add_binding(memoryviews ${memoryviews})
target_precompile_headers(memoryviews PRIVATE
  <Python.h> <atomic> <cmath> <cstdint> <functional> <ios> <memory> <new> <span> <stdexcept> <string> <string_view>
  <typeinfo> <utility> <variant> <vector>)

foreach(family IN ITEMS linear bayes sparse text score tally arrow base)
  cython_transpile(${core_dir}/${family}.pyx LANGUAGE CXX
                   MODULE_NAME wordodds._core.${family} OUTPUT_VARIABLE transpiled
                   CYTHON_ARGS --shared=wordodds._core.memoryviews)
  add_binding(${family} ${transpiled})
  target_precompile_headers(${family} REUSE_FROM memoryviews)
  target_include_directories(${family} PRIVATE ${core_dir})
  target_link_libraries(${family} PRIVATE engine_in_use)
endforeach()
