# SPDX-License-Identifier: Apache-2.0
# RocksDB's C API for programs that were made for RocksDB:
#
#   libtamis_rocksdb.so        the functions of tamis/c.h as rocksdb_*, and no
#                              other symbol, for programs that are linked anew
#   facade/librocksdb.so.7.8   for programs that are not: it needs the former,
#                              and refuses what capi/absent.txt lists
#
# Both lists of names are made from include/tamis/c.h, and so is rocksdb/c.h,
# which declares the functions under RocksDB's names.
option(TAMIS_BUILD_ROCKSDB_API "Build libtamis_rocksdb, RocksDB's C API"
       ${PROJECT_IS_TOP_LEVEL})
set(tamis_c_header ${PROJECT_SOURCE_DIR}/include/tamis/c.h)
set(tamis_c_absent ${PROJECT_SOURCE_DIR}/capi/absent.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
             ${tamis_c_header} ${tamis_c_absent})

# Every tamis_ name of the header as one of rocksdb_.
file(READ ${tamis_c_header} text)
string(REGEX MATCHALL "tamis_[A-Za-z0-9_]+" names "${text}")
list(REMOVE_DUPLICATES names)
set(renames "")
foreach(name ${names})
  string(REGEX REPLACE "^tamis_" "rocksdb_" renamed ${name})
  string(APPEND renames "#define ${name} ${renamed}\n")
endforeach()
set(tamis_c_renames ${PROJECT_BINARY_DIR}/capi/rocksdb_names.h)
file(CONFIGURE OUTPUT ${tamis_c_renames} CONTENT "${renames}" @ONLY)

# rocksdb/c.h, with which a C program for RocksDB is compiled anew.
string(REGEX REPLACE "^// SPDX[^\n]*\n(//[^\n]*\n)*" "" declarations "${text}")
string(REGEX REPLACE "tamis_" "rocksdb_" declarations "${declarations}")
set(tamis_rocksdb_include ${PROJECT_BINARY_DIR}/capi/include)
set(rocksdb_c_header_comment
"// SPDX-License-Identifier: Apache-2.0
//
// RocksDB's C API over Tamis, in libtamis_rocksdb. Made of tamis/c.h, which has
// the conventions; here every tamis_ is a rocksdb_.
")
file(CONFIGURE OUTPUT ${tamis_rocksdb_include}/rocksdb/c.h @ONLY
     CONTENT "${rocksdb_c_header_comment}${declarations}")

# Not with a sanitizer, whose runtime belongs to the program, nor for another
# processor, for which everything is linked statically.
if(NOT TAMIS_BUILD_ROCKSDB_API OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR
   TAMIS_SANITIZE OR CMAKE_CROSSCOMPILING)
  return()
endif()

string(REGEX MATCHALL "tamis_[A-Za-z0-9_]+\\(" functions "${text}")
list(REMOVE_DUPLICATES functions)
list(TRANSFORM functions REPLACE "^tamis_(.*)\\($" "rocksdb_\\1")
list(JOIN functions ";\n    " exports)
set(tamis_c_exports ${PROJECT_BINARY_DIR}/capi/rocksdb.map)
file(CONFIGURE OUTPUT ${tamis_c_exports} @ONLY
     CONTENT "{\n  global:\n    ${exports};\n  local:\n    *;\n};\n")

file(GLOB capi_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/capi/*.cc)
add_library(tamis_capi_as_rocksdb OBJECT ${capi_sources})
target_link_libraries(tamis_capi_as_rocksdb PRIVATE tamis_flags tamis_warnings)
target_compile_options(tamis_capi_as_rocksdb PRIVATE
  ${for_size} -include ${tamis_c_renames})
tamis_compile_together(tamis_capi_as_rocksdb)

add_library(tamis_rocksdb SHARED $<TARGET_OBJECTS:tamis_capi_as_rocksdb>)
tamis_take_objects(tamis_rocksdb tamis_capi)
target_link_options(tamis_rocksdb PRIVATE ${tamis_never_unload}
  -Wl,--version-script=${tamis_c_exports} -Wl,--no-undefined)
set_target_properties(tamis_rocksdb PROPERTIES
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  LINK_DEPENDS ${tamis_c_exports})
set(compat_include ${CMAKE_INSTALL_INCLUDEDIR}/tamis-rocksdb)
target_include_directories(tamis_rocksdb INTERFACE
  $<BUILD_INTERFACE:${tamis_rocksdb_include}>
  $<INSTALL_INTERFACE:${compat_include}>)
add_library(Tamis::tamis_rocksdb ALIAS tamis_rocksdb)

# The functions that are absent: arguments are pointers and integers, which
# may all be taken for pointers.
file(STRINGS ${tamis_c_absent} absent REGEX "^rocksdb_")
set(refusals "")
foreach(line ${absent})
  string(REPLACE " " ";" line "${line}")
  list(GET line 0 name)
  list(GET line 1 kind)
  if(kind STREQUAL "end")
    string(APPEND refusals "REFUSE_AND_END(${name})\n")
  else()
    string(REPEAT "void*, " ${kind} arguments)
    string(REGEX REPLACE "void\\*, $" "char** errptr" arguments "${arguments}")
    string(APPEND refusals "REFUSE(${name}, (${arguments}))\n")
  endif()
endforeach()
configure_file(capi/refusals.cc.in ${PROJECT_BINARY_DIR}/capi/refusals.cc @ONLY)

add_library(tamis_rocksdb_facade SHARED ${PROJECT_BINARY_DIR}/capi/refusals.cc)
target_link_libraries(tamis_rocksdb_facade PRIVATE
  -Wl,--no-as-needed tamis_rocksdb tamis_warnings)
set(facade_dir ${CMAKE_INSTALL_LIBDIR}/tamis/facade)
file(RELATIVE_PATH facade_to_lib /${facade_dir} /${CMAKE_INSTALL_LIBDIR})
set_target_properties(tamis_rocksdb_facade PROPERTIES
  CXX_VISIBILITY_PRESET default VISIBILITY_INLINES_HIDDEN OFF
  OUTPUT_NAME rocksdb VERSION 7.8 SOVERSION 7.8
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/facade
  BUILD_RPATH_USE_ORIGIN ON
  INSTALL_RPATH "$ORIGIN/${facade_to_lib}")

install(FILES ${tamis_rocksdb_include}/rocksdb/c.h
        DESTINATION ${compat_include}/rocksdb COMPONENT dev)
install(TARGETS tamis_rocksdb EXPORT TamisTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        COMPONENT lib NAMELINK_COMPONENT dev)
install(TARGETS tamis_rocksdb_facade LIBRARY DESTINATION ${facade_dir}
        COMPONENT lib NAMELINK_SKIP)
configure_file(cmake/tamis_rocksdb.pc.in
               ${PROJECT_BINARY_DIR}/tamis_rocksdb.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tamis_rocksdb.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
