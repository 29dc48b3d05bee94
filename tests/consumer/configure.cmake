# SPDX-License-Identifier: Apache-2.0
# cmake -D ... -P configure.cmake: what configuring says and chooses, by itself
# and below another project. Nothing is built.

# configure(<source> <argument>...): sets `result` and `output`.
function(configure source)
  file(REMOVE_RECURSE ${work_dir}/build)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${source} -B ${work_dir}/build
    -G ${generator} -DCMAKE_CXX_COMPILER=${compiler}
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON ${ARGN}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  set(result ${result} PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

# must_compile_with(<regex> <found>): a command of db/ matches it, or none does.
function(must_compile_with regex expected)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "configuring failed:\n${output}")
  endif()
  file(STRINGS ${work_dir}/build/compile_commands.json commands
       REGEX "command.*tamis_db\\.dir")
  if(commands STREQUAL "")
    message(FATAL_ERROR "nothing of db/ is compiled")
  endif()
  set(found OFF)
  if(commands MATCHES "${regex}")
    set(found ON)
  endif()
  if(NOT found STREQUAL expected)
    list(GET commands 0 command)
    message(FATAL_ERROR "${regex} in the flags: ${found}, not ${expected}:\n\
${command}")
  endif()
endfunction()

# The environment of the test run must not decide.
unset(ENV{CXXFLAGS})
unset(ENV{CMAKE_BUILD_TYPE})
file(REMOVE_RECURSE ${work_dir})
file(WRITE ${work_dir}/parent/CMakeLists.txt "
cmake_minimum_required(VERSION 3.21)
project(Parent LANGUAGES CXX)
add_subdirectory(${source_dir} tamis)
")
configure(${work_dir}/parent)
must_compile_with(" -O2 " ON)
if(NOT output MATCHES "CMAKE_BUILD_TYPE is not set")
  message(FATAL_ERROR "not a word of the build type:\n${output}")
endif()
configure(${work_dir}/parent -DCMAKE_BUILD_TYPE=Debug)
must_compile_with(" -O" OFF)
configure(${work_dir}/parent -DCMAKE_CXX_FLAGS=-O1)
must_compile_with(" -O2 " OFF)

# Library and tools need no GoogleTest.
configure(${source_dir} -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON)
must_compile_with(" -O3 " ON)

# What is missing is named at once.
configure(${source_dir} -DCMAKE_DISABLE_FIND_PACKAGE_gflags=ON
          -DCMAKE_DISABLE_FIND_PACKAGE_Snappy=ON)
if(result EQUAL 0 OR
   NOT output MATCHES "apt-get install libsnappy-dev libgflags-dev")
  message(FATAL_ERROR "exit ${result}, and what is missing is not named:\n\
${output}")
endif()
