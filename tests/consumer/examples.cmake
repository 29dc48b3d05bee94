# SPDX-License-Identifier: Apache-2.0
# cmake -D ... -P examples.cmake: builds examples/ against an installed tree, and
# compares what each program prints with its .txt. See Consumer.cmake for what it
# is given.
include(${CMAKE_CURRENT_LIST_DIR}/must.cmake)

file(REMOVE_RECURSE ${work_dir})
must(install ${CMAKE_COMMAND} --install ${build_dir} --prefix ${work_dir}/prefix)
must(configure ${CMAKE_COMMAND} -S ${source_dir}/examples -B ${work_dir}/build
     -G ${generator} -DCMAKE_PREFIX_PATH=${work_dir}/prefix
     -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_COMPILER=${compiler}
     "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
must(build ${CMAKE_COMMAND} --build ${work_dir}/build --parallel 2)

file(GLOB sources ${source_dir}/examples/*.cc ${source_dir}/examples/*.c)
list(LENGTH sources count)
if(count LESS 10)
  message(FATAL_ERROR "expected ten examples or more, got ${count}")
endif()
file(READ ${source_dir}/examples/README.md page)
foreach(source ${sources})
  get_filename_component(name ${source} NAME_WE)
  get_filename_component(file ${source} NAME)
  if(NOT page MATCHES "\\[`${file}`\\]\\(${file}\\)")
    message(FATAL_ERROR "examples/README.md does not list ${file}")
  endif()
  must(${name} ${work_dir}/build/${name} ${work_dir}/${name}.db)
  file(READ ${source_dir}/examples/${name}.txt expected)
  if(NOT output STREQUAL expected)
    message(FATAL_ERROR "${name} printed:\n${output}expected:\n${expected}")
  endif()
endforeach()
file(REMOVE_RECURSE ${work_dir})
