// SPDX-License-Identifier: Apache-2.0
//
// LOG as events, as spans over time and as a page; and tamis_ldb timeline,
// which shows them, as a program.
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/data_driven.h"
#include "tests/support/directories.h"
#include "tests/tools/program.h"
#include "tools/log_events.h"
#include "tools/log_page.h"
#include "tools/log_spans.h"

namespace tamis {
namespace {

using Json = nlohmann::json;

TEST(LogTimelineTest, AnEventIsItsTimeNameAndValues) {
  LogEvent event;
  ASSERT_TRUE(ParseLogEvent(
      R"(1970/01/02-00:00:01.500000 event=flush_end job=3 tables=2,0,4 )"
      R"(status="IO error: \"x\" = \\ \x0A." family="" last=)",
      &event));
  EXPECT_DOUBLE_EQ(event.seconds, 86401.5);
  EXPECT_EQ(event.name, "flush_end");
  EXPECT_EQ(event.Number("job"), 3u);
  EXPECT_EQ(event.Numbers("tables"), (std::vector<uint64_t>{2, 0, 4}));
  EXPECT_EQ(event.Value("status"), "IO error: \"x\" = \\ \n.");
  EXPECT_EQ(event.Value("family"), "");
  EXPECT_EQ(event.Value("absent"), "");
  EXPECT_EQ(event.Number("tables"), 0u);
  EXPECT_EQ(event.values.size(), 5u);
  EXPECT_EQ(event.words[2], R"(status="IO error: \"x\" = \\ \x0A.")");

  for (const char* line :
       {"", "event=flush_end job=3", "2026/02/30-00:00:00.000000 event=x",
        "2026/02/28-00:00:00.000000 ** DB Stats **",
        "2026/02/28-00:00:00.000000", "2026/02/28-00:00:00.00000 event=x"}) {
    EXPECT_FALSE(ParseLogEvent(line, &event)) << line;
  }
}

TEST(LogTimelineTest, AQuoteWithoutAnEndIsTheRestOfTheLine) {
  LogEvent event;
  for (const char* rest : {R"(a="b c)", R"(a="b\)", R"(a="\x)", "a==", "="}) {
    EXPECT_TRUE(ParseLogEvent(
        "2026/02/28-00:00:00.000000 event=x " + std::string(rest), &event));
    EXPECT_EQ(event.values.size(), 1u) << rest;
  }
}

TEST(LogTimelineTest, SpansAreDrawn) {
  RunDataFile("tools/log_timeline.txt",
              {{"timeline", [](const DataCase& c) {
                  return SpansText(SpansOf(ParseLogEvents(c.input())),
                                   c.Number("columns"));
                }}});
}

TEST(LogTimelineTest, WhatADatabaseDidIsDrawnWithoutIt) {
  const TemporaryDirectory folder;
  const std::string db = folder.Path("db");
  ASSERT_EQ(RunOurs("tamis_db_bench",
                    {"--benchmarks=fillrandom,overwrite,compact", "--num=20000",
                     "--write_buffer_size=100000", "--db=" + db})
                .exit_code,
            0);
  // The program closed it and opened it again for nothing; all but LOG goes.
  for (const auto& entry : std::filesystem::directory_iterator(db)) {
    if (!entry.path().filename().string().starts_with("LOG")) {
      std::filesystem::remove(entry.path());
    }
  }
  const Outcome text = RunOurs("tamis_ldb", {"--db=" + db, "timeline"});
  EXPECT_EQ(text.exit_code, 0) << text.text;
  EXPECT_NE(text.text.find("  open "), std::string::npos);
  EXPECT_NE(text.text.find("  flush 1 "), std::string::npos);
  EXPECT_NE(text.text.find("  close "), std::string::npos);

  const Json events = Json::parse(
      RunOurs("tamis_ldb", {"--db=" + db, "timeline", "--json"}).text);
  std::set<std::string> names;
  double last = 0;
  for (const Json& event : events) {
    names.insert(event["event"]);
    EXPECT_GE(event["seconds"].get<double>() + 1, last);
    last = event["seconds"];
  }
  EXPECT_TRUE(names.contains("compaction_end"));
  EXPECT_TRUE(names.contains("table_written"));

  const std::string page = folder.Path("page.html");
  const Outcome drawn =
      RunOurs("tamis_ldb", {"--db=" + db, "timeline", "--html=" + page});
  ASSERT_EQ(drawn.exit_code, 0) << drawn.text;
  const std::string html = ReadWholeFile(page);
  for (const char* title :
       {"Bytes written", "Write amplification", "Bytes by level",
        "Tables by level", "Filters of the tables written"}) {
    EXPECT_NE(html.find("<h3>" + std::string(title)), std::string::npos)
        << title;
  }
  EXPECT_NE(html.find("Longest jobs"), std::string::npos);
  EXPECT_NE(html.find("FastLocalBloom</text>"), std::string::npos);
}

TEST(LogTimelineTest, RenamedLogsComeFirst) {
  const TemporaryDirectory folder;
  const auto write = [&](const std::string& name, int second) {
    std::ofstream(folder.Path(name))
        << "2026/01/01-00:00:0" << second << ".000000 event=e" << second
        << " status=OK\n";
  };
  write("LOG", 3);
  write("LOG.old.1000", 2);
  write("LOG.old.999", 1);
  const Json events = Json::parse(
      RunOurs("tamis_ldb", {"--db=" + folder.path(), "timeline", "--json"})
          .text);
  ASSERT_EQ(events.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(events[i]["event"], "e" + std::to_string(i + 1));
  }
  // Files, in the order that they are given in.
  const Json one = Json::parse(
      RunOurs("tamis_ldb", {"timeline", folder.Path("LOG.old.999"), "--json"})
          .text);
  EXPECT_EQ(one.size(), 1u);
}

TEST(LogTimelineTest, WhatIsNoLogIsAnError) {
  const TemporaryDirectory folder;
  EXPECT_EQ(RunOurs("tamis_ldb", {"timeline"}).exit_code, 2);
  EXPECT_EQ(
      RunOurs("tamis_ldb", {"--db=" + folder.path(), "timeline"}).exit_code, 1);
  std::ofstream(folder.Path("LOG")) << "no event\n";
  const Outcome outcome =
      RunOurs("tamis_ldb", {"--db=" + folder.path(), "timeline"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.text.find("no line of an event"), std::string::npos);
}

}  // namespace
}  // namespace tamis
