// SPDX-License-Identifier: Apache-2.0
//
// What a table's filter is, in words, and what it answers: by the path that a
// Get takes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/slice_transform.h"
#include "tamis/status.h"

#include "tools/raw_table.h"
#include "util/base/result.h"

namespace tamis {

// "fixed:10" or "capped:8"; empty: nullptr.
Result<std::shared_ptr<const SliceTransform>> ParseExtractor(
    const std::string& text);

// User keys out of a file: one a line, in hex, with or without 0x in front.
// Empty lines are the empty key.
Result<std::vector<std::string>> ReadProbeKeys(const std::string& path);

using ReportSink = std::function<void(std::string_view text)>;

// One "name: value" a line.
Status ReportFilter(const RawTable& table, const ReportSink& sink);

// "may match" or "no" for each key, in order. A filter of prefixes alone is
// asked where `extractor` is the one it was made with; else all may match.
Status ProbeFilter(const RawTable& table,
                   std::shared_ptr<const SliceTransform> extractor,
                   const std::vector<std::string>& keys,
                   const ReportSink& sink);

}  // namespace tamis
