// SPDX-License-Identifier: Apache-2.0
//
// Adds a filter to a finished table.
#pragma once

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "table/block_builder.h"
#include "tests/support/tables.h"

namespace tamis {

// Returns the table with `payload` as an additional block, which the metaindex
// names metaindex_key. REQUIRES: format version 5 or less.
inline std::string WithAnotherFilter(const std::string& contents,
                                     const std::string& metaindex_key,
                                     const std::string& payload) {
  const TableContext context = TestContext();
  const auto opened = OpenTable(contents, context);
  EXPECT_TRUE(opened.ok()) << opened.status();
  if (!opened.ok()) return "";
  const auto layout = (*opened)->ReadLayout();
  EXPECT_TRUE(layout.ok()) << layout.status();
  if (!layout.ok()) return "";
  Footer footer = layout->footer;
  EXPECT_LE(footer.format_version, 5u);
  std::string out =
      contents.substr(0, static_cast<size_t>(footer.metaindex.offset));
  const auto append = [&](const std::string& block) {
    const BlockHandle handle{out.size(), block.size()};
    out += block;
    out.push_back(static_cast<char>(kNoCompression));
    PutFixed32(&out, footer.ChecksumOf(handle.offset, block, kNoCompression));
    return handle;
  };
  std::map<std::string, BlockHandle> metaindex(layout->metaindex.begin(),
                                               layout->metaindex.end());
  metaindex[metaindex_key] = append(payload);
  BlockBuilder block(1);
  for (const auto& [name, handle] : metaindex) {
    std::string value;
    handle.EncodeTo(&value);
    block.Add(name, value);
  }
  footer.metaindex = append(block.Finish().ToString());
  return out + footer.Encode();
}

}  // namespace tamis
