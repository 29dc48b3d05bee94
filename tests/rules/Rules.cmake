# SPDX-License-Identifier: Apache-2.0
# The direction of dependency, checked on the #include lines; that no class is
# defined twice; that sources which are compiled together hide their names from
# each other; that no child is forked into an initialization; that every file of
# cases is run; that every mutant still has its place; and that the checks would
# notice.
add_test(NAME rules.IncludesFollowTheDirectionOfDependency
         COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/folder_rule.sh
                 ${PROJECT_SOURCE_DIR})
add_test(NAME rules.AnIncludeAgainstTheDirectionIsFound
         COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/folder_rule.sh
                 ${CMAKE_CURRENT_LIST_DIR}/broken)
set_tests_properties(rules.AnIncludeAgainstTheDirectionIsFound PROPERTIES
  PASS_REGULAR_EXPRESSION "util/base never includes filter")

add_test(NAME rules.NoTwoHeadersDefineOneClass
         COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/name_rule.sh
                 ${PROJECT_SOURCE_DIR})
add_test(NAME rules.AClassThatIsDefinedTwiceIsFound
         COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/name_rule.sh
                 ${CMAKE_CURRENT_LIST_DIR}/broken)
set_tests_properties(rules.AClassThatIsDefinedTwiceIsFound PROPERTIES
  PASS_REGULAR_EXPRESSION "Twice is defined in db/twice.h too")

add_test(NAME rules.SourcesCompiledTogetherHideDifferentNames
         COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/hidden_rule.sh
                 ${PROJECT_SOURCE_DIR} ${tamis_alone})
add_test(NAME rules.AHiddenNameThatIsUsedTwiceIsFound
         COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/hidden_rule.sh
                 ${CMAKE_CURRENT_LIST_DIR}/broken)
set_tests_properties(rules.AHiddenNameThatIsUsedTwiceIsFound PROPERTIES
  PASS_REGULAR_EXPRESSION "Twofold is a hidden name of util/base/first.cc too")

add_test(NAME rules.FunctionsAndFilesAreShort
         COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/size_rule.sh
                 ${PROJECT_SOURCE_DIR})
add_test(NAME rules.ALongFunctionIsFound
         COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/size_rule.sh
                 ${CMAKE_CURRENT_LIST_DIR}/broken)
set_tests_properties(rules.ALongFunctionIsFound PROPERTIES
  PASS_REGULAR_EXPRESSION "long.cc:5: a function of 73 lines")

add_test(NAME rules.IncludesAreUsed
         COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/include_rule.sh
                 ${PROJECT_SOURCE_DIR})
add_test(NAME rules.AnIncludeThatIsNotUsedIsFound
         COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/include_rule.sh
                 ${CMAKE_CURRENT_LIST_DIR}/broken)
set_tests_properties(rules.AnIncludeThatIsNotUsedIsFound PROPERTIES
  PASS_REGULAR_EXPRESSION "unused.h:6: nothing of db/twice.h is used")

add_test(NAME rules.EveryOptionIsShown
         COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/options_rule.sh
                 ${PROJECT_SOURCE_DIR})
add_test(NAME rules.AnOptionThatIsNotShownIsFound
         COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/options_rule.sh
                 ${CMAKE_CURRENT_LIST_DIR}/broken)
set_tests_properties(rules.AnOptionThatIsNotShownIsFound PROPERTIES
  PASS_REGULAR_EXPRESSION "forgotten is missing")

add_test(NAME rules.EveryFileOfCasesIsRun
         COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/testdata_rule.sh
                 ${PROJECT_SOURCE_DIR})
add_test(NAME rules.AFileOfCasesThatNoTestRunsIsFound
         COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/testdata_rule.sh
                 ${CMAKE_CURRENT_LIST_DIR}/broken)
set_tests_properties(rules.AFileOfCasesThatNoTestRunsIsFound PROPERTIES
  PASS_REGULAR_EXPRESSION "forgotten.txt: no test runs it")

if(CMAKE_READELF)
  add_test(NAME rules.NoStaticIsInitializedAtFirstUse
           COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/guard_rule.sh ${CMAKE_READELF}
                   $<TARGET_FILE:tamis>)
  add_library(tamis_broken_guard OBJECT ${CMAKE_CURRENT_LIST_DIR}/broken/guard.cc)
  add_test(NAME rules.AStaticThatIsInitializedAtFirstUseIsFound
           COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/guard_rule.sh ${CMAKE_READELF}
                   $<TARGET_OBJECTS:tamis_broken_guard>)
  set_tests_properties(rules.AStaticThatIsInitializedAtFirstUseIsFound PROPERTIES
    PASS_REGULAR_EXPRESSION "MadeAtFirstUse")
endif()

add_test(NAME rules.EveryMutantHasItsPlace
         COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/../mutation/run.sh --check
                 ${PROJECT_SOURCE_DIR})
add_test(NAME rules.AMutantThatHasLostItsPlaceIsFound
         COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/../mutation/run.sh --check
                 ${CMAKE_CURRENT_LIST_DIR}/broken)
set_tests_properties(rules.AMutantThatHasLostItsPlaceIsFound PROPERTIES
  PASS_REGULAR_EXPRESSION "lost: its text is not in db/twice.h")
