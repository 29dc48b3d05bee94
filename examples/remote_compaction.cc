// SPDX-License-Identifier: Apache-2.0
//
// Compactions in another process: a CompactionService starts this program again
// as a worker for each job, and passes bytes through files.
// Run: remote_compaction DIRECTORY
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>

#include <tamis/db.h>

static void Check(const tamis::Status& status) {
  if (status.ok()) return;
  std::cerr << status.ToString() << "\n";
  std::exit(1);
}

static std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
static void WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

using JobStatus = tamis::CompactionServiceJobStatus;

// One job at a time, as there is one database with few jobs. A real one would
// send `input` to another machine, which sees the same files.
class Workers : public tamis::CompactionService {
 public:
  explicit Workers(std::string program) : program_(std::move(program)) {}

  const char* Name() const override { return "example.Workers"; }

  tamis::CompactionServiceScheduleResponse Schedule(
      const tamis::CompactionServiceJobInfo& info,
      const std::string& input) override {
    const std::string id = info.db_name + ".job" + std::to_string(info.job_id);
    WriteFile(id + ".in", input);
    command_ = program_ + " worker " + info.db_name + " " + id;
    return {id, JobStatus::kSuccess};
  }

  JobStatus Wait(const std::string& id, std::string* result) override {
    const int code = std::system(command_.c_str());
    *result = ReadFile(id + ".out");
    std::filesystem::remove(id + ".in");
    std::filesystem::remove(id + ".out");
    return code == 0 ? JobStatus::kSuccess : JobStatus::kFailure;
  }

  void OnInstallation(const std::string&, JobStatus status) override {
    if (status == JobStatus::kSuccess) ++installed;
  }

  int installed = 0;

 private:
  const std::string program_;
  std::string command_;
};

// In the worker's process.
static int Work(const std::string& database, const std::string& id) {
  std::string output;
  const tamis::Status status = tamis::DB::OpenAndCompact(
      database, /*output_directory=*/"", ReadFile(id + ".in"), &output,
      tamis::CompactionServiceOptionsOverride());
  WriteFile(id + ".out", output);
  return status.ok() ? 0 : 1;
}

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == "worker") {
    return Work(argv[2], argv[3]);
  }
  const std::string directory = argc > 1 ? argv[1] : "remote_compaction_db";
  std::filesystem::remove_all(directory);
  const auto workers = std::make_shared<Workers>(argv[0]);
  tamis::Options options;
  options.create_if_missing = true;
  options.disable_auto_compactions = true;
  options.compaction_service = workers;
  std::unique_ptr<tamis::DB> db;
  Check(tamis::DB::Open(options, directory, &db));
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 1000; ++i) {
      Check(db->Put({}, std::to_string(i), std::to_string(round)));
    }
    Check(db->Flush({}));
  }
  Check(db->CompactRange({}, nullptr, nullptr));

  std::string value;
  Check(db->Get({}, "999", &value));
  std::string tables;
  db->GetProperty("rocksdb.num-files-at-level0", &tables);
  std::cout << "999 = " << value << ", tables in level 0: " << tables
            << ", compactions by workers: " << workers->installed << "\n";
}
