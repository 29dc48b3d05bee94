// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_ldb/database.h"

#include "tamis/utilities/merge_operators.h"

#include "tools/tamis_ldb/flags.h"
#include "tools/tool_main.h"

namespace tamis {

Result<Options> OptionsFromFlags() {
  Options options;
  options.table_factory.reset(NewBlockBasedTableFactory());
  if (FLAGS_comparator == "reverse") {
    options.comparator = ReverseBytewiseComparator();
  } else if (FLAGS_comparator != "bytewise") {
    return Status::InvalidArgument("--comparator is bytewise or reverse");
  }
  if (!FLAGS_merge_operator.empty()) {
    options.merge_operator =
        MergeOperators::CreateFromName(FLAGS_merge_operator);
    if (options.merge_operator == nullptr) {
      return Status::InvalidArgument("unknown --merge_operator " +
                                     FLAGS_merge_operator);
    }
  }
  return options;
}

int WithDatabase(Access access, const std::function<int(DB*)>& use) {
  auto options = OptionsFromFlags();
  if (!options.ok()) return Misused(options.status().message());
  options->create_if_missing =
      access == Access::kCreate && FLAGS_create_if_missing;
  std::unique_ptr<DB> db;
  const Status opened = DB::Open(*options, FLAGS_db, &db);
  if (!opened.ok()) return Failed(opened);
  const int code = use(db.get());
  const Status closed = db->Close();
  return code == kExitRight && !closed.ok() ? Failed(closed) : code;
}

}  // namespace tamis
