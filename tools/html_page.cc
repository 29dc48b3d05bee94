// SPDX-License-Identifier: Apache-2.0
#include "tools/html_page.h"

#include <cstdio>

#include "tools/svg_chart.h"

namespace tamis {

namespace {

// Okabe and Ito's colours, which people with colour blindness tell apart.
constexpr const char* kThemes = R"(
:root { color-scheme: light dark; --bg: #fff; --fg: #1a1a1a; --dim: #666;
  --grid: #e3e3e3; --s0: #0072b2; --s1: #d55e00; --s2: #009e73; --s3: #cc79a7;
  --s4: #7a6200; --s5: #7a3b00; --s6: #6a3d9a; --s7: #444; --stall: #d00;
  --flush: #2a9; --compaction: #88a; }
@media (prefers-color-scheme: dark) {
  :root { --bg: #161618; --fg: #e8e8e8; --dim: #a0a0a0; --grid: #333;
    --s0: #56b4e9; --s1: #ff9e57; --s2: #34d1a4; --s3: #e6a3c8; --s4: #f0e442;
    --s5: #d9b38c; --s6: #c3a5f0; --s7: #ccc; --stall: #f55; --flush: #3cb;
    --compaction: #99c; } }
)";

constexpr const char* kStyle = R"(
body { background: var(--bg); color: var(--fg); max-width: 960px;
  margin: 2em auto; padding: 0 1em; font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.5em; } h2 { font-size: 1.2em; margin-top: 2em; }
h3 { font-size: 1em; margin: 0; font-weight: 600; }
figure { margin: 1.2em 0; }
svg { width: 100%; height: auto; }
svg text { fill: var(--dim); font-size: 11px; }
figcaption span { margin-right: 1em; font-size: 13px; }
table { border-collapse: collapse; font-size: 13px; display: block;
  overflow-x: auto; }
th, td { text-align: left; padding: 2px 12px 2px 0;
  border-bottom: 1px solid var(--grid); font-variant-numeric: tabular-nums; }
pre { overflow-x: auto; font-size: 12px; }
a { color: var(--s0); }
polyline { fill: none; stroke-width: 1.5; }
.grid { stroke: var(--grid); } .axis { stroke: var(--dim); }
.mark { stroke: var(--dim); stroke-dasharray: 2 3; }
line.limit { stroke: var(--stall); stroke-dasharray: 6 4; }
rect.stall { fill: var(--stall); opacity: .25; }
rect.flush { fill: var(--flush); opacity: .22; }
rect.compaction { fill: var(--compaction); opacity: .22; }
rect.table { fill: var(--s0); opacity: .75; } rect.busy { fill: var(--s1); }
span.limit, span.stall { color: var(--stall); }
span.flush { color: var(--flush); } span.compaction { color: var(--compaction); }
)";

std::string SeriesStyle() {
  std::string css;
  for (int i = 0; i < 8; ++i) {
    const std::string n = std::to_string(i);
    const std::string colour = "var(--s" + n + ")";
    css += "polyline.s" + n + " { stroke: " + colour + "; } circle.s" + n +
           ", rect.s" + n + " { fill: " + colour + "; } span.s" + n +
           " { color: " + colour + "; }\n";
  }
  return css;
}

std::string PercentEncoded(const std::string& bytes) {
  std::string out;
  for (const char c : bytes) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                       (c >= 'A' && c <= 'Z');
    char text[8];
    std::snprintf(text, sizeof text, plain ? "%c" : "%%%02X",
                  static_cast<unsigned char>(c));
    out += text;
  }
  return out;
}

}  // namespace

std::string ChartColours() { return kThemes + SeriesStyle(); }

std::string HtmlTable(const HtmlRows& rows) {
  std::string out = "<table>";
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string cell = i == 0 ? "th" : "td";
    out += "<tr>";
    for (const std::string& text : rows[i]) {
      out += "<" + cell + ">" + HtmlText(text) + "</" + cell + ">";
    }
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

void HtmlPage::Heading(const std::string& text) {
  body_ += "<h2>" + HtmlText(text) + "</h2>\n";
}

void HtmlPage::Paragraph(const std::string& text) {
  body_ += "<p>" + HtmlText(text) + "</p>\n";
}

void HtmlPage::Preformatted(const std::string& text) {
  body_ += "<pre>" + HtmlText(text) + "</pre>\n";
}

void HtmlPage::Download(const std::string& text, const std::string& file,
                        const std::string& media_type,
                        const std::string& bytes) {
  body_ += "<p><a download=\"" + HtmlText(file) +
           "\" href=\"data:" + media_type + "," + PercentEncoded(bytes) +
           "\">" + HtmlText(text) + "</a></p>\n";
}

std::string HtmlPage::ToString() const {
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
         "<meta name=\"viewport\" content=\"width=device-width\"/>\n<title>" +
         HtmlText(title_) + "</title>\n<style>" + ChartColours() + kStyle +
         "</style></head>\n<body><h1>" + HtmlText(title_) + "</h1>\n" + body_ +
         "</body></html>\n";
}

}  // namespace tamis
