# SPDX-License-Identifier: Apache-2.0
# The simulated file system, for tests and fuzz targets. Much of their time goes
# by in it, so it is compiled as the library is.
include_guard()
add_library(tamis_simulated_disk OBJECT
  ${CMAKE_CURRENT_LIST_DIR}/power_cut.cc
  ${CMAKE_CURRENT_LIST_DIR}/simulated_disk.cc
  ${CMAKE_CURRENT_LIST_DIR}/simulated_file_system.cc)
target_link_libraries(tamis_simulated_disk PRIVATE tamis_flags tamis_warnings)
tamis_precompile(tamis_simulated_disk)
