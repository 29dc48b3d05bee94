# SPDX-License-Identifier: Apache-2.0
# Tamis::rocksdb_compat: headers with RocksDB's names, and Tamis behind them. A
# program that was written for RocksDB links this target in place of RocksDB's,
# and is compiled again; nothing else changes.
add_library(tamis_rocksdb_compat INTERFACE)
add_library(Tamis::rocksdb_compat ALIAS tamis_rocksdb_compat)
set(compat_include ${CMAKE_INSTALL_INCLUDEDIR}/tamis-rocksdb)
target_include_directories(tamis_rocksdb_compat BEFORE INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/facade/rocksdb>
  $<INSTALL_INTERFACE:${compat_include}>)
target_link_libraries(tamis_rocksdb_compat INTERFACE tamis)
set_target_properties(tamis_rocksdb_compat PROPERTIES
  EXPORT_NAME rocksdb_compat)

install(TARGETS tamis_rocksdb_compat EXPORT TamisTargets)
install(DIRECTORY facade/rocksdb/rocksdb DESTINATION ${compat_include}
        COMPONENT dev)
configure_file(cmake/tamis_rocksdb_compat.pc.in
               ${PROJECT_BINARY_DIR}/tamis_rocksdb_compat.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tamis_rocksdb_compat.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
