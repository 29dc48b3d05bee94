// SPDX-License-Identifier: Apache-2.0
//
// Checksums of whole files: which tables have them, who carries them on, and
// what verifies them.
#include "tamis/file_checksum.h"

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tamis/convenience.h"
#include "tamis/sst_file_writer.h"

#include "tests/db/test_families.h"
#include "util/coding/crc32c.h"

namespace tamis {
namespace {

// The sum of the bytes, under a name of its own. Does to a generator what the
// test wants.
class SumFactory final : public FileChecksumGenFactory {
 public:
  enum class Fault { kNone, kNoGenerator, kThrows, kEmpty, kUnnamed };

  std::unique_ptr<FileChecksumGenerator> CreateFileChecksumGenerator(
      const FileChecksumGenContext& context) override {
    files.push_back(context.file_name);
    if (fault == Fault::kNoGenerator) return nullptr;
    return std::make_unique<Sum>(fault);
  }
  const char* Name() const override { return "SumFactory"; }

  Fault fault = Fault::kNone;
  std::vector<std::string> files;

 private:
  class Sum final : public FileChecksumGenerator {
   public:
    explicit Sum(Fault fault) : fault_(fault) {}
    void Update(const char* data, size_t n) override {
      if (fault_ == Fault::kThrows) throw std::runtime_error("no sums today");
      for (size_t i = 0; i < n; ++i) sum_ += static_cast<uint8_t>(data[i]);
    }
    void Finalize() override { final_ = true; }
    std::string GetChecksum() const override {
      EXPECT_TRUE(final_);
      return fault_ == Fault::kEmpty ? "" : std::to_string(sum_);
    }
    const char* Name() const override {
      return fault_ == Fault::kUnnamed ? "Unknown" : "Sum";
    }

   private:
    const Fault fault_;
    uint64_t sum_ = 0;
    bool final_ = false;
  };
};

class FileChecksumTest : public FamiliesTest {
 protected:
  FileChecksumTest() {
    options_.disable_auto_compactions = true;
    options_.file_checksum_gen_factory = GetFileChecksumGenCrc32cFactory();
  }

