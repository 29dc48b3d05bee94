// SPDX-License-Identifier: Apache-2.0
#include "tools/tamis_ldb/timeline_commands.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tamis/file_system.h"

#include "db/base/info_log_files.h"
#include "tools/json_text.h"
#include "tools/log_events.h"
#include "tools/log_page.h"
#include "tools/log_spans.h"
#include "tools/tamis_ldb/flags.h"
#include "tools/tool_file_system.h"
#include "tools/tool_main.h"

namespace tamis {

namespace {

constexpr size_t kColumns = 60;

// The LOG of the database and those that it was renamed to, oldest first.
Status FindLogs(FileSystem* fs, std::vector<std::string>* paths) {
  const InfoLogFiles files = InfoLogFiles::Of(fs, FLAGS_db, FLAGS_db_log_dir);
  std::vector<std::string> names;
  const Status listed = fs->GetChildren(files.directory, &names);
  if (!listed.ok()) return listed;
  std::vector<std::string> old;
  bool current = false;
  for (const std::string& name : names) {
    if (files.IsOld(name)) old.push_back(name);
    if (name == files.name) current = true;
  }
  // By the microseconds at their ends, which may have different lengths.
  std::sort(old.begin(), old.end(),
            [](const std::string& a, const std::string& b) {
              return a.size() != b.size() ? a.size() < b.size() : a < b;
            });
  for (const std::string& name : old) {
    paths->push_back(files.directory + "/" + name);
  }
  if (current) paths->push_back(files.path());
  if (paths->empty()) return Status::NotFound(files.path(), "there is no LOG");
  return Status::OK();
}

std::string EventsJson(const std::vector<LogEvent>& events) {
  std::vector<std::string> lines;
  for (const LogEvent& event : events) {
    JsonObject values;
    for (const auto& [key, value] : event.values) values.Text(key, value);
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.6f", event.seconds);
    lines.push_back(JsonObject()
                        .Value("seconds", seconds)
                        .Text("event", event.name)
                        .Value("values", values.ToString())
                        .ToString());
  }
  return JsonArray(lines) + "\n";
}

}  // namespace

int DrawTimeline(const Call& call) {
  const std::shared_ptr<FileSystem> fs = ToolFileSystem();
  std::vector<std::string> paths = call.words;
  if (paths.empty()) {
    if (FLAGS_db.empty()) return Misused("timeline needs --db or files");
    const Status found = FindLogs(fs.get(), &paths);
    if (!found.ok()) return Failed(found);
  }
  std::vector<LogEvent> events;
  for (const std::string& path : paths) {
    std::string text;
    const Status read = ReadFileToString(fs.get(), path, &text);
    if (!read.ok()) return Failed(read);
    for (LogEvent& event : ParseLogEvents(text)) {
      events.push_back(std::move(event));
    }
  }
  if (events.empty()) {
    return Failed(Status::NotFound(
        paths.back(), "has no line of an event: is it a LOG of Tamis?"));
  }
  if (FLAGS_json) {
    Print(EventsJson(events));
  } else if (FLAGS_html.empty()) {
    Print(SpansText(SpansOf(events), kColumns));
  } else {
    const std::string title = FLAGS_db.empty() ? paths.back() : FLAGS_db;
    const Status status =
        WriteStringToFile(fs.get(), LogPage(title, FLAGS_column_family, events),
                          FLAGS_html, false);
    if (!status.ok()) return Failed(status);
  }
  return kExitRight;
}

}  // namespace tamis
