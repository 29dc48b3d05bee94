// SPDX-License-Identifier: Apache-2.0
#include "tools/tour_corpus.h"

#include <filesystem>
#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include "tests/support/directories.h"

namespace tamis {
namespace {

void Write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

TEST(TourCorpusTest, TheLastPackageThatListsAPathOwnsIt) {
  const TemporaryDirectory directory;
  const std::string& dir = directory.path();
  Write(dir + "/adduser.list", "/.\n/usr\n/usr/sbin/adduser\n");
  Write(dir + "/libc6:amd64.list", "/.\n/usr\n\n/lib/libc.so.6\n");
  Write(dir + "/libc6:amd64.md5sums", "/not/a/list\n");
  const Result<Corpus> corpus = ReadPackageLists(dir);
  ASSERT_TRUE(corpus.ok()) << corpus.status();
  const std::map<std::string, std::string> expected = {
      {"/.", "libc6"},
      {"/usr", "libc6"},
      {"/lib/libc.so.6", "libc6"},
      {"/usr/sbin/adduser", "adduser"}};
  EXPECT_EQ(corpus->entries, expected);
}

TEST(TourCorpusTest, TextGivesALineAKeyWithFileAndLineNumber) {
  const TemporaryDirectory directory;
  const std::string& dir = directory.path();
  std::filesystem::create_directories(dir + "/sub");
  Write(dir + "/a.txt", "one\n\ntwo\n");
  Write(dir + "/sub/b.txt", "two\nthree");
  const Result<Corpus> corpus = ReadTextCorpus({dir});
  ASSERT_TRUE(corpus.ok()) << corpus.status();
  const std::map<std::string, std::string> expected = {
      {"one", dir + "/a.txt:1"},
      {"two", dir + "/sub/b.txt:1"},
      {"three", dir + "/sub/b.txt:2"}};
  EXPECT_EQ(corpus->entries, expected);
}

TEST(TourCorpusTest, UnreadableFilesAreNamedInTheError) {
  const Result<Corpus> corpus = ReadTextCorpus({"/no/such/file"});
  ASSERT_FALSE(corpus.ok());
  EXPECT_NE(corpus.status().ToString().find("/no/such/file"),
            std::string::npos);
}

TEST(TourCorpusTest, AbsentKeysLieAmongThePresentOnes) {
  Corpus corpus;
  for (int i = 0; i < 2000; i++) {
    corpus.entries["/usr/share/" + std::to_string(i * 7919 % 10000)] = "x";
  }
  const std::vector<std::string> absent = AbsentKeys(corpus, 42);
  EXPECT_EQ(absent.size(), corpus.entries.size());
  EXPECT_EQ(std::set<std::string>(absent.begin(), absent.end()).size(),
            absent.size());
  const std::string& first = corpus.entries.begin()->first;
  const std::string& last = corpus.entries.rbegin()->first;
  for (const std::string& key : absent) {
    EXPECT_FALSE(corpus.entries.contains(key)) << key;
    EXPECT_TRUE(corpus.entries.contains(key.substr(0, key.size() - 1))) << key;
    EXPECT_TRUE(first < key && key < last) << key;
  }
  EXPECT_EQ(AbsentKeys(corpus, 42), absent);
  EXPECT_NE(AbsentKeys(corpus, 43), absent);
}

}  // namespace
}  // namespace tamis
