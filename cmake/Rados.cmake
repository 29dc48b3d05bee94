# SPDX-License-Identifier: Apache-2.0
# libtamis_rados: a file system over a Ceph RADOS cluster (tamis/rados.h), where
# librados is found. All but what calls librados is built for the tests, too.
option(TAMIS_WITH_RADOS "Build libtamis_rados where librados is found" ON)
find_path(librados_include rados/librados.h)
find_library(librados rados)
mark_as_advanced(librados_include librados)
set(has_rados OFF)
if(TAMIS_WITH_RADOS AND librados_include AND librados)
  set(has_rados ON)
endif()
if(NOT has_rados AND NOT TAMIS_BUILD_TESTS)
  return()
endif()

set(over_librados ${PROJECT_SOURCE_DIR}/rados/librados_store.cc
                  ${PROJECT_SOURCE_DIR}/rados/new_rados_file_system.cc)
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/rados/*.cc)
list(REMOVE_ITEM sources ${over_librados})
add_library(tamis_rados_parts OBJECT ${sources})
target_link_libraries(tamis_rados_parts PRIVATE tamis_flags tamis_warnings)
target_compile_options(tamis_rados_parts PRIVATE ${for_size})
# Hashes every page that is read.
set(page_hash ${PROJECT_SOURCE_DIR}/rados/page_hash.cc
              ${PROJECT_SOURCE_DIR}/rados/page_hash_avx2.cc)
tamis_compile_together(tamis_rados_parts ALONE ${page_hash})
set_source_files_properties(${page_hash} PROPERTIES COMPILE_OPTIONS -O2)
# Called only where the processor has AVX2.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(${PROJECT_SOURCE_DIR}/rados/page_hash_avx2.cc
    PROPERTIES COMPILE_OPTIONS "-O2;-mavx2" SKIP_PRECOMPILE_HEADERS ON)
endif()
if(NOT has_rados)
  return()
endif()

add_library(tamis_rados_over_librados OBJECT ${over_librados})
target_include_directories(tamis_rados_over_librados SYSTEM PRIVATE
                           ${librados_include})
target_link_libraries(tamis_rados_over_librados PRIVATE
                      tamis_flags tamis_warnings)
target_compile_options(tamis_rados_over_librados PRIVATE ${for_size})

# tamis_make_rados(<target> <STATIC|SHARED> <the library tamis>)
function(tamis_make_rados target kind tamis)
  add_library(${target} ${kind} $<TARGET_OBJECTS:tamis_rados_parts>
              $<TARGET_OBJECTS:tamis_rados_over_librados>)
  target_link_libraries(${target} PUBLIC ${tamis} PRIVATE rados)
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME tamis_rados VERSION ${PROJECT_VERSION} LINKER_LANGUAGE CXX
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endfunction()

set(kind STATIC)
if(TAMIS_BUILD_SHARED)
  set(kind SHARED)
endif()
tamis_make_rados(tamis_rados ${kind} tamis)
add_library(Tamis::tamis_rados ALIAS tamis_rados)

# A package of its own: the library's users need no librados.
configure_file(cmake/tamis_rados.pc.in ${PROJECT_BINARY_DIR}/tamis_rados.pc
               @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tamis_rados.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT rados)
install(TARGETS tamis_rados EXPORT TamisRadosTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT rados
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT rados)
install(EXPORT TamisRadosTargets NAMESPACE Tamis:: COMPONENT rados
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Tamis)