  std::string Bytes(const std::string& path) {
    std::string bytes;
    EXPECT_EQ(ReadFileToString(fs_.get(), path, &bytes), Status::OK());
    return bytes;
  }
  static std::string BigEndianCrc(const std::string& bytes) {
    const uint32_t crc = crc32c::Value(bytes.data(), bytes.size());
    std::string text;
    for (const int shift : {24, 16, 8, 0}) {
      text += static_cast<char>(crc >> shift);
    }
    return text;
  }
  // Every table has the CRC of its file. Returns the number of tables.
  size_t ExpectRightCrcs() {
    const auto files = LiveFiles();
    for (const LiveFileMetaData& file : files) {
      EXPECT_EQ(file.file_checksum_func_name, "FileChecksumCrc32c");
      EXPECT_EQ(file.file_checksum,
                BigEndianCrc(Bytes(kTestDirectory + file.name)))
          << file.name;
    }
    EXPECT_EQ(db_->VerifyFileChecksums({}), Status::OK());
    return files.size();
  }
  void ExpectNoChecksums() {
    for (const LiveFileMetaData& file : LiveFiles()) {
      EXPECT_EQ(file.file_checksum, "") << file.name;
      EXPECT_EQ(file.file_checksum_func_name, "Unknown") << file.name;
    }
  }
  void Flip(const std::string& name, size_t offset) {
    std::string bytes = Bytes(kTestDirectory + name);
    ASSERT_LT(offset, bytes.size());
    bytes[offset] ^= 1;
    ASSERT_EQ(WriteStringToFile(fs_.get(), bytes, kTestDirectory + name,
                                /*sync=*/true),
              Status::OK());
  }
  // /parent/<name>.sst with one key.
  ExternalSstFileInfo Write(const std::string& name, const std::string& key) {
    ExternalSstFileInfo info;
    SstFileWriter writer(options_);
    EXPECT_EQ(writer.Open("/parent/" + name + ".sst"), Status::OK());
    EXPECT_EQ(writer.Put(key, name), Status::OK());
    EXPECT_EQ(writer.Finish(&info), Status::OK());
    return info;
  }
  static IngestExternalFileArg ArgOf(ColumnFamilyHandle* family,
                                     const ExternalSstFileInfo& info) {
    IngestExternalFileArg arg;
    arg.column_family = family;
    arg.external_files = {info.file_path};
    arg.files_checksums = {info.file_checksum};
    arg.files_checksum_func_names = {info.file_checksum_func_name};
    return arg;
  }
};

TEST_F(FileChecksumTest, EveryTableThatIsWrittenHasTheCrcOfItsFile) {
  options_.target_file_size_base = 8 << 10;
  MakeFamilies({"f"});
  PutMany(300);
  Put("f", "a", "1");
  Flush();
  FlushFamily("f");
  EXPECT_EQ(ExpectRightCrcs(), 2u);
  Put("a", "again");
  Compact(/*force=*/true);
  EXPECT_GT(ExpectRightCrcs(), 3u);
  EXPECT_EQ(db_->RewriteFilters({}), Status::OK());
  ExpectRightCrcs();
  // Recovered from the log, and carried to the new MANIFEST.
  Put("b", "in the log");
  ReopenFamilies();
  EXPECT_GT(ExpectRightCrcs(), 4u);
  ReopenFamilies();
  EXPECT_GT(ExpectRightCrcs(), 4u);
  CloseAll();
  EXPECT_EQ(RepairDB(kTestDirectory, options_), Status::OK());
  OpenFamilies({"f"});
  ExpectRightCrcs();
}

TEST_F(FileChecksumTest, RewrittenFiltersHaveANewChecksum) {
  SetTable({});
  Open();
  PutMany(300);
  Flush();
  const std::string before = LiveFiles()[0].file_checksum;
  BlockBasedTableOptions table;
  table.filter_policy.reset(NewRibbonFilterPolicy(16));
  SetTable(table);
  Reopen();
  RewriteFiltersOptions rewrite;
  rewrite.size_factor = 1;
  ASSERT_EQ(db_->RewriteFilters(rewrite), Status::OK());
  EXPECT_NE(LiveFiles()[0].file_checksum, before);
  EXPECT_EQ(ExpectRightCrcs(), 1u);
  // The factory goes, and a later copy has no checksum.
  options_.file_checksum_gen_factory = nullptr;
  table.filter_policy.reset(NewRibbonFilterPolicy(30));
  SetTable(table);
  Reopen();
  ASSERT_EQ(db_->RewriteFilters(rewrite), Status::OK());
  ExpectNoChecksums();
}

TEST_F(FileChecksumTest, WithoutAFactoryTablesKeepTheirs) {
  Open();
  Put("a", "1");
  Flush();
  Compact();  // moves
  const std::string checksum = LiveFiles()[0].file_checksum;
  options_.file_checksum_gen_factory = nullptr;
  Reopen();
  EXPECT_EQ(LiveFiles()[0].file_checksum, checksum);
  EXPECT_TRUE(db_->VerifyFileChecksums({}).IsInvalidArgument());
  Put("a", "2");
  Flush();
  auto files = LiveFiles();
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].file_checksum_func_name, "Unknown");
  EXPECT_EQ(files[1].file_checksum, checksum);
  // A table without one is passed over.
  options_.file_checksum_gen_factory = GetFileChecksumGenCrc32cFactory();
  Reopen();
  EXPECT_EQ(db_->VerifyFileChecksums({}), Status::OK());
  Compact(/*force=*/true);
  EXPECT_EQ(ExpectRightCrcs(), 1u);
}

TEST_F(FileChecksumTest, ADamagedFileIsNamed) {
  Open();
  PutMany(100);
  Flush();
  const std::string name = LiveFiles()[0].name;
  const size_t bytes = Bytes(kTestDirectory + name).size();
  for (const size_t offset : {size_t{0}, bytes / 2, bytes - 1}) {
    Flip(name, offset);
    for (const size_t readahead : {size_t{0}, size_t{1}, size_t{1} << 20}) {
      ReadOptions read;
      read.readahead_size = readahead;
      const Status status = db_->VerifyFileChecksums(read);
      EXPECT_TRUE(status.IsCorruption()) << status;
      EXPECT_NE(status.ToString().find(name), std::string::npos) << status;
    }
    Flip(name, offset);
  }
  EXPECT_EQ(db_->VerifyFileChecksums({}), Status::OK());
  ASSERT_EQ(fs_->RemoveFile(kTestDirectory + name), Status::OK());
  EXPECT_TRUE(db_->VerifyFileChecksums({}).IsPathNotFound());
  EXPECT_EQ(db_->Close(), Status::OK());
  EXPECT_TRUE(db_->VerifyFileChecksums({}).IsShutdownInProgress());
}

TEST_F(FileChecksumTest, ALongerFileHasAnotherChecksum) {
  Open();
  PutMany(10);
  Flush();
  const std::string path = kTestDirectory + LiveFiles()[0].name;
  ASSERT_EQ(WriteStringToFile(fs_.get(), Bytes(path) + "x", path, true),
            Status::OK());
  EXPECT_TRUE(db_->VerifyFileChecksums({}).IsCorruption());
}

