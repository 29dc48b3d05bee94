# SPDX-License-Identifier: Apache-2.0
# Tests against the real RocksDB and LevelDB. Not under a sanitizer: of the
# peers' files, the tests of tables and databases read recorded ones there, and
# the fuzz targets damaged ones.
if(TAMIS_SANITIZE)
  return()
endif()
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

# The differential driver, once for each engine.
set(driver_dir ${CMAKE_CURRENT_LIST_DIR}/differential)
set(driver_sources main.cc faults.cc script.cc plans.cc describe.cc model.cc turn.cc
                   driver.cc
                   driver_check.cc driver_data.cc driver_options.cc)
list(TRANSFORM driver_sources PREPEND ${driver_dir}/)
add_executable(differential_tamis ${driver_sources}
  ${driver_dir}/engine_tamis.cc)
target_link_libraries(differential_tamis PRIVATE tamis_flags tamis_warnings
  tamis_codecs ${tamis_objects})
add_executable(differential_rocksdb ${driver_sources}
  ${driver_dir}/engine_rocksdb.cc)
target_link_libraries(differential_rocksdb PRIVATE tamis_flags tamis_warnings
  tamis_peers)
target_compile_definitions(differential_rocksdb PRIVATE TAMIS_DRIVES_ROCKSDB)
foreach(driver differential_tamis differential_rocksdb)
  target_compile_options(${driver} PRIVATE ${TAMIS_TEST_OPTIMIZATION})
endforeach()

# The lives of tests/crash, for RocksDB to look at what is left of them.
set(crash_sources crash/database.cc crash/fault.cc crash/life.cc
                  crash/script.cc crash/scripts.cc model/model.cc
                  failures/failures.cc)
tamis_tests(interop UP_TO db/ttl LIBRARIES tamis_peers
                    SOURCES ${crash_sources} LABELS interop TIMEOUT 900)
set_property(TARGET interop_tests APPEND PROPERTY LINK_DEPENDS ${crash_scripts})
add_dependencies(interop_tests differential_tamis differential_rocksdb)
target_compile_definitions(interop_tests PRIVATE
  TAMIS_DIFFERENTIAL_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")

include(${CMAKE_CURRENT_LIST_DIR}/../source_compat/SourceCompat.cmake)
