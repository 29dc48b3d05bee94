# SPDX-License-Identifier: Apache-2.0
# Debian packages of what is installed, by its components: ./dev packages.
#
#   libtamis0.1       lib      the shared libraries, and the facade librocksdb.so
#   libtamis-dev      dev      headers, libtamis.a, CMake package, .pc files
#   tamis-tools       tools    programs, man pages, completions
#   libtamis-leveldb  leveldb  the facade libleveldb.so.1d
#   libtamis-rados    rados    libtamis_rados, static and shared, and the program
#                              tamis_rados, where librados is found
#   python3-tamis     python   the Python package, compiled for Debian's Python
#
# Before 1.0 the soname has the minor release, and so has the package's name.
if(NOT PROJECT_IS_TOP_LEVEL OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR
   TAMIS_SANITIZE OR CMAKE_CROSSCOMPILING OR TAMIS_BUILD_SHARED OR
   NOT TARGET tamis_rocksdb)
  return()
endif()
set(series ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

# The library of packages, of the same objects. Only they install it: beside
# libtamis.a elsewhere, a linker would prefer it.
add_library(tamis_shared SHARED EXCLUDE_FROM_ALL)
tamis_take_objects(tamis_shared)
target_link_options(tamis_shared PRIVATE ${tamis_never_unload})
set_target_properties(tamis_shared PROPERTIES OUTPUT_NAME tamis
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/shared
  VERSION ${PROJECT_VERSION} SOVERSION ${series})
install(TARGETS tamis_shared OPTIONAL EXCLUDE_FROM_ALL
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        COMPONENT lib NAMELINK_COMPONENT dev)

set(rados_component "")
if(TARGET tamis_rados)
  set(rados_component rados)
  tamis_make_rados(tamis_rados_shared SHARED tamis_shared)
  set_target_properties(tamis_rados_shared PROPERTIES EXCLUDE_FROM_ALL ON
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/shared)
  install(TARGETS tamis_rados_shared OPTIONAL EXCLUDE_FROM_ALL
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT rados)
endif()

set(python_dir ${PROJECT_BINARY_DIR}/python)
file(GLOB python_sources CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/python/tamis/*.py
     ${PROJECT_SOURCE_DIR}/python/tamis/py.typed
     ${PROJECT_SOURCE_DIR}/python/build_bindings.py)
add_custom_command(OUTPUT ${python_dir}/made VERBATIM
  DEPENDS ${python_sources} ${PROJECT_SOURCE_DIR}/include/tamis/c.h tamis_shared
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${python_dir}
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${PROJECT_SOURCE_DIR}/python
          ${python_dir}
  COMMAND /usr/bin/python3 ${python_dir}/build_bindings.py
          ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/shared
  COMMAND ${CMAKE_COMMAND} -E touch ${python_dir}/made)
add_custom_target(tamis_python DEPENDS ${python_dir}/made)
install(DIRECTORY ${python_dir}/tamis DESTINATION lib/python3/dist-packages
        COMPONENT python EXCLUDE_FROM_ALL
        FILES_MATCHING PATTERN "*.py" PATTERN "*.so" PATTERN "py.typed"
        PATTERN "__pycache__" EXCLUDE)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tamis)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL lib dev tools leveldb ${rados_component} python)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "Tamis developers <tamis@localhost>")
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS
    ${PROJECT_BINARY_DIR} ${PROJECT_BINARY_DIR}/shared)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")

# tamis_package(<component> <package> <section> <description>)
macro(tamis_package component package section description)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${description}")
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
          RENAME copyright COMPONENT ${component} EXCLUDE_FROM_ALL)
endmacro()

tamis_package(lib libtamis${series} libs
"embedded, ordered, durable key-value store
 Tamis keeps keys and values in a directory, in RocksDB's file formats.
 This package has the C++ and C library, RocksDB's C functions over it, and a
 stand-in for librocksdb.so.7.8.")
tamis_package(dev libtamis-dev libdevel
"embedded, ordered, durable key-value store, for programs to be built with it
 Headers, the static library, a CMake package and pkg-config files.")
tamis_package(tools tamis-tools database
"tools for databases of Tamis and RocksDB
 tamis_ldb reads, changes and repairs databases, tamis_sst_dump looks into their
 files, tamis_db_bench measures.")
tamis_package(leveldb libtamis-leveldb libs
"Tamis for programs that were built for LevelDB
 A stand-in for libleveldb.so.1d, for LD_LIBRARY_PATH.")
if(rados_component)
  tamis_package(rados libtamis-rados libs
"databases of Tamis in a Ceph RADOS cluster
 A file system whose files are objects of a cluster: a database moves from one
 machine to another, and has one writer at a time. With the program tamis_rados.")
  set(CPACK_DEBIAN_RADOS_PACKAGE_DEPENDS
      "libtamis${series} (= ${PROJECT_VERSION})")
  set(CPACK_DEBIAN_RADOS_PACKAGE_RECOMMENDS "libtamis-dev, librados-dev")
endif()
tamis_package(python python3-tamis python
"embedded, ordered, durable key-value store, for Python
 A database is a mapping of bytes to bytes, with scans, batches and snapshots.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
    "libtamis${series} (= ${PROJECT_VERSION}), python3 (>= 3.11), \
python3 (<< 3.12), python3-cffi-backend")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
    "libtamis${series} (= ${PROJECT_VERSION}), libsnappy-dev, liblz4-dev, \
libzstd-dev, zlib1g-dev, libbz2-dev, libxxhash-dev")
include(CPack)
