// SPDX-License-Identifier: Apache-2.0
#include "rados/librados_store.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <rados/librados.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "rados/librados_watch.h"

namespace tamis::rados {

namespace {

constexpr char kLeaseName[] = "owner";
constexpr uint64_t kEntriesPerCall = 1000;
constexpr int kBlocklistSeconds = 3600;

std::string TextOf(int error) {
  return std::string(std::strerror(-error)) + " (" + std::to_string(error) +
         ")";
}

StoreResult ResultOf(int returned) {
  if (returned >= 0) return {};
  switch (-returned) {
    case ENOENT:
    case ENODATA:
      return {StoreCode::kNotFound, TextOf(returned)};
    case EEXIST:
      return {StoreCode::kExists, TextOf(returned)};
    case ECANCELED:
      return {StoreCode::kUnequal, "a condition does not hold"};
    case EBUSY:
      return {StoreCode::kLocked, TextOf(returned)};
    case ESHUTDOWN:
      return {StoreCode::kBlocklisted, TextOf(returned)};
    case ENOSPC:
    case EDQUOT:
      return {StoreCode::kNoSpace, TextOf(returned)};
    case ETIMEDOUT:
      return {StoreCode::kUnknown, TextOf(returned)};
    default:
      return {StoreCode::kFailed, TextOf(returned)};
  }
}

// librados's form of a change.
class WriteOperation {
 public:
  explicit WriteOperation(const ObjectWrite& write)
      : operation_(rados_create_write_op()) {
    for (const ObjectWrite::Step& step : write.steps()) Add(step);
  }
  ~WriteOperation() { rados_release_write_op(operation_); }
  WriteOperation(const WriteOperation&) = delete;
  WriteOperation& operator=(const WriteOperation&) = delete;

  rados_write_op_t get() const { return operation_; }

 private:
  void Add(const ObjectWrite::Step& step);

  const rados_write_op_t operation_;
};

void WriteOperation::Add(const ObjectWrite::Step& step) {
  using Kind = ObjectWrite::Kind;
  const char* const name = step.name.data();
  const char* const value = step.value.data();
  const size_t name_bytes = step.name.size();
  const size_t value_bytes = step.value.size();
  switch (step.kind) {
    case Kind::kRequireEqual:
      rados_write_op_cmpxattr(operation_, step.name.c_str(),
                              LIBRADOS_CMPXATTR_OP_EQ, value, value_bytes);
      break;
    case Kind::kRequireAtMost:
      // The operator is between the given value and the attribute.
      rados_write_op_cmpxattr(operation_, step.name.c_str(),
                              LIBRADOS_CMPXATTR_OP_GTE, value, value_bytes);
      break;
    case Kind::kCreate:
      rados_write_op_create(operation_, LIBRADOS_CREATE_EXCLUSIVE, nullptr);
      break;
    case Kind::kSetAttribute:
      rados_write_op_setxattr(operation_, step.name.c_str(), value,
                              value_bytes);
      break;
    case Kind::kWriteBytes:
      rados_write_op_write(operation_, step.bytes->data(), step.bytes->size(),
                           step.offset);
      break;
    case Kind::kSetEntry:
      rados_write_op_omap_set2(operation_, &name, &value, &name_bytes,
                               &value_bytes, 1);
      break;
    case Kind::kRemoveEntry:
      rados_write_op_omap_rm_keys2(operation_, &name, &name_bytes, 1);
      break;
    case Kind::kRemove:
      rados_write_op_remove(operation_);
      break;
  }
}

// What librados gives back when a change or a read is done.
struct Pending {
  std::function<void(int returned)> done;
  rados_completion_t completion = nullptr;
};

extern "C" void FinishPending(rados_completion_t completion, void* argument) {
  const std::unique_ptr<Pending> pending(static_cast<Pending*>(argument));
  pending->done(rados_aio_get_return_value(completion));
  rados_aio_release(completion);
}

class LibradosStore final : public ObjectStore {
 public:
  LibradosStore() = default;
  ~LibradosStore() override;
  LibradosStore(const LibradosStore&) = delete;
  LibradosStore& operator=(const LibradosStore&) = delete;

  Status Connect(const RadosOptions& options);

