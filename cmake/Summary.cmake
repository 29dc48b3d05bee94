# SPDX-License-Identifier: Apache-2.0
# What was configured, in one table.
set(library_kind static)
if(TAMIS_BUILD_SHARED)
  set(library_kind shared)
endif()
set(sanitizers none)
if(TAMIS_SANITIZE)
  set(sanitizers ${TAMIS_SANITIZE})
endif()
list(JOIN codecs_found " " codecs_text)
set(compiler "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")

message(STATUS "Tamis ${PROJECT_VERSION}")
foreach(row
    "build type|${CMAKE_BUILD_TYPE}" "compiler|${compiler}"
    "library|${library_kind}" "sanitizers|${sanitizers}"
    "codecs|${codecs_text}" "xxhash (header only)|${xxhash_VERSION}"
    "tools|${TAMIS_BUILD_TOOLS}" "tests|${TAMIS_BUILD_TESTS}"
    "fuzz targets|${TAMIS_BUILD_FUZZERS}" "binaries|${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  string(REPLACE "|" ";" cells "${row}")
  list(GET cells 0 name)
  list(GET cells 1 value)
  string(LENGTH "${name}" length)
  math(EXPR padding "22 - ${length}")
  string(REPEAT " " ${padding} spaces)
  message(STATUS "  ${name}${spaces}${value}")
endforeach()
