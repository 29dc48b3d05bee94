// SPDX-License-Identifier: Apache-2.0
//
// What tamis_sst_dump does with one table.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "tamis/slice_transform.h"
#include "tamis/status.h"

#include "tools/properties_text.h"
#include "tools/recompress.h"

namespace tamis {

// The parsed flags.
struct DumpRequest {
  TextForm form = TextForm::kOwn;
  std::string from;
  std::string to;
  std::string prefix;
  std::shared_ptr<const SliceTransform> extractor;
  std::vector<std::string> probes;
  RecompressPlan recompress;
  uint64_t left = std::numeric_limits<uint64_t>::max();  // entries to read
};

// Runs --command on the table and prints its results. Counts down
// request->left. On an error, everything before it has been printed.
Status DumpFile(const std::string& path, DumpRequest* request);

}  // namespace tamis
