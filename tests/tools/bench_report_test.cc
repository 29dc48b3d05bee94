// SPDX-License-Identifier: Apache-2.0
//
// Charts as SVG, the page around them, and the samples over time that a report
// draws.

#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/directories.h"
#include "tests/tools/program.h"
#include "tools/html_page.h"
#include "tools/latency_histogram.h"
#include "tools/svg_chart.h"
#include "tools/timeline_samples.h"

namespace tamis {
namespace {

size_t Occurrences(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + part.size())) {
    ++n;
  }
  return n;
}

TEST(SvgChartTest, PointsAreWhereTheirValuesAre) {
  const Chart chart{.title = "a < b",
                    .unit = "MB",
                    .seconds = {0, 5, 10},
                    .series = {{"one", {0, 50, 100}}, {"two", {100, 0, 25}}}};
  const std::string svg = ToFigure(chart);
  EXPECT_NE(svg.find("<h3>a &lt; b (MB)</h3>"), std::string::npos);
  // The plane is 900 by 240, without margins of 64, 12, 14 and 40.
  EXPECT_NE(
      svg.find("points=\"64.0,200.0 476.0,107.0 888.0,14.0\" class=\"s0\""),
      std::string::npos)
      << svg;
  EXPECT_NE(
      svg.find("points=\"64.0,14.0 476.0,200.0 888.0,153.5\" class=\"s1\""),
      std::string::npos)
      << svg;
  EXPECT_EQ(Occurrences(svg, "<circle"), 6u);
  EXPECT_NE(svg.find("<title>one: 50 MB at 5 s</title>"), std::string::npos);
  EXPECT_NE(svg.find("<span class=\"s1\">two</span>"), std::string::npos);
}

TEST(SvgChartTest, BandsLimitsAndMarks) {
  const std::string svg =
      ToFigure({.title = "t",
                .unit = "",
                .seconds = {0, 10},
                .series = {{"s", {1, 2}}},
                .bands = {{2, 4, "stall", "writes \"stopped\""}},
                .limits = {{"limit", 4}},
                .marks = {{5, "second"}}});
  EXPECT_NE(svg.find("<rect x=\"228.8\" y=\"14.0\" width=\"164.8\" "
                     "height=\"186.0\" class=\"stall\"><title>writes "
                     "&quot;stopped&quot;</title></rect>"),
            std::string::npos)
      << svg;
  EXPECT_NE(svg.find("class=\"limit\"/>"), std::string::npos);
  EXPECT_NE(svg.find(">second</text>"), std::string::npos);
}

// Powers of ten are equally far apart; what has no logarithm is left out.
TEST(SvgChartTest, ALogarithmicAxis) {
  const std::string svg = ToFigure({.title = "t",
                                    .unit = "us",
                                    .seconds = {0, 1, 2},
                                    .series = {{"s", {1, 0, 100}}},
                                    .logarithmic = true});
  EXPECT_NE(svg.find("points=\"64.0,200.0 888.0,14.0\""), std::string::npos)
      << svg;
  EXPECT_EQ(Occurrences(svg, "<circle"), 2u);
}

TEST(SvgChartTest, NothingToDrawIsAnEmptyPlane) {
  const std::string svg =
      ToFigure({.title = "t", .unit = "", .seconds = {}, .series = {}});
  EXPECT_EQ(svg.find("nan"), std::string::npos) << svg;
  EXPECT_EQ(svg.find("inf"), std::string::npos) << svg;
}

TEST(SvgChartTest, NumbersAreShort) {
  EXPECT_EQ(ShortNumber(0), "0");
  EXPECT_EQ(ShortNumber(999), "999");
  EXPECT_EQ(ShortNumber(999.6), "1k");
  EXPECT_EQ(ShortNumber(1234567), "1.23M");
  EXPECT_EQ(ShortNumber(0.0351), "0.0351");
}

