# SPDX-License-Identifier: Apache-2.0
# The engines whose formats we speak, as peers of tests and benchmarks: library
# and tools. Makes the target tamis_peers when all of them are there, and
# lists in `missing_peers` those that are not.
find_path(rocksdb_include rocksdb/db.h)
find_library(rocksdb_library rocksdb)
find_path(leveldb_include leveldb/db.h)
find_library(leveldb_library leveldb)
find_program(rocksdb_ldb ldb)
find_program(rocksdb_sst_dump sst_dump)
mark_as_advanced(rocksdb_include rocksdb_library leveldb_include
                 leveldb_library rocksdb_ldb rocksdb_sst_dump)

set(missing_peers "")
foreach(peer rocksdb_include rocksdb_library leveldb_include leveldb_library
             rocksdb_ldb rocksdb_sst_dump)
  if(NOT ${peer})
    list(APPEND missing_peers ${peer})
  endif()
endforeach()
if(missing_peers)
  return()
endif()

add_library(tamis_peers INTERFACE)
target_link_libraries(tamis_peers INTERFACE ${rocksdb_library}
                                            ${leveldb_library})
target_include_directories(tamis_peers SYSTEM INTERFACE ${rocksdb_include}
                                                        ${leveldb_include})
target_compile_definitions(tamis_peers INTERFACE
  TAMIS_PEER_LDB="${rocksdb_ldb}" TAMIS_PEER_SST_DUMP="${rocksdb_sst_dump}")
