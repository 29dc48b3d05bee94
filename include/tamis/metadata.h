// SPDX-License-Identifier: Apache-2.0
//
// Describes the files of a database, without opening them.
#pragma once

#include <cstdint>
#include <string>

#include "tamis/types.h"

namespace tamis {

struct LiveFileMetaData {
  std::string column_family_name;
  int level = 0;
  std::string name;  // "/000012.sst", relative to db_path
  std::string db_path;
  uint64_t file_number = 0;
  uint64_t size = 0;        // bytes
  std::string smallestkey;  // user keys
  std::string largestkey;
  SequenceNumber smallest_seqno = 0;
  SequenceNumber largest_seqno = 0;
  uint64_t epoch_number = 0;
};

}  // namespace tamis
