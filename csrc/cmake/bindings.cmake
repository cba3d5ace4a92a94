# One extension module per family: src/wordodds/_core/<family>.pyx over include/wordodds/<family>/.
include(UseCython)

set(core_dir ${CMAKE_CURRENT_SOURCE_DIR}/../src/wordodds/_core)
foreach(family IN ITEMS base text arrow tally sparse bayes score)
  cython_transpile(${core_dir}/${family}.pyx LANGUAGE CXX
                   MODULE_NAME wordodds._core.${family} OUTPUT_VARIABLE transpiled)
  Python_add_library(${family} MODULE WITH_SOABI ${transpiled})
  target_include_directories(${family} PRIVATE ${core_dir})
  target_link_libraries(${family} PRIVATE wordodds_engine)
  install(TARGETS ${family} DESTINATION wordodds/_core)
endforeach()
