# SPDX-License-Identifier: Apache-2.0
# The fuzz targets without a fuzzer: fuzz_tests sends every input of the corpus
# through its target and tests the mutators, make_corpus writes the corpus anew:
#
#   make_corpus <recorded data> tests/fuzz/corpus
include(fuzz/Targets.cmake)
file(GLOB fuzz_tests CONFIGURE_DEPENDS ${fuzz_dir}/*_test.cc)
add_executable(fuzz_tests ${fuzz_tests})
target_compile_definitions(fuzz_tests PRIVATE
  TAMIS_FUZZ_CORPUS="${fuzz_dir}/corpus")
target_link_libraries(fuzz_tests PRIVATE tamis_warnings ${fuzz_objects}
  GTest::gtest_main tamis_test_support)
tamis_register(fuzz_tests fuzz 300 "")

add_executable(make_corpus
  ${fuzz_dir}/make_corpus.cc ${fuzz_dir}/make_corpus_databases.cc
  ${fuzz_dir}/make_corpus_inputs.cc ${fuzz_dir}/make_corpus_tables.cc)
target_link_libraries(make_corpus PRIVATE tamis_warnings ${fuzz_objects})
