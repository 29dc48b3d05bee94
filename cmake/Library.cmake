# SPDX-License-Identifier: Apache-2.0
# The library out of its folders, and its installation: headers, library, the
# CMake package (find_package(Tamis) → Tamis::tamis) and tamis.pc.
include(CMakePackageConfigHelpers)

# Threads of open databases, destructors of thread_locals and the SIGBUS handler
# (util/io/bus_error.h) may run the library's code after a dlclose: what holds
# it is never unloaded.
set(tamis_never_unload "")
if(UNIX AND NOT APPLE)
  set(tamis_never_unload -Wl,-z,nodelete)
endif()

# tamis_take_objects(<library> [<object>...]): gives the library the objects of
# all folders, except those named, and the libraries that they need.
function(tamis_take_objects library)
  foreach(object ${tamis_objects})
    if(NOT object IN_LIST ARGN)
      target_sources(${library} PRIVATE $<TARGET_OBJECTS:${object}>)
    endif()
  endforeach()
  target_link_libraries(${library} PRIVATE ${codec_libraries} Threads::Threads)
endfunction()

if(TAMIS_BUILD_SHARED)
  add_library(tamis SHARED)
  target_link_options(tamis PRIVATE ${tamis_never_unload})
else()
  add_library(tamis STATIC)
  target_link_options(tamis INTERFACE
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,MODULE_LIBRARY>:${tamis_never_unload}>
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,SHARED_LIBRARY>:${tamis_never_unload}>)
endif()
add_library(Tamis::tamis ALIAS tamis)
tamis_take_objects(tamis)
target_compile_features(tamis PUBLIC cxx_std_20)
target_include_directories(tamis PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
if(TAMIS_SANITIZE)
  target_link_options(tamis PUBLIC -fsanitize=${TAMIS_SANITIZE})
endif()
# Before 1.0 every minor release may change the ABI, so the soname carries it.
set_target_properties(tamis PROPERTIES
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

install(TARGETS tamis EXPORT TamisTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT lib
        NAMELINK_COMPONENT dev
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT lib)
install(DIRECTORY include/tamis DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT dev FILES_MATCHING PATTERN "*.h")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Tamis)
configure_package_config_file(cmake/TamisConfig.cmake.in
  ${PROJECT_BINARY_DIR}/TamisConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TamisConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TamisConfig.cmake
              ${PROJECT_BINARY_DIR}/TamisConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT dev)
install(EXPORT TamisTargets NAMESPACE Tamis:: DESTINATION ${package_dir}
        COMPONENT dev)

# A shared library brings the flag itself.
set(pc_never_unload "")
if(tamis_never_unload AND NOT TAMIS_BUILD_SHARED)
  set(pc_never_unload " ${tamis_never_unload}")
endif()
# Relative to the .pc file, so that an installed tree may be moved.
file(RELATIVE_PATH pc_to_prefix
     ${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig
     ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/tamis.pc.in ${PROJECT_BINARY_DIR}/tamis.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tamis.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
