# SPDX-License-Identifier: Apache-2.0
# The engines whose formats we speak, as test peers: library and tools.
find_path(rocksdb_include rocksdb/db.h)
find_library(rocksdb_library rocksdb)
find_path(leveldb_include leveldb/db.h)
find_library(leveldb_library leveldb)
find_program(rocksdb_ldb ldb)
find_program(rocksdb_sst_dump sst_dump)
mark_as_advanced(rocksdb_include rocksdb_library leveldb_include
                 leveldb_library rocksdb_ldb rocksdb_sst_dump)

set(missing "")
foreach(peer rocksdb_include rocksdb_library leveldb_include leveldb_library
             rocksdb_ldb rocksdb_sst_dump)
  if(NOT ${peer})
    list(APPEND missing ${peer})
  endif()
endforeach()

if(missing)
  set(words "test peers are missing (${missing}): the interop tests do not run; \
Debian: librocksdb-dev libleveldb-dev rocksdb-tools")
  if(TAMIS_REQUIRE_PEERS)
    message(FATAL_ERROR "${words}")
  endif()
  message(WARNING "${words}")
  add_test(NAME interop.PEERS_ARE_MISSING
           COMMAND ${CMAKE_COMMAND} -E echo "${words}")
  set_tests_properties(interop.PEERS_ARE_MISSING PROPERTIES
    LABELS interop SKIP_REGULAR_EXPRESSION "missing")
  return()
endif()

add_library(tamis_peers INTERFACE)
target_link_libraries(tamis_peers INTERFACE ${rocksdb_library}
                                            ${leveldb_library})
target_include_directories(tamis_peers SYSTEM INTERFACE ${rocksdb_include}
                                                        ${leveldb_include})
target_compile_definitions(tamis_peers INTERFACE
  TAMIS_PEER_LDB="${rocksdb_ldb}" TAMIS_PEER_SST_DUMP="${rocksdb_sst_dump}")

tamis_tests(interop OBJECTS util filter table db LIBRARIES tamis_peers
                    LABELS interop TIMEOUT 900)
