# SPDX-License-Identifier: Apache-2.0
# cmake -D ... -P run.cmake: see Consumer.cmake for what it is given.

# Runs a command, ends the test when it fails.
function(must name)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${name}: exit ${result}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# The example prints what it read; README.md says the same words.
function(must_run_right program directory)
  file(REMOVE_RECURSE ${directory})
  file(MAKE_DIRECTORY ${directory})
  must("${program}" ${CMAKE_COMMAND} -E chdir ${directory} ${program})
  if(NOT output MATCHES "apple = green\ncherry = red\n")
    message(FATAL_ERROR "${program} printed:\n${output}")
  endif()
endfunction()

set(prefix ${work_dir}/prefix)
file(REMOVE_RECURSE ${work_dir})
must(install ${CMAKE_COMMAND} --install ${build_dir} --prefix ${prefix})

# The first ```cpp block of the README.
file(READ ${source_dir}/README.md readme)
string(FIND "${readme}" "```cpp\n" begin)
if(begin EQUAL -1)
  message(FATAL_ERROR "README.md holds no cpp block")
endif()
math(EXPR begin "${begin} + 7")
string(SUBSTRING "${readme}" ${begin} -1 rest)
string(FIND "${rest}" "```" length)
string(SUBSTRING "${rest}" 0 ${length} example)
file(WRITE ${work_dir}/example/main.cc "${example}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/CMakeLists.txt
               ${work_dir}/example/CMakeLists.txt COPYONLY)

must(configure ${CMAKE_COMMAND} -S ${work_dir}/example -B ${work_dir}/build
     -G ${generator} -DCMAKE_PREFIX_PATH=${prefix}
     -DCMAKE_CXX_COMPILER=${compiler} -DTAMIS_VERSION_WANTED=${version})
must(build ${CMAKE_COMMAND} --build ${work_dir}/build)
must_run_right(${work_dir}/build/example ${work_dir}/run_cmake)

set(ENV{PKG_CONFIG_PATH} ${prefix}/${lib_dir}/pkgconfig)
must(pkg-config ${pkg_config} --static --cflags --libs tamis)
string(STRIP "${output}" flags)
separate_arguments(flags UNIX_COMMAND "${flags}")
must(compile ${compiler} -std=c++20 ${work_dir}/example/main.cc
     -o ${work_dir}/example_pc ${flags})
# A shared library would have to be found at run time.
set(ENV{LD_LIBRARY_PATH} ${prefix}/${lib_dir})
must_run_right(${work_dir}/example_pc ${work_dir}/run_pc)

foreach(tool tamis_ldb tamis_sst_dump)
  if(NOT EXISTS ${prefix}/bin/${tool} AND EXISTS ${build_dir}/bin/${tool})
    message(FATAL_ERROR "${tool} was not installed")
  endif()
endforeach()