  StoreResult Apply(const ObjectName& object,
                    const ObjectWrite& write) override;
  void ApplyAsync(const ObjectName& object, const ObjectWrite& write,
                  std::function<void(StoreResult)> done) override;
  StoreResult Read(const ObjectName& object, uint64_t offset, size_t n,
                   char* to, size_t* got) override;
  void ReadAsync(const ObjectName& object, uint64_t offset, size_t n, char* to,
                 std::function<void(StoreResult, size_t)> done) override;
  StoreResult GetSize(const ObjectName& object, uint64_t* size) override;
  StoreResult GetAttribute(const ObjectName& object,
                           const std::string& attribute,
                           std::string* value) override;
  StoreResult GetEntry(const ObjectName& object, const std::string& key,
                       std::string* value) override;
  StoreResult GetEntries(const ObjectName& object, const std::string& prefix,
                         std::map<std::string, std::string>* entries) override;
  StoreResult ListObjects(Pool pool, const std::string& prefix,
                          std::vector<std::string>* names) override;
  StoreResult TakeLease(const ObjectName& object, const std::string& cookie,
                        uint32_t seconds) override;
  StoreResult ReleaseLease(const ObjectName& object,
                           const std::string& cookie) override;
  StoreResult GetLeaseHolder(const ObjectName& object,
                             LeaseHolder* holder) override;
  StoreResult BreakLease(const ObjectName& object,
                         const LeaseHolder& holder) override;
  StoreResult Watch(const ObjectName& object, std::function<void()> changed,
                    std::unique_ptr<StoreWatch>* watch) override;
  void NotifyAsync(const ObjectName& object,
                   std::function<void(StoreResult, size_t)> done) override;
  std::string address() const override { return address_; }
  StoreResult Blocklist(const std::string& address) override;
  void WaitToRetry(uint32_t attempt) override;

 private:
  // Makes the call, which gets a completion; `done` gets what it returns.
  template <typename Call>
  static void Start(std::function<void(int)> done, const Call& call);
  rados_ioctx_t PoolOf(const ObjectName& object) const {
    return pools_[static_cast<size_t>(object.pool)];
  }

