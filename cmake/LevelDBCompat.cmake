# SPDX-License-Identifier: Apache-2.0
# Tamis::leveldb_compat: headers with LevelDB's names, and tamis/leveldb_compat.h
# behind them, for sources that were written for LevelDB.
add_library(tamis_leveldb_compat INTERFACE)
add_library(Tamis::leveldb_compat ALIAS tamis_leveldb_compat)
set(leveldb_compat_include ${CMAKE_INSTALL_INCLUDEDIR}/tamis-leveldb)
target_include_directories(tamis_leveldb_compat BEFORE INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/facade/leveldb_compat>
  $<INSTALL_INTERFACE:${leveldb_compat_include}>)
target_link_libraries(tamis_leveldb_compat INTERFACE tamis)
set_target_properties(tamis_leveldb_compat PROPERTIES
  EXPORT_NAME leveldb_compat)

install(TARGETS tamis_leveldb_compat EXPORT TamisTargets)
install(DIRECTORY facade/leveldb_compat/leveldb
        DESTINATION ${leveldb_compat_include} COMPONENT dev)
configure_file(cmake/tamis_leveldb_compat.pc.in
               ${PROJECT_BINARY_DIR}/tamis_leveldb_compat.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tamis_leveldb_compat.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
