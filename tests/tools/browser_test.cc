// SPDX-License-Identifier: Apache-2.0
//
// The pages that tools write, in a browser without a window, in the light and
// in the dark theme: every drawing has its points, all of them lie within it
// and differ from the background, and no text is cut off. TAMIS_SCREENSHOTS
// names a folder that the pictures remain in.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/directories.h"
#include "tests/tools/program.h"

namespace tamis {
namespace {

// Empty: none is installed.
std::string Browser() {
  for (const char* name : {"chromium-headless-shell", "chromium"}) {
    if (RunCommand(std::string("command -v ") + name).exit_code == 0) {
      return std::string(name) +
             " --headless --no-sandbox --disable-gpu --hide-scrollbars"
             " --window-size=1000,2500";
    }
  }
  return {};
}

// Measures the page when it is drawn, and adds what it finds:
//   theme|background
//   figure|title|points|points outside|points unseen|texts cut off
constexpr const char* kMeasuring = R"(<script>
addEventListener('load', () => {
  const background = getComputedStyle(document.body).backgroundColor;
  const lines = ['theme|' + background];
  for (const figure of document.querySelectorAll('figure')) {
    const svg = figure.querySelector('svg');
    const frame = svg.getBoundingClientRect();
    const isOutside = (box) => box.left < frame.left - 1 ||
        box.right > frame.right + 1 || box.top < frame.top - 1 ||
        box.bottom > frame.bottom + 1;
    let points = 0, outside = 0, unseen = 0, cut = 0;
    for (const point of svg.querySelectorAll('circle, rect')) {
      const box = point.getBoundingClientRect();
      ++points;
      if (isOutside(box)) ++outside;
      if (box.width <= 0 || box.height <= 0 ||
          getComputedStyle(point).fill === background) ++unseen;
    }
    for (const text of svg.querySelectorAll('text')) {
      if (isOutside(text.getBoundingClientRect())) ++cut;
    }
    lines.push(['figure', figure.querySelector('h3')?.textContent, points,
                outside, unseen, cut].join('|'));
  }
  const found = document.createElement('pre');
  found.textContent = '\nmeasured\n' + lines.join('\n') + '\nend\n';
  document.body.append(found);
});
</script>)";

struct MeasuredFigure {
  std::string title;
  int points = 0;
  int outside = 0;
  int unseen = 0;
  int cut = 0;
};
struct MeasuredPage {
  std::string background;
  std::vector<MeasuredFigure> figures;
};

MeasuredPage Measured(const std::string& browser, const std::string& page,
                      const std::string& theme) {
  const std::string copy = page + ".measured.html";
  std::ofstream(copy) << ReadWholeFile(page) << kMeasuring;
  const std::string flags =
      std::string(" --blink-settings=preferredColorScheme=") +
      (theme == "dark" ? "0" : "1");
  const CommandResult dom =
      RunCommand(browser + flags + " --virtual-time-budget=5000 --dump-dom " +
                 "file://" + copy + " 2>/dev/null");
  MeasuredPage measured;
  std::istringstream lines(dom.output);
  std::string line;
  while (std::getline(lines, line) && line != "measured") {
  }
  while (std::getline(lines, line) && line != "end") {
    std::istringstream parts(line);
    std::vector<std::string> part;
    for (std::string one; std::getline(parts, one, '|');) part.push_back(one);
    if (part.size() == 2) measured.background = part[1];
    if (part.size() == 6) {
      measured.figures.push_back({part[1], std::stoi(part[2]),
                                  std::stoi(part[3]), std::stoi(part[4]),
                                  std::stoi(part[5])});
    }
  }
  // A picture, for people.
  if (const char* folder = std::getenv("TAMIS_SCREENSHOTS")) {
    std::filesystem::create_directories(folder);
    RunCommand(browser + flags + " --screenshot=" + folder + "/" +
               std::filesystem::path(page).stem().string() + "_" + theme +
               ".png file://" + page + " >/dev/null 2>&1");
  }
  return measured;
}

void ExpectDrawn(const std::string& page, size_t figures, int points_min) {
  const std::string browser = Browser();
  if (browser.empty()) {
    GTEST_SKIP() << "neither chromium-headless-shell nor chromium is installed";
  }
  ASSERT_EQ(ReadWholeFile(page).find("src=\"http"), std::string::npos);
  std::vector<std::string> backgrounds;
  for (const char* theme : {"light", "dark"}) {
    const MeasuredPage measured = Measured(browser, page, theme);
    EXPECT_EQ(measured.figures.size(), figures) << theme;
    for (const MeasuredFigure& one : measured.figures) {
      EXPECT_GE(one.points, points_min) << one.title;
      EXPECT_EQ(one.outside, 0) << one.title;
      EXPECT_EQ(one.unseen, 0) << one.title << ", " << theme;
      EXPECT_EQ(one.cut, 0) << one.title;
    }
    backgrounds.push_back(measured.background);
  }
  EXPECT_NE(backgrounds[0], backgrounds[1]);
}

TEST(BrowserTest, TheReportOfABenchmarkIsDrawn) {
  const TemporaryDirectory folder;
  const std::string page = folder.Path("report.html");
  const Outcome ran =
      RunOurs("tamis_db_bench",
              {"--benchmarks=fillrandom,readrandom", "--duration=1",
               "--num=5000", "--write_buffer_size=200000", "--report=" + page});
  ASSERT_EQ(ran.exit_code, 0) << ran.text;
  // One of them is of tables, of which there may be one.
  ExpectDrawn(page, Count(ReadWholeFile(page), "<figure>"), 1);
}

TEST(BrowserTest, ThePageOfTheTourIsDrawn) {
  const TemporaryDirectory folder;
  const std::string words = folder.Path("words.txt");
  std::ofstream lines(words);
  for (int i = 0; i < 3000; ++i) lines << "word" << i << "\n";
  lines.close();
  const Outcome ran = RunOurs(
      "tamis_tour", {"--rounds=2", "--out=" + folder.Path("out"), words});
  ASSERT_EQ(ran.exit_code, 0) << ran.text;
  // A bar for each kind of filter; block searches are 0 only in theory.
  ExpectDrawn(folder.Path("out") + "/tour.html", 4, 3);
}

TEST(BrowserTest, TheFiguresOfFiltersAreDrawn) {
  const TemporaryDirectory folder;
  const std::string page = folder.Path("filters.html");
  const Outcome ran = RunOurs(
      "tamis_filter_bench", {"--keys=1000", "--placements=all", "--rounds=1",
                             "--cold_mb=1", "--probes=1024", "--html=" + page});
  ASSERT_EQ(ran.exit_code, 0) << ran.text;
  ExpectDrawn(page, 8, 16);
}

TEST(BrowserTest, TheShapeOfADatabaseIsDrawn) {
  const TemporaryDirectory folder;
  const std::string page = folder.Path("shape.html");
  ASSERT_EQ(RunOurs("tamis_db_bench",
                    {"--benchmarks=fillrandom", "--num=20000",
                     "--write_buffer_size=200000", "--db=" + folder.Path("db")})
                .exit_code,
            0);
  const Outcome shape = RunOurs(
      "tamis_ldb", {"--db=" + folder.Path("db"), "shape", "--html=" + page});
  ASSERT_EQ(shape.exit_code, 0) << shape.text;
  ExpectDrawn(page, Count(ReadWholeFile(page), "<figure>"), 1);
}

}  // namespace
}  // namespace tamis
