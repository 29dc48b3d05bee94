# SPDX-License-Identifier: Apache-2.0
# cmake -D ... -P run.cmake: see Consumer.cmake for what it is given.

include(${CMAKE_CURRENT_LIST_DIR}/must.cmake)

# A program in a directory of its own, and what it has to print.
function(must_print program directory expected)
  file(REMOVE_RECURSE ${directory})
  file(MAKE_DIRECTORY ${directory})
  must("${program}" ${CMAKE_COMMAND} -E chdir ${directory} ${program})
  if(NOT output MATCHES "${expected}")
    message(FATAL_ERROR "${program} printed:\n${output}")
  endif()
endfunction()

# The first ```cpp block of a page, as a source.
function(extract page source)
  file(READ ${source_dir}/${page} text)
  string(FIND "${text}" "```cpp\n" begin)
  if(begin EQUAL -1)
    message(FATAL_ERROR "${page} holds no cpp block")
  endif()
  math(EXPR begin "${begin} + 7")
  string(SUBSTRING "${text}" ${begin} -1 rest)
  string(FIND "${rest}" "```" length)
  string(SUBSTRING "${rest}" 0 ${length} program)
  file(WRITE ${source} "${program}")
endfunction()

# Both pages say the same words.
set(fruit "apple = green\ncherry = red\n")
set(turned_away "1000 found, 999 turned away\n")

set(prefix ${work_dir}/prefix)
file(REMOVE_RECURSE ${work_dir})
must(install ${CMAKE_COMMAND} --install ${build_dir} --prefix ${prefix})

extract(README.md ${work_dir}/example/main.cc)
extract(docs/own_filter.md ${work_dir}/example/own_filter.cc)
configure_file(${CMAKE_CURRENT_LIST_DIR}/rocksdb_program.cc
               ${work_dir}/example/rocksdb_program.cc COPYONLY)
configure_file(${CMAKE_CURRENT_LIST_DIR}/CMakeLists.txt
               ${work_dir}/example/CMakeLists.txt COPYONLY)

must(configure ${CMAKE_COMMAND} -S ${work_dir}/example -B ${work_dir}/build
     -G ${generator} -DCMAKE_PREFIX_PATH=${prefix}
     -DCMAKE_CXX_COMPILER=${compiler} -DTAMIS_VERSION_WANTED=${version})
must(build ${CMAKE_COMMAND} --build ${work_dir}/build)
must_print(${work_dir}/build/example ${work_dir}/run_cmake "${fruit}")
must_print(${work_dir}/build/own_filter ${work_dir}/run_own_filter
           "${turned_away}")

must_print(${work_dir}/build/rocksdb_program ${work_dir}/run_rocksdb "fruit: green\n")

set(ENV{PKG_CONFIG_PATH} ${prefix}/${lib_dir}/pkgconfig)
must(pkg-config ${pkg_config} --static --cflags --libs tamis_rocksdb_compat)
string(STRIP "${output}" flags)
separate_arguments(flags UNIX_COMMAND "${flags}")
must(compile ${compiler} -std=c++20 ${work_dir}/example/rocksdb_program.cc
     -o ${work_dir}/rocksdb_program_pc ${flags})
set(ENV{LD_LIBRARY_PATH} ${prefix}/${lib_dir})
must_print(${work_dir}/rocksdb_program_pc ${work_dir}/run_rocksdb_pc "fruit: green\n")
must(pkg-config ${pkg_config} --static --cflags --libs tamis)
string(STRIP "${output}" flags)
separate_arguments(flags UNIX_COMMAND "${flags}")
must(compile ${compiler} -std=c++20 ${work_dir}/example/main.cc
     -o ${work_dir}/example_pc ${flags})
# A shared library would have to be found at run time.
set(ENV{LD_LIBRARY_PATH} ${prefix}/${lib_dir})
must_print(${work_dir}/example_pc ${work_dir}/run_pc "${fruit}")

foreach(tool tamis_ldb tamis_sst_dump)
  if(NOT EXISTS ${prefix}/bin/${tool} AND EXISTS ${build_dir}/bin/${tool})
    message(FATAL_ERROR "${tool} was not installed")
  endif()
  # Its page and completions, where the build made them.
  foreach(page man/man1/${tool}.1 zsh/site-functions/_${tool}
               bash-completion/completions/${tool})
    if(NOT EXISTS ${prefix}/share/${page} AND
       EXISTS ${build_dir}/pages/man/${tool}.1)
      message(FATAL_ERROR "${page} was not installed")
    endif()
  endforeach()
endforeach()
