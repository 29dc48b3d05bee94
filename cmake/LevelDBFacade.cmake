# SPDX-License-Identifier: Apache-2.0
# LevelDB 1.23 for programs that are linked with it already: a library with the
# name of Debian's, LevelDB's C++ symbols and its C API, over Tamis. The classes
# are those of LevelDB's headers, so it is built where these are installed.
#
#   facade/libleveldb.so.1d
option(TAMIS_BUILD_LEVELDB_FACADE "Build a library that stands for LevelDB's"
       ${PROJECT_IS_TOP_LEVEL})
find_path(leveldb_include leveldb/db.h)
mark_as_advanced(leveldb_include)

# Not with a sanitizer, whose runtime belongs to the program, nor for another
# processor.
if(NOT TAMIS_BUILD_LEVELDB_FACADE OR NOT leveldb_include OR
   NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR TAMIS_SANITIZE OR
   CMAKE_CROSSCOMPILING)
  return()
endif()

file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/facade/leveldb/*.cc)
add_library(tamis_leveldb SHARED ${sources})
tamis_take_objects(tamis_leveldb tamis_capi)
target_include_directories(tamis_leveldb SYSTEM PRIVATE ${leveldb_include})
target_link_libraries(tamis_leveldb PRIVATE tamis_flags tamis_warnings)
set(leveldb_exports ${PROJECT_SOURCE_DIR}/facade/leveldb/leveldb.map)
target_link_options(tamis_leveldb PRIVATE ${tamis_never_unload}
  -Wl,--version-script=${leveldb_exports} -Wl,-Bsymbolic -Wl,--no-undefined)
set_target_properties(tamis_leveldb PROPERTIES
  CXX_VISIBILITY_PRESET default VISIBILITY_INLINES_HIDDEN OFF
  OUTPUT_NAME leveldb VERSION 1.23.0 SOVERSION 1d
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/facade
  LINK_DEPENDS ${leveldb_exports})
install(TARGETS tamis_leveldb
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tamis/facade
        COMPONENT leveldb NAMELINK_SKIP)
