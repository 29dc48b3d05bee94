// SPDX-License-Identifier: Apache-2.0
//
// A page in one file: no script, nothing from the network, a light and a dark
// theme as the reader's system prefers.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tamis {

using HtmlRows = std::vector<std::vector<std::string>>;

// The style sheet of charts: the colours of a theme, and those of their series.
std::string ChartColours();

// The first row is the header. Cells are texts.
std::string HtmlTable(const HtmlRows& rows);

class HtmlPage {
 public:
  explicit HtmlPage(std::string title) : title_(std::move(title)) {}

  // Begins a section.
  void Heading(const std::string& text);
  void Paragraph(const std::string& text);
  // Text as it is, with its line ends.
  void Preformatted(const std::string& text);
  void Add(const std::string& html) { body_ += html; }
  // A link that saves `bytes` as a file.
  void Download(const std::string& text, const std::string& file,
                const std::string& media_type, const std::string& bytes);

  std::string ToString() const;

 private:
  const std::string title_;
  std::string body_;
};

}  // namespace tamis
