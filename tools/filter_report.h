// SPDX-License-Identifier: Apache-2.0
//
// Describes a table's filter, and probes it the way a Get does.
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

// Reads user keys from a file: one per line, in hex, with or without 0x. An
// empty line is the empty key.
Result<std::vector<std::string>> ReadProbeKeys(const std::string& path);

using ReportSink = std::function<void(std::string_view text)>;

// Prints "name: value" lines. Probes the filters, and reads the keys for the
// range filter.
Status ReportFilter(const RawTable& table, const ReportSink& sink);

// Returns the user keys of a table in order, each once: the first million,
// which are enough to probe.
Result<std::vector<std::string>> SomeKeys(const RawTable& table);

// Prints what each filter format would do for the table's keys
// (filter_what_if.h).
Status ReportWhatIf(const RawTable& table, int stored_percent,
                    const ReportSink& sink);

// Prints "may match" or "no" for each key, in order. A prefix-only filter is
// probed only if it was built with `extractor`; otherwise every key may match.
Status ProbeFilter(const RawTable& table,
                   std::shared_ptr<const SliceTransform> extractor,
                   const std::vector<std::string>& keys,
                   const ReportSink& sink);

}  // namespace tamis
