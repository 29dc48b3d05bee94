# SPDX-License-Identifier: Apache-2.0
# tamis_flags: what every source of ours is compiled with, and everything that
# links it. tamis_warnings: what we hold ourselves to.
foreach(oldest GNU:12 Clang:14)
  string(REPLACE ":" ";" oldest ${oldest})
  list(GET oldest 0 compiler)
  list(GET oldest 1 version_needed)
  if(CMAKE_CXX_COMPILER_ID STREQUAL compiler AND
     CMAKE_CXX_COMPILER_VERSION VERSION_LESS version_needed)
    message(WARNING "${CMAKE_CXX_COMPILER} is ${compiler} \
${CMAKE_CXX_COMPILER_VERSION}: Tamis needs ${version_needed} or later; \
-DCMAKE_CXX_COMPILER=... names another compiler")
  endif()
endforeach()

add_library(tamis_flags INTERFACE)
target_compile_features(tamis_flags INTERFACE cxx_std_20)
target_include_directories(tamis_flags INTERFACE
  ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# A shared library exports what include/tamis/export.h marks.
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

# Where Tamis is a subdirectory of a project without a build type or flags of
# its own, g++ would not optimise at all.
get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
get_directory_property(directory_options COMPILE_OPTIONS)
if(NOT CMAKE_BUILD_TYPE AND NOT multi_config AND
   NOT "${CMAKE_CXX_FLAGS} ${directory_options}" MATCHES "-O")
  target_compile_options(tamis_flags INTERFACE -O2)
  message(STATUS "Tamis: CMAKE_BUILD_TYPE is not set; Tamis's own sources are \
compiled with -O2 (CMAKE_BUILD_TYPE=Debug leaves them as they are)")
endif()

if(TAMIS_SANITIZE)
  target_compile_options(tamis_flags INTERFACE -fsanitize=${TAMIS_SANITIZE}
    -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(tamis_flags INTERFACE -fsanitize=${TAMIS_SANITIZE})
endif()

add_library(tamis_warnings INTERFACE)
# A Status that is ignored is a warning.
target_compile_definitions(tamis_warnings INTERFACE TAMIS_NODISCARD_STATUS)
target_compile_options(tamis_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
  -Wold-style-cast -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align
  -Wcast-qual -Wimplicit-fallthrough -Wundef -Wextra-semi
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety -Wthread-safety-beta
                             -Wunreachable-code>
  # g++ 12 sees overlaps and sizes in inlined std::string calls that are not
  # there (its bugs 105651 and 105329).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-array-bounds>
  $<$<BOOL:${TAMIS_WERROR}>:-Werror>)
if(TAMIS_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # With a sanitizer's checks in between, g++ takes moved-from parts of inlined
  # standard classes for uninitialized (std::regex); its manual warns of it.
  target_compile_options(tamis_warnings INTERFACE -Wno-maybe-uninitialized)
endif()

# Half of a compilation is the standard library's headers: they are compiled
# once. Sources name what they use all the same; ./dev clang builds without.
option(TAMIS_PRECOMPILE "Precompile the standard headers" ON)
set(for_size $<$<CONFIG:Release,RelWithDebInfo>:-Os>)
if(TAMIS_PRECOMPILE)
  file(WRITE ${PROJECT_BINARY_DIR}/standard_headers.cc "")
  foreach(kind "" _for_size)
    add_library(tamis_standard_headers${kind} OBJECT
      ${PROJECT_BINARY_DIR}/standard_headers.cc)
    target_link_libraries(tamis_standard_headers${kind}
      PRIVATE tamis_flags tamis_warnings)
    target_precompile_headers(tamis_standard_headers${kind} PRIVATE
      <algorithm> <array> <atomic> <condition_variable> <cstdint> <cstring>
      <deque> <functional> <map> <memory> <mutex> <optional> <set> <span>
      <string> <string_view> <unordered_map> <utility> <vector>)
  endforeach()
  target_compile_options(tamis_standard_headers_for_size PRIVATE ${for_size})
endif()

function(tamis_precompile target)
  if(TAMIS_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM tamis_standard_headers)
  endif()
endfunction()

# tamis_compile_for_size(<target>): what no read, write or compaction spends its
# time in has half the code so, and compiles faster.
function(tamis_compile_for_size target)
  target_compile_options(${target} PRIVATE ${for_size})
  if(TAMIS_PRECOMPILE)
    target_precompile_headers(${target}
      REUSE_FROM tamis_standard_headers_for_size)
  endif()
endfunction()

# Sixteen sources of a target are compiled as one: what they share is read and
# instantiated once. ALONE names the sources that are compiled by themselves:
# they use a hidden name of another source, or have a member of a hidden type,
# or reads and writes go through them. ./dev clang compiles each source alone.
option(TAMIS_UNITY "Compile sixteen sources as one" ON)
set(tamis_alone "")

# tamis_compile_together(<target> [ALONE <file>...])
macro(tamis_compile_together target)
  cmake_parse_arguments(together "" "" ALONE ${ARGN})
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ${TAMIS_UNITY} UNITY_BUILD_BATCH_SIZE 16)
  set_source_files_properties(${together_ALONE} PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON)
  list(APPEND tamis_alone ${together_ALONE})
endmacro()
