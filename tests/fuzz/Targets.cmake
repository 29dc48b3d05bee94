# SPDX-License-Identifier: Apache-2.0
# What the fuzzer and the replay of the corpus have in common: the sources of
# the targets and of the mutators, and fuzz_targets.inc, which lists the
# targets. Every target defines LLVMFuzzerTestOneInput; here each has the name
# of its file, so that one program holds them all.
set(fuzz_dir ${CMAKE_CURRENT_LIST_DIR})
file(GLOB fuzz_targets CONFIGURE_DEPENDS ${fuzz_dir}/*_fuzz.cc)
file(GLOB fuzz_mutators CONFIGURE_DEPENDS ${fuzz_dir}/mutat*.cc)
list(FILTER fuzz_mutators EXCLUDE REGEX "_test\\.cc$")
set(fuzz_names "")
set(fuzz_list "")
foreach(source ${fuzz_targets})
  get_filename_component(name ${source} NAME_WE)
  set_source_files_properties(${source} PROPERTIES
    COMPILE_DEFINITIONS LLVMFuzzerTestOneInput=${name})
  list(APPEND fuzz_names ${name})
  string(APPEND fuzz_list "TAMIS_FUZZ_TARGET(${name})\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/fuzz/fuzz_targets.inc
     CONTENT "${fuzz_list}")

# Of the tools, what parses words.
find_package(gflags CONFIG REQUIRED)
add_library(tamis_fuzz_targets OBJECT ${fuzz_targets} ${fuzz_mutators}
  ${PROJECT_SOURCE_DIR}/tools/hex.cc
  ${PROJECT_SOURCE_DIR}/tools/command_help.cc
  ${PROJECT_SOURCE_DIR}/tools/command_table.cc
  ${PROJECT_SOURCE_DIR}/tools/json_text.cc
  ${PROJECT_SOURCE_DIR}/tools/tool_main.cc
  ${PROJECT_SOURCE_DIR}/tools/tamis_ldb/flags.cc
  ${PROJECT_SOURCE_DIR}/tools/tamis_ldb/words.cc)
target_link_libraries(tamis_fuzz_targets
  PUBLIC tamis_flags tamis_codecs gflags PRIVATE tamis_warnings)
# Some compare with the codecs' own libraries.
target_compile_definitions(tamis_fuzz_targets PRIVATE ${codec_definitions})
target_include_directories(tamis_fuzz_targets
  PUBLIC ${CMAKE_CURRENT_BINARY_DIR}/fuzz)
tamis_precompile(tamis_fuzz_targets)
if(NOT TARGET tamis_simulated_disk)
  include(${fuzz_dir}/../support/SimulatedDisk.cmake)
endif()
set(fuzz_objects tamis_fuzz_targets tamis_simulated_disk ${tamis_objects})
