# SPDX-License-Identifier: Apache-2.0
# The fuzz targets without a fuzzer: fuzz_tests sends every input of the corpus
# through its target, make_corpus writes the corpus anew:
#
#   make_corpus <recorded data> tests/fuzz/corpus
#
# Every target defines LLVMFuzzerTestOneInput; here each has its file's name.
set(fuzz_dir ${CMAKE_CURRENT_SOURCE_DIR}/fuzz)
file(GLOB fuzz_sources CONFIGURE_DEPENDS ${fuzz_dir}/*_fuzz.cc)
set(fuzz_list "")
foreach(source ${fuzz_sources})
  get_filename_component(name ${source} NAME_WE)
  set_source_files_properties(${source} PROPERTIES
    COMPILE_DEFINITIONS LLVMFuzzerTestOneInput=${name})
  string(APPEND fuzz_list "TAMIS_FUZZ_TARGET(${name})\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/fuzz/fuzz_targets.inc
     CONTENT "${fuzz_list}")

set(fuzz_objects tamis_util tamis_filter tamis_table tamis_db)
add_executable(fuzz_tests ${fuzz_sources} ${fuzz_dir}/replay_test.cc)
target_include_directories(fuzz_tests PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/fuzz)
target_compile_definitions(fuzz_tests PRIVATE
  TAMIS_FUZZ_CORPUS="${fuzz_dir}/corpus")
target_link_libraries(fuzz_tests PRIVATE tamis_flags tamis_warnings
  tamis_codecs ${fuzz_objects} GTest::gtest_main)
tamis_register(fuzz_tests fuzz 300 "")

add_executable(make_corpus ${fuzz_dir}/make_corpus.cc)
target_link_libraries(make_corpus PRIVATE tamis_flags tamis_warnings
  tamis_codecs ${fuzz_objects})
