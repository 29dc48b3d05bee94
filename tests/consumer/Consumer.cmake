# SPDX-License-Identifier: Apache-2.0
# Installs into a fresh prefix and builds the README's example against it,
# through find_package and through pkg-config. Not under sanitizers, which a
# consumer's build knows nothing of.
if(TAMIS_SANITIZE OR NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
find_program(pkg_config NAMES pkg-config pkgconf)
mark_as_advanced(pkg_config)

add_test(NAME packaging.ReadmeExampleBuildsAgainstTheInstalledTree
         COMMAND ${CMAKE_COMMAND}
                 -D source_dir=${PROJECT_SOURCE_DIR}
                 -D build_dir=${PROJECT_BINARY_DIR}
                 -D work_dir=${PROJECT_BINARY_DIR}/consumer
                 -D lib_dir=${CMAKE_INSTALL_LIBDIR}
                 -D version=${PROJECT_VERSION}
                 -D compiler=${CMAKE_CXX_COMPILER}
                 -D generator=${CMAKE_GENERATOR}
                 -D pkg_config=${pkg_config}
                 -P ${CMAKE_CURRENT_LIST_DIR}/run.cmake)
set_tests_properties(packaging.ReadmeExampleBuildsAgainstTheInstalledTree
                     PROPERTIES LABELS packaging TIMEOUT 300)

add_test(NAME packaging.ExamplesPrintWhatTheyAreSaidTo
         COMMAND ${CMAKE_COMMAND}
                 -D source_dir=${PROJECT_SOURCE_DIR}
                 -D build_dir=${PROJECT_BINARY_DIR}
                 -D work_dir=${PROJECT_BINARY_DIR}/examples
                 -D compiler=${CMAKE_CXX_COMPILER}
                 -D generator=${CMAKE_GENERATOR}
                 -P ${CMAKE_CURRENT_LIST_DIR}/examples.cmake)
set_tests_properties(packaging.ExamplesPrintWhatTheyAreSaidTo
                     PROPERTIES LABELS packaging TIMEOUT 300)

if(TARGET tamis_shared AND TARGET tamis_leveldb)
  add_test(NAME packaging.DebianPackagesWorkInAnEmptyRoot
           COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/packages.sh ${CMAKE_COMMAND}
                   ${PROJECT_BINARY_DIR} ${CMAKE_CXX_COMPILER}
                   ${PROJECT_BINARY_DIR}/packages_test)
  set_tests_properties(packaging.DebianPackagesWorkInAnEmptyRoot
                       PROPERTIES LABELS packaging TIMEOUT 300 RUN_SERIAL ON)
  add_test(NAME packaging.TheSharedLibraryExportsThePublicInterfaceAlone
           COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/symbols.sh ${CMAKE_COMMAND}
                   ${PROJECT_BINARY_DIR})
  set_tests_properties(packaging.TheSharedLibraryExportsThePublicInterfaceAlone
                       PROPERTIES LABELS packaging TIMEOUT 300 RUN_SERIAL ON)
  add_test(NAME packaging.ThePythonPackagePassesItsTests
           COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/python.sh ${CMAKE_COMMAND}
                   ${PROJECT_BINARY_DIR} ${PROJECT_BINARY_DIR}/python_test)
  set_tests_properties(packaging.ThePythonPackagePassesItsTests
                       PROPERTIES LABELS packaging TIMEOUT 300 RUN_SERIAL ON
                                  SKIP_RETURN_CODE 77)
endif()

add_test(NAME packaging.RecipesCanBeParsedAndNameEveryLibrary
         COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/recipes.sh ${CMAKE_COMMAND}
                 ${PROJECT_BINARY_DIR}/recipes)
set_tests_properties(packaging.RecipesCanBeParsedAndNameEveryLibrary
                     PROPERTIES LABELS packaging TIMEOUT 60)

add_test(NAME packaging.ConfiguringSaysWhatIsMissingAndOptimisesByItself
         COMMAND ${CMAKE_COMMAND}
                 -D source_dir=${PROJECT_SOURCE_DIR}
                 -D work_dir=${PROJECT_BINARY_DIR}/configure
                 -D compiler=${CMAKE_CXX_COMPILER}
                 -D generator=${CMAKE_GENERATOR}
                 -P ${CMAKE_CURRENT_LIST_DIR}/configure.cmake)
set_tests_properties(packaging.ConfiguringSaysWhatIsMissingAndOptimisesByItself
                     PROPERTIES LABELS packaging TIMEOUT 120)

add_test(NAME packaging.AStatusMayBeIgnoredUnlessAMacroIsDefined
         COMMAND ${CMAKE_COMMAND}
                 -D source_dir=${PROJECT_SOURCE_DIR}
                 -D work_dir=${PROJECT_BINARY_DIR}/nodiscard
                 -D compiler=${CMAKE_CXX_COMPILER}
                 -P ${CMAKE_CURRENT_LIST_DIR}/nodiscard.cmake)
set_tests_properties(packaging.AStatusMayBeIgnoredUnlessAMacroIsDefined
                     PROPERTIES LABELS packaging TIMEOUT 60)
