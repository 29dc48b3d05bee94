# SPDX-License-Identifier: Apache-2.0
# Programs in the manner of RocksDB's examples, each built from one source for
# either engine: with RocksDB's headers and library, and with Tamis's behind
# headers of RocksDB's names. What they print must be the same. Included where
# the peers are there.
set(compat_dir ${CMAKE_CURRENT_LIST_DIR})

file(GLOB compat_sources CONFIGURE_DEPENDS ${compat_dir}/*.cc)
foreach(source ${compat_sources})
  get_filename_component(name ${source} NAME_WE)
  foreach(engine rocksdb tamis)
    set(program compat_${name}_${engine})
    add_executable(${program} ${source})
    target_link_libraries(${program} PRIVATE tamis_flags)
    target_compile_options(${program} PRIVATE -O0 -Wall -Wextra
      $<$<BOOL:${TAMIS_WERROR}>:-Werror>)
  endforeach()
  target_link_libraries(compat_${name}_rocksdb PRIVATE tamis_peers)
  target_link_libraries(compat_${name}_tamis PRIVATE Tamis::rocksdb_compat)
  add_test(NAME interop.SourceCompat.${name}
           COMMAND bash ${compat_dir}/compare.sh
                   $<TARGET_FILE:compat_${name}_rocksdb>
                   $<TARGET_FILE:compat_${name}_tamis>
                   ${PROJECT_BINARY_DIR}/source_compat/${name})
  set_tests_properties(interop.SourceCompat.${name} PROPERTIES
    LABELS interop TIMEOUT 120)
endforeach()
