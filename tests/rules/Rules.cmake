# SPDX-License-Identifier: Apache-2.0
# What a compiler does not check of the sources, and that each check notices a
# breach: those of tests/rules/broken/.

# tamis_rule(<script> <claim> <the claim that a breach is found>
#            <regex of what is said of broken/> [<argument>...])
function(tamis_rule script claim found said)
  set(path ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${script})
  add_test(NAME rules.${claim}
           COMMAND bash ${path} ${PROJECT_SOURCE_DIR} ${ARGN})
  add_test(NAME rules.${found}
           COMMAND bash ${path} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/broken ${ARGN})
  set_tests_properties(rules.${found} PROPERTIES PASS_REGULAR_EXPRESSION "${said}")
endfunction()

tamis_rule(folder_rule.sh IncludesFollowTheOrderOfTheFolders
           AnIncludeAgainstTheOrderIsFound "util/base never includes filter")
tamis_rule(name_rule.sh NoTwoHeadersDefineOneClass
           ADuplicateClassIsFound "Twice is defined in db/twice.h too")
tamis_rule(hidden_rule.sh SourcesCompiledTogetherHideDifferentNames
           ADuplicateHiddenNameIsFound
           "Twofold is a hidden name of util/base/first.cc too" ${tamis_alone})
tamis_rule(group_rule.sh SourcesOfAGroupKeepTheirNames
           AnOverloadOfAnotherSourceIsFound
           "first_test.cc: its Overload is a word of tests/util/second_test.cc")
tamis_rule(docs_rule.sh PagesNameEveryAbsentOptionAndLinkToFiles
           ALinkThatLeadsNowhereIsFound "start.md: there is no nowhere.md")
tamis_rule(size_rule.sh FunctionsAndFilesAreShort
           ALongFunctionIsFound "long.cc:5: a function of 73 lines")
tamis_rule(include_rule.sh IncludesAreUsed
           AnUnusedIncludeIsFound
           "unused.h:6: nothing of db/twice.h is used")
tamis_rule(options_rule.sh EveryOptionIsInItsTable
           AnOmittedOptionIsFound "forgotten is missing")
tamis_rule(c_api_rule.sh EveryOptionHasACFunction
           AnOptionWithoutACFunctionIsFound
           "DBOptions::forgotten has no function.*there is no field Gone::field")
tamis_rule(testdata_rule.sh EveryDataFileIsRun
           AnUnusedDataFileIsFound "forgotten.txt: no test runs it")
tamis_rule(lock_rule.sh EveryMutexHasItsPlaceInTheOrder
           AnUnlistedMutexIsFound
           "Gone::mutex_ is no mutex.*Unlisted::forgotten_mutex_ is missing")
tamis_rule(log_rule.sh EveryEventOfLOGIsDescribed
           AnEventWithoutADescriptionIsFound
           "event forgotten is missing.*no source writes event gone")
tamis_rule(names_rule.sh TheArchitecturePageNamesExistingCode
           AStaleNameIsFound
           "there is no db/gone.cc.*no source has the word NoSuchClass"
           docs/architecture.md)
tamis_rule(words_rule.sh CommentsUseTheGlossary
           AForbiddenWordIsFound "words.h:3:.* walk over.*words.h:4:.* goes on")

set(run_mutants ${CMAKE_CURRENT_LIST_DIR}/../mutation/run.sh)
add_test(NAME rules.EveryMutantHasItsPlace
         COMMAND bash ${run_mutants} --check ${PROJECT_SOURCE_DIR})
add_test(NAME rules.AMutantWithoutAPlaceIsFound
         COMMAND bash ${run_mutants} --check ${CMAKE_CURRENT_LIST_DIR}/broken)
set_tests_properties(rules.AMutantWithoutAPlaceIsFound PROPERTIES
  PASS_REGULAR_EXPRESSION "lost: its text is not in db/twice.h")

if(CMAKE_READELF)
  set(guard_rule ${CMAKE_CURRENT_LIST_DIR}/guard_rule.sh ${CMAKE_READELF})
  add_test(NAME rules.NoStaticIsInitializedAtFirstUse
           COMMAND bash ${guard_rule} $<TARGET_FILE:tamis>)
  add_library(tamis_broken_guard OBJECT ${CMAKE_CURRENT_LIST_DIR}/broken/guard.cc)
  add_test(NAME rules.AStaticThatIsInitializedAtFirstUseIsFound
           COMMAND bash ${guard_rule} $<TARGET_OBJECTS:tamis_broken_guard>)
  set_tests_properties(rules.AStaticThatIsInitializedAtFirstUseIsFound PROPERTIES
    PASS_REGULAR_EXPRESSION "MadeAtFirstUse")
endif()
