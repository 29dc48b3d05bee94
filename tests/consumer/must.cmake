# SPDX-License-Identifier: Apache-2.0
# must(<name> <command>...): runs a command, and ends the test when it fails. Sets
# `output` to what it printed.
function(must name)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result
                  OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${name}: exit ${result}\n${output}${errors}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()
