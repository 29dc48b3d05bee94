# SPDX-License-Identifier: Apache-2.0
# cmake -D source_dir= -D work_dir= -D compiler= -P nodiscard.cmake: a program
# that ignores a Status compiles with -Werror, unless it defines
# TAMIS_NODISCARD_STATUS.
file(MAKE_DIRECTORY ${work_dir})
file(WRITE ${work_dir}/ignores.cc "#include <tamis/db.h>
void Ignore(tamis::DB* db) { db->Put(tamis::WriteOptions(), \"k\", \"v\"); }
")

function(compiles expected)
  execute_process(
    COMMAND ${compiler} -std=c++20 -fsyntax-only -Wall -Wextra -Werror
            -I${source_dir}/include ${ARGN} ${work_dir}/ignores.cc
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(result EQUAL 0)
    set(found ON)
  else()
    set(found OFF)
  endif()
  if(NOT found STREQUAL expected)
    message(FATAL_ERROR "with ${ARGN}: compiles ${found}, not ${expected}:\n\
${output}")
  endif()
  if(NOT found AND NOT output MATCHES "nodiscard")
    message(FATAL_ERROR "it fails for another reason:\n${output}")
  endif()
endfunction()

compiles(ON)
compiles(OFF -DTAMIS_NODISCARD_STATUS)
