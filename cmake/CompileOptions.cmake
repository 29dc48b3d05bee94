# SPDX-License-Identifier: Apache-2.0
# tamis_flags: what every source of ours is compiled with, and everything that
# links it. tamis_warnings: what we hold ourselves to.
add_library(tamis_flags INTERFACE)
target_compile_features(tamis_flags INTERFACE cxx_std_20)
target_include_directories(tamis_flags INTERFACE
  ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET default)

if(TAMIS_SANITIZE)
  target_compile_options(tamis_flags INTERFACE -fsanitize=${TAMIS_SANITIZE}
    -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(tamis_flags INTERFACE -fsanitize=${TAMIS_SANITIZE})
endif()

add_library(tamis_warnings INTERFACE)
target_compile_options(tamis_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
  -Wold-style-cast -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align
  -Wcast-qual -Wimplicit-fallthrough -Wundef -Wextra-semi
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety -Wthread-safety-beta
                             -Wunreachable-code>
  # g++ 12 sees an overlap in "literal" + std::string that is not there (its
  # bug 105651).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  $<$<BOOL:${TAMIS_WERROR}>:-Werror>)
