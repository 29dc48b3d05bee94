# SPDX-License-Identifier: Apache-2.0
# The pretty-printers of tools/gdb, on a program that stops with known values.
find_program(gdb_program gdb)
mark_as_advanced(gdb_program)
if(TAMIS_SANITIZE)
  return()
endif()
if(NOT gdb_program)
  if(TAMIS_REQUIRE_PEERS)
    message(FATAL_ERROR "gdb is missing; Debian: gdb")
  endif()
  return()
endif()

add_executable(tamis_gdb_values ${CMAKE_CURRENT_LIST_DIR}/values.cc)
target_compile_options(tamis_gdb_values PRIVATE -g -O0)
target_link_libraries(tamis_gdb_values PRIVATE
  tamis_flags tamis_warnings tamis_codecs ${tamis_objects})
add_test(NAME gdb.ValuesAreReadable
         COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/print.sh ${gdb_program}
                 $<TARGET_FILE:tamis_gdb_values>
                 ${PROJECT_SOURCE_DIR}/tools/gdb/tamis_gdb.py)
