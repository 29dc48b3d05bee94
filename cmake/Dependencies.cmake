# SPDX-License-Identifier: Apache-2.0
# What Tamis takes from elsewhere. tamis_codecs carries it to the folders.
find_package(Threads REQUIRED)
find_package(Snappy CONFIG REQUIRED)
find_package(PkgConfig REQUIRED)
# Header only: compiled in, no library to link.
pkg_check_modules(xxhash REQUIRED libxxhash)

# Codecs that are used where they are found. A build without one refuses its
# blocks by name.
set(codec_libraries Snappy::snappy)
set(codec_definitions "")
set(codecs_found snappy)
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
    pkg_check_modules(${name} IMPORTED_TARGET ${module})
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
    endif()
  endif()
endmacro()

tamis_codec_by_pkg_config(lz4 liblz4)
tamis_codec_by_pkg_config(zstd libzstd)
if(TAMIS_WITH_ZLIB)
  find_package(ZLIB)
  if(ZLIB_FOUND)
    list(APPEND codec_libraries ZLIB::ZLIB)
    list(APPEND codec_definitions TAMIS_HAVE_ZLIB)
    list(APPEND codecs_found zlib)
    list(APPEND codec_pc_requires zlib)
    string(APPEND codec_dependencies "find_dependency(ZLIB)\n")
  endif()
endif()
if(TAMIS_WITH_BZIP2)
  find_package(BZip2)
  if(BZIP2_FOUND)
    list(APPEND codec_libraries BZip2::BZip2)
    list(APPEND codec_definitions TAMIS_HAVE_BZIP2)
    list(APPEND codecs_found bzip2)
    # Not every distribution gives it a .pc file.
    string(APPEND codec_pc_libs " -lbz2")
    string(APPEND codec_dependencies "find_dependency(BZip2)\n")
  endif()
endif()
list(JOIN codec_pc_requires ", " codec_pc_requires)

add_library(tamis_codecs INTERFACE)
target_link_libraries(tamis_codecs INTERFACE ${codec_libraries} Threads::Threads)
target_include_directories(tamis_codecs SYSTEM INTERFACE ${xxhash_INCLUDE_DIRS})
file(GLOB codec_sources RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
     util/codec_*.cc)
set_source_files_properties(${codec_sources} PROPERTIES
  COMPILE_DEFINITIONS "${codec_definitions}")
