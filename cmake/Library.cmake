# SPDX-License-Identifier: Apache-2.0
# The library out of its folders, and its installation.
set(folders util filter table db)
if(TAMIS_BUILD_SHARED)
  add_library(tamis SHARED)
else()
  add_library(tamis STATIC)
endif()
add_library(Tamis::tamis ALIAS tamis)
foreach(folder ${folders})
  target_sources(tamis PRIVATE $<TARGET_OBJECTS:tamis_${folder}>)
endforeach()
target_compile_features(tamis PUBLIC cxx_std_20)
target_include_directories(tamis PUBLIC
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(tamis PRIVATE Snappy::snappy Threads::Threads)
