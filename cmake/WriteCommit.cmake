# SPDX-License-Identifier: Apache-2.0
cmake_minimum_required(VERSION 3.21)
# Writes ${header}, which defines TAMIS_COMMIT: the commit of ${source}, with
# "-dirty" if files differ from it, or "unknown". An unchanged header is left.
find_package(Git QUIET)
set(commit "")
if(GIT_FOUND AND EXISTS ${source}/.git)
  execute_process(
    COMMAND ${GIT_EXECUTABLE} -C ${source} describe --always --dirty
            --abbrev=12 --exclude=*
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(commit STREQUAL "")
  set(commit "unknown")
endif()
file(CONFIGURE OUTPUT ${header} @ONLY CONTENT
  "#pragma once\n#define TAMIS_COMMIT \"@commit@\"\n")
