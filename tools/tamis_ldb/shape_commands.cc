// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_ldb/shape_commands.h"

#include <optional>

#include "tools/html_page.h"
#include "tools/level_shape.h"
#include "tools/tamis_ldb/database.h"
#include "tools/tamis_ldb/flags.h"
#include "tools/tamis_ldb/words.h"
#include "tools/tool_file_system.h"
#include "tools/tool_main.h"
#include "util/io/file_io.h"

namespace tamis {

namespace {

ColumnFamilyMetaData Shape(DB* db, ColumnFamilyHandle* family) {
  ColumnFamilyMetaData metadata;
  db->GetColumnFamilyMetaData(family, &metadata);
  return metadata;
}

std::string Size(const ColumnFamilyMetaData& shape) {
  return std::to_string(shape.file_count) + " tables of " +
         std::to_string(shape.size) + " bytes";
}

// The number of levels down to the deepest with tables.
int LevelsInUse(const ColumnFamilyMetaData& shape) {
  int levels = 0;
  for (const LevelMetaData& level : shape.levels) {
    if (!level.files.empty()) levels = level.level + 1;
  }
  return levels;
}

}  // namespace

std::string FilesPerLevel(DB* db, ColumnFamilyHandle* family) {
  std::string text;
  for (const LevelMetaData& level : Shape(db, family).levels) {
    text += (text.empty() ? "" : ",") + std::to_string(level.files.size());
  }
  return text;
}

int DrawShape(const Call&) {
  return WithDatabase(Access::kRead, [](DB* db, ColumnFamilyHandle* family) {
    constexpr size_t kColumns = 54;
    constexpr size_t kLevel0Rows = 12;
    const std::vector<ShapeRow> rows =
        RowsOf(Shape(db, family), *family->GetComparator());
    if (FLAGS_html.empty()) {
      Print(ShapeText(rows, kColumns, kLevel0Rows));
      return int{kExitRight};
    }
    HtmlPage page(FLAGS_db + ": " + family->GetName());
    page.Add(ShapeFigure(rows));
    std::string text;
    if (db->GetProperty(family, DB::Properties::kFilterReport, &text)) {
      page.Heading("Filters");
      page.Preformatted(text);
    }
    const Status status = WriteStringToFile(ToolFileSystem().get(),
                                            page.ToString(), FLAGS_html, false);
    return status.ok() ? kExitRight : Failed(status);
  });
}

int Compact(const Call&) {
  const auto range = RangeFromFlags();
  if (!range.ok()) return Misused(range.status().message());
  return WithDatabase(Access::kWrite, [&](DB* db, ColumnFamilyHandle* family) {
    const Slice from = range->from ? Slice(*range->from) : Slice();
    const Slice to = range->to ? Slice(*range->to) : Slice();
    const ColumnFamilyMetaData before = Shape(db, family);
    const Status status = db->CompactRange(CompactRangeOptions(), family,
                                           range->from ? &from : nullptr,
                                           range->to ? &to : nullptr);
    if (!status.ok()) return Failed(status);
    Remark("compacted " + FLAGS_column_family + ": " + Size(before) +
           " before, " + Size(Shape(db, family)) + " now, by level " +
           FilesPerLevel(db, family));
    return int{kExitRight};
  });
}

int ReduceLevels(const Call&) {
  // Kept from moving tables down again, until there are fewer levels.
  std::optional<bool> disabled;  // as it was
  const int code = WithDatabase(
      Access::kWrite,
      [](DB* db, ColumnFamilyHandle* family) {
        const int in_use = LevelsInUse(Shape(db, family));
        if (FLAGS_print_old_levels) {
          Print("The old number of levels in use is " + std::to_string(in_use) +
                "\n");
        }
        if (in_use <= FLAGS_new_levels) return int{kExitRight};
        CompactRangeOptions options;
        options.change_level = true;
        options.target_level = FLAGS_new_levels - 1;
        const Status status =
            db->CompactRange(options, family, nullptr, nullptr);
        return status.ok() ? kExitRight : Failed(status);
      },
      [&disabled](ColumnFamilyOptions* options) {
        disabled = options->disable_auto_compactions;
        options->disable_auto_compactions = true;
      });
  if (!disabled) return code;
  // An open records both in an OPTIONS file.
  const int recorded = WithDatabase(
      Access::kWrite, [](DB*, ColumnFamilyHandle*) { return int{kExitRight}; },
      [&](ColumnFamilyOptions* options) {
        if (code == kExitRight) options->num_levels = FLAGS_new_levels;
        options->disable_auto_compactions = *disabled;
      });
  return code == kExitRight ? recorded : code;
}

int ChangeCompactionStyle(const Call&) {
  if (FLAGS_old_compaction_style == FLAGS_new_compaction_style) {
    return Misused("the two compaction styles are the same");
  }
  return WithDatabase(Access::kWrite, [](DB* db, ColumnFamilyHandle* family) {
    Print("files per level before compaction: " + FilesPerLevel(db, family) +
          "\n");
    CompactRangeOptions options;
    options.bottommost_level_compaction = BottommostLevelCompaction::kForce;
    const Status status = db->CompactRange(options, family, nullptr, nullptr);
    if (!status.ok()) return Failed(status);
    Print("files per level after compaction: " + FilesPerLevel(db, family) +
          "\n");
    return int{kExitRight};
  });
}

}  // namespace tamis
