// SPDX-License-Identifier: Apache-2.0
//
// ColumnFamilyHandle is an interface. Its type information is here, since
// tables use it too (SstFileWriter), and are below the database.
#include "tamis/column_family.h"

namespace tamis {

ColumnFamilyHandle::~ColumnFamilyHandle() = default;

}  // namespace tamis
