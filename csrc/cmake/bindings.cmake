# One extension module per family: src/wordodds/_core/<family>.pyx over include/wordodds/<family>/.
set(families linear bayes sparse text score tally arrow base)
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

# By one process, which takes a third of what one for each module does.
set(transpiled ${families})
list(TRANSFORM transpiled PREPEND ${generated_dir}/)
list(TRANSFORM transpiled APPEND .cpp)
set(bindings ${families})
list(TRANSFORM bindings PREPEND ${core_dir}/)
list(TRANSFORM bindings APPEND .pyx)
file(GLOB included CONFIGURE_DEPENDS ${core_dir}/*.px[di])
set(transpile ${CMAKE_CURRENT_SOURCE_DIR}/tools/transpile.py)
add_custom_command(
  OUTPUT ${transpiled}
  COMMAND ${Python_EXECUTABLE} ${transpile}
          ${generated_dir} --shared=wordodds._core.memoryviews -- ${bindings}
  DEPENDS ${transpile} ${bindings} ${included}
  COMMENT "Bindings from Cython to C++"
  VERBATIM)

foreach(family IN LISTS families)
  add_binding(${family} ${generated_dir}/${family}.cpp)
  target_precompile_headers(${family} REUSE_FROM memoryviews)
  target_include_directories(${family} PRIVATE ${core_dir})
  target_link_libraries(${family} PRIVATE engine_in_use)
endforeach()
