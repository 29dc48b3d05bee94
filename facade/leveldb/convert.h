// SPDX-License-Identifier: Apache-2.0
//
// Values of LevelDB's types as values of Tamis's, and back.
#pragma once

#include <leveldb/slice.h>
#include <leveldb/status.h>

#include "tamis/slice.h"
#include "tamis/status.h"

namespace tamis::facade {

inline Slice ToTamis(const leveldb::Slice& slice) {
  return {slice.data(), slice.size()};
}
inline leveldb::Slice ToLevelDB(const Slice& slice) {
  return {slice.data(), slice.size()};
}

// LevelDB has five codes. What has no code there is an IOError.
leveldb::Status ToLevelDB(const Status& status);
// NotFound, which an Env returns for a missing file, becomes PathNotFound.
Status ToTamis(const leveldb::Status& status);

}  // namespace tamis::facade