TEST_F(FileChecksumTest, AFunctionOfTheUsersOwnIsNamedWhereItIsMissing) {
  const auto sums = std::make_shared<SumFactory>();
  options_.file_checksum_gen_factory = sums;
  Open();
  Put("a", "1");
  Flush();
  const LiveFileMetaData file = LiveFiles()[0];
  EXPECT_EQ(file.file_checksum_func_name, "Sum");
  uint64_t sum = 0;
  for (const char c : Bytes(kTestDirectory + file.name)) {
    sum += static_cast<uint8_t>(c);
  }
  EXPECT_EQ(file.file_checksum, std::to_string(sum));
  EXPECT_EQ(sums->files, std::vector<std::string>{kTestDirectory + file.name});
  EXPECT_EQ(db_->VerifyFileChecksums({}), Status::OK());
  options_.file_checksum_gen_factory = GetFileChecksumGenCrc32cFactory();
  Reopen();
  const Status status = db_->VerifyFileChecksums({});
  EXPECT_TRUE(status.IsInvalidArgument()) << status;
  EXPECT_NE(status.ToString().find("\"Sum\""), std::string::npos) << status;
  EXPECT_NE(status.ToString().find(file.name), std::string::npos) << status;
}

TEST_F(FileChecksumTest, AFaultyGeneratorFailsTheFlushAndIsNamed) {
  const auto sums = std::make_shared<SumFactory>();
  options_.file_checksum_gen_factory = sums;
  Open();
  sums->fault = SumFactory::Fault::kNoGenerator;
  Put("a", "1");
  Flush();
  ExpectNoChecksums();
  const std::pair<SumFactory::Fault, std::string> faults[] = {
      {SumFactory::Fault::kThrows,
       "generator Sum: an exception was thrown: no sums today"},
      {SumFactory::Fault::kEmpty, "generator Sum: its checksum is empty"},
      {SumFactory::Fault::kUnnamed, "factory \"SumFactory\""}};
  for (const auto& [fault, message] : faults) {
    sums->fault = fault;
    Put("a", "2");
    const Status status = db_->Flush(FlushOptions());
    EXPECT_NE(status.ToString().find(message), std::string::npos) << status;
    EXPECT_NE(status.ToString().find(".sst"), std::string::npos) << status;
    EXPECT_EQ(LiveFiles().size(), 1u);
    EXPECT_EQ(FilesEndingIn(".sst").size(), 1u);
    sums->fault = SumFactory::Fault::kNone;
    EXPECT_EQ(db_->Resume(), Status::OK());
    EXPECT_EQ(Get("a"), "2");
    Compact(/*force=*/true);
    EXPECT_EQ(db_->VerifyFileChecksums({}), Status::OK());
  }
}

TEST_F(FileChecksumTest, TheListHasAllTablesByNumber) {
  MakeFamilies({"f"});
  Put("a", "1");
  Put("f", "a", "1");
  Flush();
  FlushFamily("f");
  const std::unique_ptr<FileChecksumList> list(NewFileChecksumList());
  EXPECT_EQ(list->InsertOneFileChecksum(1, "old", "old"), Status::OK());
  ASSERT_EQ(db_->GetLiveFilesChecksumInfo(list.get()), Status::OK());
  const auto files = LiveFiles();
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(list->size(), 2u);
  for (const LiveFileMetaData& file : files) {
    std::string checksum;
    std::string function;
    EXPECT_EQ(
        list->SearchOneFileChecksum(file.file_number, &checksum, &function),
        Status::OK());
    EXPECT_EQ(checksum, file.file_checksum);
    EXPECT_EQ(function, file.file_checksum_func_name);
  }
  EXPECT_TRUE(db_->GetLiveFilesChecksumInfo(nullptr).IsInvalidArgument());
}

TEST_F(FileChecksumTest, AListIsAMap) {
  const std::unique_ptr<FileChecksumList> list(NewFileChecksumList());
  EXPECT_EQ(list->InsertOneFileChecksum(9, "nine", "f"), Status::OK());
  EXPECT_EQ(list->InsertOneFileChecksum(2, "two", "f"), Status::OK());
  EXPECT_EQ(list->InsertOneFileChecksum(9, "other", "g"), Status::OK());
  std::vector<uint64_t> numbers = {7};
  std::vector<std::string> checksums;
  std::vector<std::string> functions;
  EXPECT_EQ(list->GetAllFileChecksums(&numbers, &checksums, &functions),
            Status::OK());
  EXPECT_EQ(numbers, (std::vector<uint64_t>{2, 9}));
  EXPECT_EQ(checksums, (std::vector<std::string>{"two", "other"}));
  EXPECT_EQ(functions, (std::vector<std::string>{"f", "g"}));
  EXPECT_TRUE(list->GetAllFileChecksums(nullptr, &checksums, &functions)
                  .IsInvalidArgument());
  std::string checksum;
  EXPECT_TRUE(
      list->SearchOneFileChecksum(2, &checksum, nullptr).IsInvalidArgument());
  EXPECT_EQ(list->RemoveOneFileChecksum(2), Status::OK());
  EXPECT_TRUE(list->RemoveOneFileChecksum(2).IsNotFound());
  EXPECT_TRUE(
      list->SearchOneFileChecksum(2, &checksum, &checksum).IsNotFound());
  EXPECT_EQ(list->size(), 1u);
  list->reset();
  EXPECT_EQ(list->size(), 0u);
}

