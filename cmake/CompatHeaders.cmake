# SPDX-License-Identifier: Apache-2.0
# Tamis::rocksdb_compat and Tamis::leveldb_compat: headers with that engine's
# names, and Tamis behind them. A program that was written for the engine links
# the target in its place, and is compiled again; nothing else changes.

# tamis_compat_headers(<peer> <its name> <folder that has the folder peer/>)
function(tamis_compat_headers peer peer_name folder)
  set(target tamis_${peer}_compat)
  set(include ${CMAKE_INSTALL_INCLUDEDIR}/tamis-${peer})
  add_library(${target} INTERFACE)
  add_library(Tamis::${peer}_compat ALIAS ${target})
  target_include_directories(${target} BEFORE INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/${folder}>
    $<INSTALL_INTERFACE:${include}>)
  target_link_libraries(${target} INTERFACE tamis)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${peer}_compat)

  install(TARGETS ${target} EXPORT TamisTargets)
  install(DIRECTORY ${folder}/${peer} DESTINATION ${include} COMPONENT dev)
  configure_file(cmake/tamis_compat.pc.in
                 ${PROJECT_BINARY_DIR}/${target}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${target}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
endfunction()

tamis_compat_headers(rocksdb RocksDB facade/rocksdb)
tamis_compat_headers(leveldb LevelDB facade/leveldb_compat)
