// SPDX-License-Identifier: Apache-2.0
#include "db/compaction/key_range.h"

#include "util/base/check.h"

namespace tamis {

UserKeyRange RangeOf(const KeyOrder& order, const LevelFiles& files) {
  TAMIS_CHECK(!files.empty());
  UserKeyRange range{ExtractUserKey(files[0]->meta.smallest),
                     ExtractUserKey(files[0]->meta.largest)};
  for (const TableFilePtr& file : files) {
    const Slice smallest = ExtractUserKey(file->meta.smallest);
    const Slice largest = ExtractUserKey(file->meta.largest);
    if (order.CompareUserKeys(smallest, range.smallest) < 0) {
      range.smallest = smallest;
    }
    if (order.CompareUserKeys(largest, range.largest) > 0) {
      range.largest = largest;
    }
  }
  return range;
}

}  // namespace tamis
