# SPDX-License-Identifier: Apache-2.0
# Programs in the manner of RocksDB's examples, each built from one source for
# either engine: with RocksDB's headers and library, and with Tamis's behind
# headers of RocksDB's names. leveldb/ has one for LevelDB and Tamis. What they print must be the same. Included where
# the peers are there.
set(compat_dir ${CMAKE_CURRENT_LIST_DIR})

# Each source is one for <peer>, whose headers and library the first program
# has, and Tamis::<peer>_compat the second.
function(tamis_compat_programs peer)
  foreach(source ${ARGN})
    get_filename_component(name ${source} NAME_WE)
    foreach(engine ${peer} tamis)
      set(program compat_${name}_${engine})
      add_executable(${program} ${source})
      target_link_libraries(${program} PRIVATE tamis_flags)
      target_compile_options(${program} PRIVATE -O0 -Wall -Wextra
        $<$<BOOL:${TAMIS_WERROR}>:-Werror>)
    endforeach()
    target_link_libraries(compat_${name}_${peer} PRIVATE tamis_peers)
    target_link_libraries(compat_${name}_tamis PRIVATE Tamis::${peer}_compat)
    add_test(NAME interop.SourceCompat.${name}
             COMMAND bash ${compat_dir}/compare.sh
                     $<TARGET_FILE:compat_${name}_${peer}>
                     $<TARGET_FILE:compat_${name}_tamis>
                     ${PROJECT_BINARY_DIR}/source_compat/${name})
    set_tests_properties(interop.SourceCompat.${name} PROPERTIES
      LABELS interop TIMEOUT 120)
  endforeach()
endfunction()

file(GLOB compat_sources CONFIGURE_DEPENDS ${compat_dir}/*.cc)
tamis_compat_programs(rocksdb ${compat_sources})
file(GLOB compat_sources CONFIGURE_DEPENDS ${compat_dir}/leveldb/*.cc)
tamis_compat_programs(leveldb ${compat_sources})
