// SPDX-License-Identifier: Apache-2.0
//
// Requests of a remote compaction, as a worker gets them: any bytes, or a right
// request with changed fields and a right checksum. Replies, as an owner gets
// them. A worker that fails says why, and leaves no table; what one has done is
// a reply.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "db/compaction/compaction_message.h"
#include "tests/fuzz/fuzz_database.h"
#include "util/coding/coding.h"
#include "util/coding/hash.h"

namespace tamis {
namespace {

constexpr char kOutputs[] = "/outputs";

// Keeps the request, and has the database do the work.
class Keeper final : public CompactionService {
 public:
  const char* Name() const override { return "fuzz.Keeper"; }
  CompactionServiceScheduleResponse Schedule(
      const CompactionServiceJobInfo& /*info*/,
      const std::string& input) override {
    if (request.empty()) request = input;
    return CompactionServiceScheduleResponse(
        CompactionServiceJobStatus::kUseLocal);
  }
  std::string request;
};

// A database, and the request of a compaction of its tables.
struct Job {
  FuzzFiles files;
  std::string request;
};

Job MakeJob() {
  Job job;
  job.files = MakeFuzzDatabase();
  const auto fs = FuzzFileSystem(job.files);
  const auto keeper = std::make_shared<Keeper>();
  Options options = FuzzOptions(fs);
  options.compaction_service = keeper;
  std::unique_ptr<DB> db;
  Claim(DB::Open(options, kFuzzDirectory, &db).ok());
  // The inputs of the job stay: an iterator reads them.
  const std::unique_ptr<Iterator> reader(db->NewIterator({}));
  Claim(db->CompactRange({}, nullptr, nullptr).ok());
  Claim(!keeper->request.empty());
  job.files = FuzzFilesOf(fs.get());
  job.request = keeper->request;
  return job;
}

std::string ChangedRequest(const std::string& request, FuzzInput* input) {
  std::string changed = request.substr(0, request.size() - 8);
  while (!input->empty()) {
    const size_t at = 8 + input->Short() % (changed.size() - 8);
    const uint8_t how = input->Byte();
    if (how < 128) {
      changed[at] = static_cast<char>(input->Byte());
    } else if (how < 192) {
      changed.insert(at, input->Bytes(how - 127));
    } else {
      changed.erase(at, how - 191);
      if (changed.size() < 16) changed.resize(16);
    }
  }
  PutFixed64(&changed, Hash64(changed));
  return changed;
}

void Work(const Job& job, const std::string& request) {
  const auto fs = FuzzFileSystem(job.files);
  CompactionServiceOptionsOverride worker;
  worker.file_system = fs;
  worker.job_runner = NewDeterministicJobRunner(1);
  std::string output;
  const Status status =
      DB::OpenAndCompact(kFuzzDirectory, kOutputs, request, &output, worker);
  CompactionReply reply;
  if (!output.empty()) Claim(DecodeMessage(output, &reply).ok());
  if (status.ok()) {
    Claim(!output.empty() && reply.error.empty());
    return;
  }
  Claim(output.empty() || !reply.error.empty());
  std::vector<std::string> left;
  fs->GetChildren(kOutputs, &left).PermitUncheckedError();
  Claim(left.empty());
}

void Fuzz(FuzzInput input) {
  static const Job* const job = new Job(MakeJob());
  switch (input.Byte() % 3) {
    case 0:
      return Work(*job, input.Rest());
    case 1:
      return Work(*job, ChangedRequest(job->request, &input));
    default: {
      CompactionReply reply;
      const std::string bytes = input.Rest();
      if (DecodeMessage(bytes, &reply).ok()) {
        Claim(EncodeMessage(reply) == bytes);
      }
    }
  }
}

}  // namespace
}  // namespace tamis

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tamis::Fuzz(tamis::FuzzInput(data, size));
  return 0;
}
