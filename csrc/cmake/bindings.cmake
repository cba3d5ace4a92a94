# One extension module per family: src/wordodds/_core/<family>.pyx over include/wordodds/<family>/.
include(UseCython)

set(core_dir ${CMAKE_CURRENT_SOURCE_DIR}/../src/wordodds/_core)
foreach(family IN ITEMS base text arrow tally sparse bayes linear score)
  cython_transpile(${core_dir}/${family}.pyx LANGUAGE CXX
                   MODULE_NAME wordodds._core.${family} OUTPUT_VARIABLE transpiled)
  Python_add_library(${family} MODULE WITH_SOABI ${transpiled})
  target_include_directories(${family} PRIVATE ${core_dir})
  target_link_libraries(${family} PRIVATE engine_in_use)
  # All loops over data are in the engine; what converts arguments builds faster with less.
  target_compile_options(${family} PRIVATE $<$<CONFIG:Release>:-O1>)
  install(TARGETS ${family} DESTINATION wordodds/_core)
endforeach()
