# SPDX-License-Identifier: Apache-2.0
# LevelDB's facade: programs for LevelDB, built with its headers and linked with
# its library, run with that library and on the facade, unchanged. What they
# print must be the same.
if(NOT TARGET tamis_leveldb OR NOT leveldb_library)
  return()
endif()
set(facade_tests ${CMAKE_CURRENT_LIST_DIR})

# As a program of any other project is built: the library's flags do not matter.
file(GLOB facade_programs CONFIGURE_DEPENDS ${facade_tests}/*.cc ${facade_tests}/*.c)
foreach(source ${facade_programs})
  get_filename_component(name ${source} NAME_WE)
  set(program leveldb_facade_${name})
  add_executable(${program} ${source})
  set_target_properties(${program} PROPERTIES
    CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON LINKER_LANGUAGE CXX
    BUILD_RPATH "" SKIP_BUILD_RPATH ON)
  target_include_directories(${program} SYSTEM PRIVATE ${leveldb_include})
  target_compile_options(${program} PRIVATE -O0 -Wall -Wextra)
  target_link_libraries(${program} PRIVATE ${leveldb_library})
  add_test(NAME leveldb_facade.${name}
           COMMAND bash ${facade_tests}/compare.sh
                   ${PROJECT_BINARY_DIR}/leveldb_facade/${name}
                   $<TARGET_FILE_DIR:tamis_leveldb> $<TARGET_FILE:${program}> db)
  set_tests_properties(leveldb_facade.${name} PROPERTIES TIMEOUT 240)
endforeach()

add_test(NAME leveldb_facade.symbols
         COMMAND bash ${facade_tests}/symbols.sh ${leveldb_library}
                 $<TARGET_FILE:tamis_leveldb>)

add_executable(leveldb_facade_upgrade ${facade_tests}/upgrade/upgrade.cc)
set_target_properties(leveldb_facade_upgrade PROPERTIES
  CXX_STANDARD 17 SKIP_BUILD_RPATH ON)
target_include_directories(leveldb_facade_upgrade SYSTEM PRIVATE ${leveldb_include})
target_link_libraries(leveldb_facade_upgrade PRIVATE ${leveldb_library})
add_test(NAME leveldb_facade.AnUpgradeIsAskedFor
         COMMAND bash ${facade_tests}/upgrade/upgrade.sh
                 ${PROJECT_BINARY_DIR}/leveldb_facade/AnUpgradeIsAskedFor
                 $<TARGET_FILE_DIR:tamis_leveldb>
                 $<TARGET_FILE:leveldb_facade_upgrade>)

# Programs of others, unchanged. Each is skipped where its packages cannot be had.
foreach(client classic_level plyvel minetest litecoind)
  add_test(NAME clients.${client}
           COMMAND bash ${facade_tests}/../clients/${client}.sh
                   $<TARGET_FILE_DIR:tamis_leveldb>
                   ${PROJECT_BINARY_DIR}/clients/${client})
  set_tests_properties(clients.${client} PROPERTIES
    LABELS clients TIMEOUT 300 SKIP_RETURN_CODE 77)
endforeach()
