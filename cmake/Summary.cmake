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
if(codecs_missing)
  list(JOIN codecs_missing " " missing_text)
  string(APPEND codecs_text " (not installed: ${missing_text})")
endif()
set(tests_text ${TAMIS_BUILD_TESTS})
if(NOT TAMIS_BUILD_TESTS)
  set(tests_text "OFF (-DTAMIS_BUILD_TESTS=ON builds them)")
endif()
set(parallel "")
if(CMAKE_GENERATOR MATCHES Makefiles)
  cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
  set(parallel " --parallel ${cores}")
endif()
set(compiler "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")

message(STATUS "Tamis ${PROJECT_VERSION}")
foreach(row
    "build type|${CMAKE_BUILD_TYPE}" "compiler|${compiler}"
    "library|${library_kind}" "sanitizers|${sanitizers}"
    "codecs|${codecs_text}"
    "tools|${TAMIS_BUILD_TOOLS}" "tests|${tests_text}"
    "fuzz targets|${TAMIS_BUILD_FUZZERS}" "binaries|${CMAKE_RUNTIME_OUTPUT_DIRECTORY}"
    "build it with|cmake --build ${PROJECT_BINARY_DIR}${parallel}")
  string(REPLACE "|" ";" cells "${row}")
  list(GET cells 0 name)
  list(GET cells 1 value)
  string(LENGTH "${name}" length)
  math(EXPR padding "22 - ${length}")
  string(REPEAT " " ${padding} spaces)
  message(STATUS "  ${name}${spaces}${value}")
endforeach()
