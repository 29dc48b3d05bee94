// SPDX-License-Identifier: Apache-2.0
//
// Repairs directories of RocksDB, with column families, whose CURRENT or
// MANIFEST is lost or damaged. RocksDB opens the result, finds it consistent
// and continues with it.
#include "db/repair/repair.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rocksdb/db.h>

#include "tamis/db.h"

#include "tests/interop/peers.h"
#include "tests/support/databases.h"
#include "util/base/random.h"

namespace tamis {
namespace {

using Model = std::map<std::string, std::string>;

const std::vector<std::string> kFamilies = {"default", "birds", "fish"};

std::vector<rocksdb::ColumnFamilyDescriptor> Descriptors() {
  std::vector<rocksdb::ColumnFamilyDescriptor> all;
  for (const std::string& name : kFamilies) {
    all.emplace_back(name, PeerOptions(false));
  }
  return all;
}

// RocksDB's view of all families, closed with the scope.
class Peer {
 public:
  explicit Peer(const std::string& directory) {
    rocksdb::DBOptions options(PeerOptions(false));
    options.create_if_missing = true;
    options.create_missing_column_families = true;
    rocksdb::DB* db = nullptr;
    const rocksdb::Status status =
        rocksdb::DB::Open(options, directory, Descriptors(), &handles_, &db);
    EXPECT_TRUE(status.ok()) << status.ToString();
    db_.reset(db);
  }
  ~Peer() {
    for (rocksdb::ColumnFamilyHandle* handle : handles_) {
      EXPECT_TRUE(db_->DestroyColumnFamilyHandle(handle).ok());
    }
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  rocksdb::DB* operator->() { return db_.get(); }
  rocksdb::ColumnFamilyHandle* family(size_t i) { return handles_[i]; }

  Model Shown(size_t i) {
    Model shown;
    const std::unique_ptr<rocksdb::Iterator> it(
        db_->NewIterator(rocksdb::ReadOptions(), handles_[i]));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      shown[it->key().ToString()] = it->value().ToString();
    }
    EXPECT_TRUE(it->status().ok()) << it->status().ToString();
    return shown;
  }

 private:
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
};

// Overwrites and deletes over several levels in each family, and a log.
void FillPeer(const std::string& directory, uint64_t seed,
              std::vector<Model>* models) {
  Random random(seed);
  models->resize(kFamilies.size());
  Peer peer(directory);
  for (int i = 0; i < 9000; ++i) {
    const size_t family = random.Uniform(kFamilies.size());
    const std::string key = "key" + std::to_string(random.Uniform(500));
    Model& model = (*models)[family];
    rocksdb::Status status;
    if (random.OneIn(4)) {
      model.erase(key);
      status = peer->Delete(rocksdb::WriteOptions(), peer.family(family), key);
    } else {
      model[key] =
          "v" + std::to_string(i) + std::string(random.Uniform(200), 'x');
      status = peer->Put(rocksdb::WriteOptions(), peer.family(family), key,
                         model[key]);
    }
    ASSERT_TRUE(status.ok()) << status.ToString();
    if (random.OneIn(700)) {
      ASSERT_TRUE(
          peer->Flush(rocksdb::FlushOptions(), peer.family(family)).ok());
    }
  }
}

std::string ManifestOf(const std::string& directory) {
  std::ifstream current(directory + "/CURRENT");
  std::string name;
  std::getline(current, name);
  return directory + "/" + name;
}

RepairRequest RequestFor(const std::string& directory) {
  RepairRequest request;
  request.directory = directory;
  return request;
}

enum class Loss { kNothing, kCurrent, kManifest, kHalfTheManifest, kBoth };

class RepairInteropTest : public testing::TestWithParam<Loss> {};

TEST_P(RepairInteropTest, RocksDbOpensARepairedDirectoryWithItsFamilies) {
  const TemporaryDirectory directory;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    const std::string path = directory.Path("db" + std::to_string(seed));
    std::vector<Model> models;
    FillPeer(path, seed, &models);
    if (HasFatalFailure()) return;
    const std::string manifest = ManifestOf(path);
    const Loss loss = GetParam();
    if (loss == Loss::kHalfTheManifest) {
      std::filesystem::resize_file(manifest,
                                   std::filesystem::file_size(manifest) / 2);
    }
    if (loss == Loss::kManifest || loss == Loss::kBoth) {
      std::filesystem::remove(manifest);
    }
    if (loss == Loss::kCurrent || loss == Loss::kBoth) {
      std::filesystem::remove(path + "/CURRENT");
    }
    const Status status = RepairDirectory(RequestFor(path));
    ASSERT_TRUE(status.ok()) << status;
    ExpectConsistentToLdb(path);
    Peer peer(path);
    for (size_t i = 0; i < kFamilies.size(); ++i) {
      EXPECT_EQ(peer.Shown(i), models[i]) << kFamilies[i];
      const rocksdb::Status compacted = peer->CompactRange(
          rocksdb::CompactRangeOptions(), peer.family(i), nullptr, nullptr);
      EXPECT_TRUE(compacted.ok()) << compacted.ToString();
      EXPECT_EQ(peer.Shown(i), models[i]) << kFamilies[i];
    }
  }
}

std::string NameOf(const testing::TestParamInfo<Loss>& loss) {
  constexpr const char* kNames[] = {"Nothing", "Current", "Manifest",
                                    "HalfTheManifest", "CurrentAndManifest"};
  return kNames[static_cast<size_t>(loss.param)];
}

INSTANTIATE_TEST_SUITE_P(Losses, RepairInteropTest,
                         testing::Values(Loss::kNothing, Loss::kCurrent,
                                         Loss::kManifest,
                                         Loss::kHalfTheManifest, Loss::kBoth),
                         NameOf);

TEST(RepairDroppedFamilyTest, StaysDroppedWhileTheManifestReads) {
  const TemporaryDirectory directory;
  const std::string path = directory.Path("db");
  std::vector<Model> models;
  FillPeer(path, 7, &models);
  const std::string kept = directory.Path("kept");
  std::filesystem::copy(path, kept, std::filesystem::copy_options::recursive);
  {
    Peer peer(path);
    ASSERT_TRUE(peer->DropColumnFamily(peer.family(2)).ok());
  }
  // Its tables lie around, as after a crash.
  std::filesystem::copy(kept, path,
                        std::filesystem::copy_options::skip_existing |
                            std::filesystem::copy_options::recursive);
  const auto list = [&path] {
    std::vector<std::string> names;
    EXPECT_TRUE(
        rocksdb::DB::ListColumnFamilies(rocksdb::DBOptions(), path, &names)
            .ok());
    return names;
  };
  ASSERT_TRUE(RepairDirectory(RequestFor(path)).ok());
  EXPECT_EQ(list(), (std::vector<std::string>{"default", "birds"}));
}

}  // namespace
}  // namespace tamis
