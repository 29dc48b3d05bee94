# SPDX-License-Identifier: Apache-2.0
# An overlay port of the checkout that this file lies in.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
vcpkg_check_features(OUT_FEATURE_OPTIONS features FEATURES
  tools TAMIS_BUILD_TOOLS)
string(COMPARE EQUAL "${VCPKG_LIBRARY_LINKAGE}" "dynamic" shared)
vcpkg_find_acquire_program(PKGCONFIG)
vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${features}
    -DTAMIS_BUILD_SHARED=${shared}
    -DTAMIS_BUILD_ROCKSDB_API=OFF
    -DTAMIS_BUILD_LEVELDB_FACADE=OFF
    -DPKG_CONFIG_EXECUTABLE=${PKGCONFIG})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME Tamis CONFIG_PATH lib/cmake/Tamis)
vcpkg_fixup_pkgconfig()
if("tools" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES tamis_ldb tamis_sst_dump tamis_db_bench AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include"
     "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
