# SPDX-License-Identifier: Apache-2.0
# What Tamis takes from elsewhere. tamis_codecs carries it to the folders.
find_package(Threads REQUIRED)
find_package(Snappy CONFIG REQUIRED)
find_package(PkgConfig REQUIRED)
# Header only: compiled in, no library to link.
pkg_check_modules(xxhash REQUIRED libxxhash)

add_library(tamis_codecs INTERFACE)
target_link_libraries(tamis_codecs INTERFACE Snappy::snappy Threads::Threads)
target_include_directories(tamis_codecs SYSTEM INTERFACE ${xxhash_INCLUDE_DIRS})