TEST(HtmlPageTest, TextsAreEscapedAndFilesAreEncoded) {
  HtmlPage page("a & b");
  page.Heading("<h>");
  page.Download("save", "x.json", "application/json", "{\"a\": 1}\n");
  page.Add(HtmlTable({{"name"}, {"<td>"}}));
  const std::string html = page.ToString();
  EXPECT_NE(html.find("<title>a &amp; b</title>"), std::string::npos);
  EXPECT_NE(html.find("<h2>&lt;h&gt;</h2>"), std::string::npos);
  EXPECT_NE(html.find("data:application/json,%7B%22a%22%3A%201%7D%0A"),
            std::string::npos);
  EXPECT_NE(html.find("<th>name</th>"), std::string::npos);
  EXPECT_NE(html.find("<td>&lt;td&gt;</td>"), std::string::npos);
  EXPECT_EQ(html.find("http"), std::string::npos);  // nothing from elsewhere
}

TEST(LatencyHistogramTest, WhatWasAddedSince) {
  LatencyHistogram growing;
  growing.Add(100);
  growing.Add(1000);
  LatencyHistogram before;
  before.AddSince(LatencyHistogram(), growing);
  EXPECT_EQ(before.count(), 2u);
  growing.Add(50);
  growing.Add(50);
  LatencyHistogram fresh;
  fresh.AddSince(before, growing);
  EXPECT_EQ(fresh.count(), 2u);
  EXPECT_EQ(fresh.Quantile(1), 50u);
}

// Ten thousand samples of two benchmarks, in bounded memory: nothing is lost,
// and no sample is of both.
TEST(SampleListTest, NeighboursAreMerged) {
  SampleList list(100);
  uint64_t operations = 0;
  for (int i = 0; i < 10'000; ++i) {
    TimelineSample sample;
    sample.benchmark = i < 5000 ? 0 : 1;
    sample.seconds = i + 1;
    sample.interval = 1;
    sample.operations = static_cast<uint64_t>(i);
    sample.latency.Add(1000);
    sample.level_files = {static_cast<uint64_t>(i)};
    sample.tickers[BYTES_WRITTEN] = 3;
    operations += sample.operations;
    list.Add(std::move(sample));
    ASSERT_LE(list.all().size(), 101u);
  }
  EXPECT_GE(list.all().size(), 40u);
  uint64_t sum = 0;
  uint64_t latencies = 0;
  uint64_t ticks = 0;
  double seconds = 0;
  for (const TimelineSample& sample : list.all()) {
    sum += sample.operations;
    latencies += sample.latency.count();
    ticks += sample.tickers.at(BYTES_WRITTEN);
    seconds += sample.interval;
    EXPECT_DOUBLE_EQ(sample.seconds, seconds);
    EXPECT_EQ(static_cast<double>(sample.level_files[0]) + 1, sample.seconds);
    EXPECT_EQ(sample.benchmark, sample.seconds <= 5000 ? 0u : 1u);
  }
  EXPECT_EQ(sum, operations);
  EXPECT_EQ(latencies, 10'000u);
  EXPECT_EQ(ticks, 30'000u);
}

// As a program: each chart has its points.
TEST(BenchReportTest, DrawsWhatHappened) {
  const TemporaryDirectory directory;
  const std::string page = directory.Path("report.html");
  const Outcome ran =
      RunOurs("tamis_db_bench",
              {"--benchmarks=fillrandom,readrandom", "--duration=1",
               "--num=5000", "--write_buffer_size=200000", "--report=" + page});
  ASSERT_EQ(ran.exit_code, 0) << ran.text;
  // Latencies are kept, but not printed.
  EXPECT_EQ(ran.text.find("Percentiles"), std::string::npos);
  std::ifstream in(page);
  const std::string html((std::istreambuf_iterator<char>(in)), {});
  for (const char* title :
       {"Latency (microseconds)", "Throughput (operations per second)",
        "Bytes by level (MB)", "Tables of level 0", "Bytes written",
        "Filters (answers per second)", "Block cache: hits"}) {
    const size_t at = html.find("<h3>" + std::string(title));
    ASSERT_NE(at, std::string::npos) << title;
    const std::string figure = html.substr(at, html.find("</figure>", at) - at);
    // Five samples a second of two benchmarks of a second each.
    EXPECT_GE(Occurrences(figure, "<circle"), 4u) << title;
    EXPECT_NE(figure.find(">fillrandom</text>"), std::string::npos);
  }
  EXPECT_NE(html.find("class=\"flush\"><title>flush of default"),
            std::string::npos);
  EXPECT_NE(html.find("bench.json"), std::string::npos);
  EXPECT_EQ(Occurrences(html, "<figure>"), Occurrences(html, "</figure>"));
}

}  // namespace
}  // namespace tamis