  rados_t cluster_ = nullptr;
  std::array<rados_ioctx_t, 3> pools_ = {};
  std::string address_;
  const int process_ = ::getpid();
};

LibradosStore::~LibradosStore() {
  // librados's threads are not in a forked child.
  if (process_ != ::getpid()) return;
  for (rados_ioctx_t pool : pools_) {
    if (pool != nullptr) rados_ioctx_destroy(pool);
  }
  if (cluster_ != nullptr) rados_shutdown(cluster_);
}

Status LibradosStore::Connect(const RadosOptions& options) {
  const std::string config = options.config_file.empty()
                                 ? "Ceph's configuration"
                                 : options.config_file;
  int returned = rados_create(&cluster_, options.client_id.c_str());
  if (returned == 0) {
    returned = rados_conf_read_file(
        cluster_,
        options.config_file.empty() ? nullptr : options.config_file.c_str());
  }
  if (returned < 0) {
    return Status::IOError(config, "read it: " + TextOf(returned));
  }
  returned = rados_connect(cluster_);
  if (returned < 0) {
    return Status::IOError(config, "connect as client." + options.client_id +
                                       ": " + TextOf(returned));
  }
  const std::string& names = options.names_pool;
  const std::string& logs = options.log_pool.empty() ? names : options.log_pool;
  const std::string& tables =
      options.table_pool.empty() ? logs : options.table_pool;
  const std::array<const std::string*, 3> pools = {&names, &logs, &tables};
  for (size_t i = 0; i < pools.size(); ++i) {
    returned = rados_ioctx_create(cluster_, pools[i]->c_str(), &pools_[i]);
    if (returned < 0) {
      return Status::IOError("pool " + *pools[i],
                             "open it: " + TextOf(returned));
    }
  }
  char* addresses = nullptr;
  returned = rados_getaddrs(cluster_, &addresses);
  if (returned < 0) {
    return Status::IOError(config,
                           "this client's address: " + TextOf(returned));
  }
  address_ = addresses;
  rados_buffer_free(addresses);
  return Status::OK();
}

StoreResult LibradosStore::Apply(const ObjectName& object,
                                 const ObjectWrite& write) {
  const WriteOperation operation(write);
  return ResultOf(rados_write_op_operate2(operation.get(), PoolOf(object),
                                          object.name.c_str(), nullptr, 0));
}

void LibradosStore::ApplyAsync(const ObjectName& object,
                               const ObjectWrite& write,
                               std::function<void(StoreResult)> done) {
  const WriteOperation operation(write);
  Start([done = std::move(done)](int returned) { done(ResultOf(returned)); },
        [&](rados_completion_t completion) {
          return rados_aio_write_op_operate(operation.get(), PoolOf(object),
                                            completion, object.name.c_str(),
                                            nullptr, 0);
        });
}

void LibradosStore::ReadAsync(const ObjectName& object, uint64_t offset,
                              size_t n, char* to,
                              std::function<void(StoreResult, size_t)> done) {
  Start(
      [done = std::move(done)](int returned) {
        done(ResultOf(returned),
             returned > 0 ? static_cast<size_t>(returned) : 0);
      },
      [&](rados_completion_t completion) {
        return rados_aio_read(PoolOf(object), object.name.c_str(), completion,
                              to, n, offset);
      });
}

template <typename Call>
void LibradosStore::Start(std::function<void(int)> done, const Call& call) {
  auto pending = std::make_unique<Pending>();
  pending->done = std::move(done);
  rados_aio_create_completion2(pending.get(), &FinishPending,
                               &pending->completion);
  const rados_completion_t completion = pending->completion;
  const int returned = call(completion);
  if (returned < 0) {
    rados_aio_release(completion);
    pending->done(returned);
  } else {
    static_cast<void>(pending.release());  // FinishPending has it
  }
}

StoreResult LibradosStore::Read(const ObjectName& object, uint64_t offset,
                                size_t n, char* to, size_t* got) {
  const int returned =
      rados_read(PoolOf(object), object.name.c_str(), to, n, offset);
  *got = returned > 0 ? static_cast<size_t>(returned) : 0;
  return ResultOf(returned);
}

StoreResult LibradosStore::GetSize(const ObjectName& object, uint64_t* size) {
  time_t when = 0;
  return ResultOf(rados_stat(PoolOf(object), object.name.c_str(), size, &when));
}

StoreResult LibradosStore::GetAttribute(const ObjectName& object,
                                        const std::string& attribute,
                                        std::string* value) {
  value->resize(4096);
  const int returned =
      rados_getxattr(PoolOf(object), object.name.c_str(), attribute.c_str(),
                     value->data(), value->size());
  value->resize(returned > 0 ? static_cast<size_t>(returned) : 0);
  return ResultOf(returned);
}

// Adds what the iterator has, and ends it.
void TakeEntries(rados_omap_iter_t iterator,
                 std::map<std::string, std::string>* entries,
                 std::string* last) {
  for (;;) {
    char* key = nullptr;
    char* value = nullptr;
    size_t key_bytes = 0;
    size_t value_bytes = 0;
    const int returned =
        rados_omap_get_next2(iterator, &key, &value, &key_bytes, &value_bytes);
    if (returned < 0 || key == nullptr) break;
    last->assign(key, key_bytes);
    entries->insert_or_assign(*last, std::string(value, value_bytes));
  }
  rados_omap_get_end(iterator);
}

StoreResult LibradosStore::GetEntry(const ObjectName& object,
                                    const std::string& key,
                                    std::string* value) {
  const rados_read_op_t operation = rados_create_read_op();
  const char* const name = key.data();
  const size_t name_bytes = key.size();
  rados_omap_iter_t iterator = nullptr;
  int of_entry = 0;
  rados_read_op_omap_get_vals_by_keys2(operation, &name, 1, &name_bytes,
                                       &iterator, &of_entry);
  int returned =
      rados_read_op_operate(operation, PoolOf(object), object.name.c_str(), 0);
  if (returned == 0) returned = of_entry;
  std::map<std::string, std::string> entries;
  std::string last;
  if (iterator != nullptr) TakeEntries(iterator, &entries, &last);
  rados_release_read_op(operation);
  if (returned < 0) return ResultOf(returned);
  if (entries.empty()) return {StoreCode::kNotFound, "no such entry"};
  *value = entries.begin()->second;
  return {};
}

StoreResult LibradosStore::GetEntries(
    const ObjectName& object, const std::string& prefix,
    std::map<std::string, std::string>* entries) {
  entries->clear();
  std::string last;
  unsigned char more = 1;
  while (more != 0) {
    const rados_read_op_t operation = rados_create_read_op();
    rados_omap_iter_t iterator = nullptr;
    int of_entries = 0;
    more = 0;
    rados_read_op_omap_get_vals2(operation, last.c_str(), prefix.c_str(),
                                 kEntriesPerCall, &iterator, &more,
                                 &of_entries);
    int returned = rados_read_op_operate(operation, PoolOf(object),
                                         object.name.c_str(), 0);
    if (returned == 0) returned = of_entries;
    if (iterator != nullptr) TakeEntries(iterator, entries, &last);
    rados_release_read_op(operation);
    if (returned < 0) return ResultOf(returned);
  }
  return {};
}

StoreResult LibradosStore::ListObjects(Pool pool, const std::string& prefix,
                                       std::vector<std::string>* names) {
  names->clear();
  rados_list_ctx_t list = nullptr;
  int returned =
      rados_nobjects_list_open(pools_[static_cast<size_t>(pool)], &list);
  if (returned < 0) return ResultOf(returned);
  for (;;) {
    const char* name = nullptr;
    returned = rados_nobjects_list_next(list, &name, nullptr, nullptr);
    if (returned < 0) break;
    if (std::string_view(name).starts_with(prefix)) names->emplace_back(name);
  }
  rados_nobjects_list_close(list);
  return returned == -ENOENT ? StoreResult() : ResultOf(returned);
}

StoreResult LibradosStore::Watch(const ObjectName& object,
                                 std::function<void()> changed,
                                 std::unique_ptr<StoreWatch>* watch) {
  auto made = std::make_unique<LibradosWatch>(cluster_, PoolOf(object),
                                              object.name, std::move(changed));
  StoreResult begun = ResultOf(made->Begin());
  if (begun.ok()) *watch = std::move(made);
  return begun;
}

void LibradosStore::NotifyAsync(const ObjectName& object,
                                std::function<void(StoreResult, size_t)> done) {
  constexpr uint64_t kMillis = 1000;  // librados's least
  const auto reply = std::make_shared<NotifyReply>();
  Start([reply, done = std::move(done)](
            int returned) { done(ResultOf(returned), reply->Answers()); },
        [&](rados_completion_t completion) {
          return rados_aio_notify(PoolOf(object), object.name.c_str(),
                                  completion, nullptr, 0, kMillis,
                                  &reply->bytes, &reply->size);
        });
}

StoreResult LibradosStore::TakeLease(const ObjectName& object,
                                     const std::string& cookie,
                                     uint32_t seconds) {
  timeval duration = {static_cast<time_t>(seconds), 0};
  return ResultOf(rados_lock_exclusive(
      PoolOf(object), object.name.c_str(), kLeaseName, cookie.c_str(),
      address_.c_str(), &duration, LIBRADOS_LOCK_FLAG_MAY_RENEW));
}

StoreResult LibradosStore::ReleaseLease(const ObjectName& object,
                                        const std::string& cookie) {
  return ResultOf(rados_unlock(PoolOf(object), object.name.c_str(), kLeaseName,
                               cookie.c_str()));
}

StoreResult LibradosStore::GetLeaseHolder(const ObjectName& object,
                                          LeaseHolder* holder) {
  // Each gets a list of one.
  std::array<std::array<char, 4096>, 4> texts = {};
  std::array<size_t, 4> sizes;
  sizes.fill(texts[0].size());
  int exclusive = 0;
  const ssize_t holders = rados_list_lockers(
      PoolOf(object), object.name.c_str(), kLeaseName, &exclusive,
      texts[0].data(), &sizes[0], texts[1].data(), &sizes[1], texts[2].data(),
      &sizes[2], texts[3].data(), &sizes[3]);
  if (holders < 0) return ResultOf(static_cast<int>(holders));
  if (holders == 0) return {StoreCode::kNotFound, "nobody has the lease"};
  holder->client = texts[1].data();
  holder->cookie = texts[2].data();
  return {};
}

StoreResult LibradosStore::BreakLease(const ObjectName& object,
                                      const LeaseHolder& holder) {
  return ResultOf(rados_break_lock(PoolOf(object), object.name.c_str(),
                                   kLeaseName, holder.client.c_str(),
                                   holder.cookie.c_str()));
}

StoreResult LibradosStore::Blocklist(const std::string& address) {
  const std::string command =
      R"({"prefix": "osd blocklist", "blocklistop": "add", "addr": ")" +
      address + R"(", "expire": )" + std::to_string(kBlocklistSeconds) + ".0}";
  const char* const text = command.c_str();
  char* out = nullptr;
  char* error = nullptr;
  size_t out_bytes = 0;
  size_t error_bytes = 0;
  const char* commands[] = {text};
  const int returned =
      rados_mon_command(cluster_, commands, 1, nullptr, 0, &out, &out_bytes,
                        &error, &error_bytes);
  StoreResult result = ResultOf(returned);
  if (!result.ok()) result.message += " " + std::string(error, error_bytes);
  rados_buffer_free(out);
  rados_buffer_free(error);
  return result;
}

void LibradosStore::WaitToRetry(uint32_t attempt) {
  constexpr uint32_t kLongest = 1000;
  const uint32_t milliseconds =
      attempt < 10 ? std::min(1u << attempt, kLongest) : kLongest;
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

}  // namespace

Status NewLibradosStore(const RadosOptions& options,
                        std::unique_ptr<ObjectStore>* store) {
  store->reset();
  auto made = std::make_unique<LibradosStore>();
  Status status = made->Connect(options);
  if (status.ok()) *store = std::move(made);
  return status;
}

}  // namespace tamis::rados
