# SPDX-License-Identifier: Apache-2.0
# Tests against the real RocksDB and LevelDB.
if(NOT TARGET tamis_peers)
  set(words "test peers are missing (${missing_peers}): the interop tests do not run; \
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

tamis_tests(interop OBJECTS util filter table db LIBRARIES tamis_peers
                    LABELS interop TIMEOUT 900)
