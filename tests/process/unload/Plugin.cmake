# SPDX-License-Identifier: Apache-2.0
# A plugin of which the library is a part, and one that links a shared library:
# one of the two is what is installed. Not under sanitizers, whose own libraries
# do not expect to be loaded twice.
if(TAMIS_BUILD_SHARED)
  add_library(tamis_unload_shared ALIAS tamis)
  add_library(tamis_unload_static STATIC)
  target_link_options(tamis_unload_static INTERFACE ${tamis_never_unload})
  set(made tamis_unload_static)
else()
  add_library(tamis_unload_static ALIAS tamis)
  add_library(tamis_unload_shared SHARED)
  target_link_options(tamis_unload_shared PRIVATE ${tamis_never_unload})
  set(made tamis_unload_shared)
endif()
foreach(object ${tamis_objects})
  target_sources(${made} PRIVATE $<TARGET_OBJECTS:${object}>)
endforeach()
target_link_libraries(${made} PRIVATE ${codec_libraries} Threads::Threads)
target_include_directories(${made} PUBLIC ${PROJECT_SOURCE_DIR}/include)
set_target_properties(${made} PROPERTIES
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib
  ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

foreach(kind static shared)
  add_library(tamis_plugin_${kind} MODULE
    ${CMAKE_CURRENT_LIST_DIR}/plugin.cc)
  target_compile_features(tamis_plugin_${kind} PRIVATE cxx_std_20)
  target_include_directories(tamis_plugin_${kind} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(tamis_plugin_${kind} PRIVATE
    tamis_warnings tamis_unload_${kind})
  set_target_properties(tamis_plugin_${kind} PROPERTIES
    CXX_VISIBILITY_PRESET default
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
endforeach()

add_dependencies(process_tests tamis_plugin_static tamis_plugin_shared)
set_property(SOURCE ${CMAKE_CURRENT_LIST_DIR}/unload_test.cc APPEND PROPERTY
  COMPILE_DEFINITIONS
  TAMIS_PLUGIN="$<TARGET_FILE:tamis_plugin_static>"
  TAMIS_PLUGIN_OF_SHARED="$<TARGET_FILE:tamis_plugin_shared>"
  TAMIS_SHARED="$<TARGET_FILE:tamis_unload_shared>")
