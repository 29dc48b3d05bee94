# SPDX-License-Identifier: Apache-2.0
# What Tamis takes from elsewhere. tamis_codecs carries it to the folders.
# All that is missing is named at once, with the Debian packages that have it.
set(missing "")
set(missing_packages "")

# tamis_need(<found> <what> <Debian package>)
macro(tamis_need found what package)
  if(NOT ${found})
    string(APPEND missing "\n  ${what}")
    string(APPEND missing_packages " ${package}")
  endif()
endmacro()

find_package(Threads REQUIRED)
find_package(PkgConfig QUIET)
tamis_need(PKG_CONFIG_FOUND "pkg-config, which finds the codecs" pkg-config)
find_package(Snappy CONFIG QUIET)
tamis_need(Snappy_FOUND "snappy" libsnappy-dev)
# Header only: compiled in, no library to link.
find_path(xxhash_include xxhash.h)
mark_as_advanced(xxhash_include)
tamis_need(xxhash_include "xxhash.h" libxxhash-dev)
if(TAMIS_BUILD_TOOLS)
  find_package(gflags CONFIG QUIET)
  tamis_need(gflags_FOUND "gflags, for the tools (-DTAMIS_BUILD_TOOLS=OFF goes \
without)" libgflags-dev)
  find_package(nlohmann_json CONFIG QUIET)
  tamis_need(nlohmann_json_FOUND "nlohmann-json, for the tools \
(-DTAMIS_BUILD_TOOLS=OFF goes without)" nlohmann-json3-dev)
endif()
if(TAMIS_BUILD_TESTS)
  find_package(GTest QUIET)
  tamis_need(GTest_FOUND "GoogleTest, for the tests (-DTAMIS_BUILD_TESTS=OFF \
goes without)" libgtest-dev)
  find_package(nlohmann_json CONFIG QUIET)
  tamis_need(nlohmann_json_FOUND "nlohmann-json, for the tests (-DTAMIS_BUILD_TESTS=OFF \
goes without)" nlohmann-json3-dev)
endif()
if(missing)
  message(FATAL_ERROR "Tamis needs what is not installed:${missing}\n\
On Debian or Ubuntu:\n  apt-get install${missing_packages}")
endif()

# Codecs that are used where they are found. A build without one refuses its
# blocks by name.
set(codec_libraries Snappy::snappy)
set(codec_definitions "")
set(codecs_found snappy)
set(codecs_missing "")
# What the installed packages say of them (TamisConfig.cmake, tamis.pc).
set(codec_dependencies "")
set(codec_pc_requires snappy)
set(codec_pc_libs "")

option(TAMIS_WITH_LZ4 "Use lz4 where it is found" ON)
option(TAMIS_WITH_ZSTD "Use zstd where it is found" ON)
option(TAMIS_WITH_ZLIB "Use zlib where it is found" ON)
option(TAMIS_WITH_BZIP2 "Use bzip2 where it is found" ON)

# tamis_codec_by_pkg_config(<name> <module>)
macro(tamis_codec_by_pkg_config name module)
  string(TOUPPER ${name} upper)
  if(TAMIS_WITH_${upper})
    pkg_check_modules(${name} QUIET IMPORTED_TARGET ${module})
    if(${name}_FOUND)
      list(APPEND codec_libraries PkgConfig::${name})
      list(APPEND codec_definitions TAMIS_HAVE_${upper})
      list(APPEND codecs_found ${name})
      list(APPEND codec_pc_requires ${module})
      if(NOT codec_dependencies MATCHES "PkgConfig")
        string(APPEND codec_dependencies "find_dependency(PkgConfig)\n")
      endif()
      string(APPEND codec_dependencies
             "pkg_check_modules(${name} REQUIRED IMPORTED_TARGET ${module})\n")
    else()
      list(APPEND codecs_missing ${name})
    endif()
  endif()
endmacro()

tamis_codec_by_pkg_config(lz4 liblz4)
tamis_codec_by_pkg_config(zstd libzstd)
if(TAMIS_WITH_ZLIB)
  find_package(ZLIB QUIET)
  if(ZLIB_FOUND)
    list(APPEND codec_libraries ZLIB::ZLIB)
    list(APPEND codec_definitions TAMIS_HAVE_ZLIB)
    list(APPEND codecs_found zlib)
    list(APPEND codec_pc_requires zlib)
    string(APPEND codec_dependencies "find_dependency(ZLIB)\n")
  else()
    list(APPEND codecs_missing zlib)
  endif()
endif()
if(TAMIS_WITH_BZIP2)
  find_package(BZip2 QUIET)
  if(BZIP2_FOUND)
    list(APPEND codec_libraries BZip2::BZip2)
    list(APPEND codec_definitions TAMIS_HAVE_BZIP2)
    list(APPEND codecs_found bzip2)
    # Not every distribution gives it a .pc file.
    string(APPEND codec_pc_libs " -lbz2")
    string(APPEND codec_dependencies "find_dependency(BZip2)\n")
  else()
    list(APPEND codecs_missing bzip2)
  endif()
endif()
list(JOIN codec_pc_requires ", " codec_pc_requires)

add_library(tamis_codecs INTERFACE)
target_link_libraries(tamis_codecs INTERFACE ${codec_libraries} Threads::Threads)
target_include_directories(tamis_codecs SYSTEM INTERFACE ${xxhash_include})
file(GLOB codec_sources RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
     util/compression/codec_*.cc)
set_source_files_properties(${codec_sources} PROPERTIES
  COMPILE_DEFINITIONS "${codec_definitions}")
