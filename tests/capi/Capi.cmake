# SPDX-License-Identifier: Apache-2.0
# The C API: programs in C99, each built against Tamis, and those that RocksDB
# can run, too, against Debian's library. What they print must be the same with
# RocksDB, with Tamis, and with the program for RocksDB, unchanged, on the facade.
if(CMAKE_CROSSCOMPILING)
  return()
endif()
set(capi_dir ${CMAKE_CURRENT_LIST_DIR})
if(NOT CMAKE_C_COMPILER)
  # The C compiler of the same make: sanitizers' runtimes do not mix.
  string(REGEX MATCH "-[0-9]+$" version_suffix ${CMAKE_CXX_COMPILER})
  string(REGEX REPLACE "\\+\\+(-[0-9]+)?$" "" c_compiler ${CMAKE_CXX_COMPILER})
  string(REGEX REPLACE "([/-])g$" "\\1gcc" c_compiler ${c_compiler})
  string(REGEX REPLACE "/c$" "/cc" c_compiler ${c_compiler})
  string(APPEND c_compiler ${version_suffix})
  if(EXISTS ${c_compiler})
    set(CMAKE_C_COMPILER ${c_compiler})
  endif()
endif()
enable_language(C)

# capi_program(<source> <engine> <libraries>)
function(capi_program source engine)
  get_filename_component(name ${source} NAME_WE)
  set(program capi_${name}_${engine})
  add_executable(${program} ${source})
  set_target_properties(${program} PROPERTIES LINKER_LANGUAGE CXX
    C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
  target_compile_definitions(${program} PRIVATE _POSIX_C_SOURCE=200809L)
  target_compile_options(${program} PRIVATE -O0 -Wall -Wextra -Werror)
  target_link_libraries(${program} PRIVATE ${ARGN})
endfunction()

# Those that use functions of Tamis alone.
set(own_programs own_options tamis_only)

file(GLOB capi_programs CONFIGURE_DEPENDS ${capi_dir}/*.c)
foreach(source ${capi_programs})
  get_filename_component(name ${source} NAME_WE)
  capi_program(${source} tamis tamis_flags tamis)
  set(compared "")
  if(TARGET tamis_peers AND NOT name IN_LIST own_programs)
    capi_program(${source} rocksdb ${rocksdb_library})
    target_include_directories(capi_${name}_rocksdb SYSTEM PRIVATE
                               ${rocksdb_include})
    target_compile_definitions(capi_${name}_rocksdb PRIVATE FOR_ROCKSDB)
    target_compile_options(capi_${name}_rocksdb PRIVATE
                           -include ${tamis_c_renames})
    set(compared $<TARGET_FILE:capi_${name}_rocksdb>)
    if(TARGET tamis_rocksdb_facade)
      list(APPEND compared $<TARGET_FILE_DIR:tamis_rocksdb_facade>)
    endif()
  endif()
  add_test(NAME capi.${name}
           COMMAND bash ${capi_dir}/compare.sh ${PROJECT_BINARY_DIR}/capi/${name}
                   $<TARGET_FILE:capi_${name}_tamis> ${compared})
  set_tests_properties(capi.${name} PROPERTIES TIMEOUT 240)
endforeach()

if(NOT TARGET tamis_rocksdb)
  return()
endif()
add_test(NAME capi.TheLibraryExportsWhatTheHeaderDeclares
         COMMAND bash ${capi_dir}/exports.sh ${tamis_c_header}
                 $<TARGET_FILE:tamis_rocksdb>)
if(TARGET tamis_peers)
  add_test(NAME capi.EveryFunctionOfRocksDBIsThereOrListed
           COMMAND bash ${capi_dir}/coverage.sh $<TARGET_FILE:tamis_rocksdb>
                   ${rocksdb_library} ${tamis_c_absent}
                   $<TARGET_FILE:tamis_rocksdb_facade>)
endif()
add_test(NAME capi.TheFacadeRefusesWhatIsAbsent
         COMMAND bash ${capi_dir}/refusals.sh $<TARGET_FILE:tamis_rocksdb_facade>
                 ${CMAKE_C_COMPILER} ${PROJECT_BINARY_DIR}/capi/refusals)
add_test(NAME packaging.TheCApiIsInstalled
         COMMAND bash ${capi_dir}/installed.sh ${CMAKE_COMMAND}
                 ${PROJECT_BINARY_DIR} ${CMAKE_INSTALL_LIBDIR}
                 ${CMAKE_C_COMPILER} ${PROJECT_BINARY_DIR}/capi/installed)
set_tests_properties(packaging.TheCApiIsInstalled PROPERTIES LABELS packaging)

# Programs of others, unchanged: on the facade, and built against RocksDB's
# headers over Tamis. They are skipped where their packages cannot be had.
add_test(NAME clients.Balboa
         COMMAND bash ${capi_dir}/../clients/balboa.sh
                 $<TARGET_FILE_DIR:tamis_rocksdb_facade>
                 ${PROJECT_BINARY_DIR}/clients/balboa)
add_test(NAME clients.node_rocksdb
         COMMAND bash ${capi_dir}/../clients/node_rocksdb.sh $<TARGET_FILE:tamis>
                 ${PROJECT_BINARY_DIR}/clients/node_rocksdb)
add_test(NAME clients.CTest
         COMMAND bash ${capi_dir}/../clients/c_test.sh ${PROJECT_BINARY_DIR}
                 ${PROJECT_BINARY_DIR}/clients/c_test)
set_tests_properties(clients.Balboa clients.node_rocksdb clients.CTest PROPERTIES
  LABELS clients TIMEOUT 300 SKIP_RETURN_CODE 77)