TEST_F(FileChecksumTest, IngestionComputesChecksOrTakesChecksums) {
  Open();
  ColumnFamilyHandle* const family = db_->DefaultColumnFamily();
  const ExternalSstFileInfo computed = Write("computed", "a");
  EXPECT_EQ(computed.file_checksum, BigEndianCrc(Bytes(computed.file_path)));
  EXPECT_EQ(computed.file_checksum_func_name, "FileChecksumCrc32c");
  EXPECT_EQ(db_->IngestExternalFile({computed.file_path}, {}), Status::OK());
  EXPECT_EQ(ExpectRightCrcs(), 1u);
  EXPECT_EQ(db_->IngestExternalFiles({ArgOf(family, Write("checked", "b"))}),
            Status::OK());
  EXPECT_EQ(ExpectRightCrcs(), 2u);

  IngestExternalFileArg wrong = ArgOf(family, Write("wrong", "c"));
  wrong.files_checksums = {"abcd"};
  const Status status = db_->IngestExternalFiles({wrong});
  EXPECT_TRUE(status.IsCorruption()) << status;
  EXPECT_NE(status.ToString().find("/parent/wrong.sst"), std::string::npos);
  IngestExternalFileArg other = wrong;
  other.files_checksum_func_names = {"Sum"};
  EXPECT_TRUE(db_->IngestExternalFiles({other}).IsInvalidArgument());
  other.options.verify_file_checksum = false;
  EXPECT_TRUE(db_->IngestExternalFiles({other}).IsInvalidArgument());
  IngestExternalFileArg unequal = wrong;
  unequal.files_checksum_func_names.clear();
  EXPECT_TRUE(db_->IngestExternalFiles({unequal}).IsInvalidArgument());
  EXPECT_EQ(ExpectRightCrcs(), 2u);
  EXPECT_EQ(FilesEndingIn(".sst").size(), 2u);

  wrong.options.verify_file_checksum = false;
  EXPECT_EQ(db_->IngestExternalFiles({wrong}), Status::OK());
  EXPECT_TRUE(db_->VerifyFileChecksums({}).IsCorruption());

  // Without a factory, they are ignored.
  options_.file_checksum_gen_factory = nullptr;
  Destroy();
  Open();
  wrong.column_family = db_->DefaultColumnFamily();
  wrong.options.verify_file_checksum = true;
  EXPECT_EQ(db_->IngestExternalFiles({wrong}), Status::OK());
  ExpectNoChecksums();
  EXPECT_EQ(Write("plain", "d").file_checksum_func_name, "Unknown");
}

TEST_F(FileChecksumTest, ListenersAreToldOfThem) {
  class Created final : public EventListener {
   public:
    void OnTableFileCreated(const TableFileCreationInfo& info) override {
      checksum = info.file_checksum;
      function = info.file_checksum_func_name;
    }
    std::string checksum;
    std::string function;
  };
  const auto created = std::make_shared<Created>();
  options_.listeners = {created};
  Open();
  Put("a", "1");
  Flush();
  RunJobs();
  EXPECT_EQ(created->checksum, LiveFiles()[0].file_checksum);
  EXPECT_EQ(created->function, "FileChecksumCrc32c");
}

TEST_F(FileChecksumTest, OptionsNameTheFactory) {
  DBOptions options;
  ASSERT_EQ(
      GetDBOptionsFromString(
          DBOptions(), "file_checksum_gen_factory=FileChecksumGenCrc32cFactory",
          &options),
      Status::OK());
  EXPECT_EQ(options.file_checksum_gen_factory,
            GetFileChecksumGenCrc32cFactory());
  std::string text;
  ASSERT_EQ(GetStringFromDBOptions(&text, options), Status::OK());
  EXPECT_NE(text.find("file_checksum_gen_factory=FileChecksumGenCrc32cFactory"),
            std::string::npos);
  ASSERT_EQ(GetDBOptionsFromString(options, "file_checksum_gen_factory=nullptr",
                                   &options),
            Status::OK());
  EXPECT_EQ(options.file_checksum_gen_factory, nullptr);
  EXPECT_FALSE(GetDBOptionsFromString(
                   options, "file_checksum_gen_factory=SumFactory", &options)
                   .ok());
}

}  // namespace
}  // namespace tamis
