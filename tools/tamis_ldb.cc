// SPDX-License-Identifier: Apache-2.0
//
// tamis_ldb: look into a database and change it, key by key. Its output is
// that of RocksDB's ldb.
#include <cstdint>
#include <memory>
#include <string>

#include <gflags/gflags.h>

#include "tamis/db.h"

#include "tools/hex.h"
#include "tools/tool_main.h"

DEFINE_string(db, "", "the database's directory");
DEFINE_bool(hex, false, "keys and values are hex, with 0x in front");
DEFINE_bool(key_hex, false, "keys are hex");
DEFINE_bool(value_hex, false, "values are hex");
DEFINE_bool(create_if_missing, false, "put: make the database if needed");
DEFINE_string(from, "", "scan: the first key");
DEFINE_string(to, "", "scan: the key before which it ends");
DEFINE_int64(max_keys, -1, "scan: at most so many; -1: all");
DEFINE_string(comparator, "bytewise", "the order of keys");

namespace tamis {
namespace {

constexpr const char* kUsage =
    R"(usage: tamis_ldb --db=DIR [flags] COMMAND

  get KEY                  print the value; exit 1 when there is none
  put KEY VALUE            write it, print OK
  delete KEY               remove it, print OK
  scan                     print every KEY : VALUE in order
       [--from=KEY] [--to=KEY] [--max_keys=N]    from, and up to but not with

  --hex                    keys and values are written as 0x and hex digits
  --key_hex, --value_hex   just the keys; just the values
  --create_if_missing      put: make the database when there is none
  --comparator=NAME        bytewise (default) or reverse

exit codes: 0 right, 1 not found, corrupt or failed, 2 misused
)";

bool KeysInHex() { return FLAGS_hex || FLAGS_key_hex; }
bool ValuesInHex() { return FLAGS_hex || FLAGS_value_hex; }

Result<std::string> Parse(const std::string& text, bool hex) {
  if (!hex) return text;
  return ParseHex(text);
}

std::string Show(const Slice& bytes, bool hex) {
  return hex ? "0x" + bytes.ToString(true) : bytes.ToString();
}

int Get(DB* db, const std::string& key) {
  std::string value;
  const Status s = db->Get(ReadOptions(), key, &value);
  if (!s.ok()) return Failed(s);
  Print(Show(value, ValuesInHex()) + "\n");
  return kExitRight;
}

int SayOk(const Status& s) {
  if (!s.ok()) return Failed(s);
  Print("OK\n");
  return kExitRight;
}

int Scan(DB* db, const std::string& from, const std::string& to) {
  ReadOptions options;
  const Slice upper = to;
  if (!to.empty()) options.iterate_upper_bound = &upper;
  const std::unique_ptr<Iterator> it(db->NewIterator(options));
  int64_t left = FLAGS_max_keys;
  if (from.empty()) {
    it->SeekToFirst();
  } else {
    it->Seek(from);
  }
  for (; it->Valid() && left != 0; it->Next()) {
    Print(Show(it->key(), KeysInHex()) + " : " +
          Show(it->value(), ValuesInHex()) + "\n");
    if (left > 0) left--;
  }
  return it->status().ok() ? kExitRight : Failed(it->status());
}

struct Command {
  const char* name;
  size_t arguments;
};
constexpr Command kCommands[] = {
    {"get", 1}, {"put", 2}, {"delete", 1}, {"scan", 0}};

// Empty: misused, `why` says how.
const Command* FindCommand(const std::vector<std::string>& words,
                           std::string* why) {
  if (words.empty()) {
    *why = "no command";
    return nullptr;
  }
  for (const Command& command : kCommands) {
    if (words[0] != command.name) continue;
    if (words.size() - 1 == command.arguments) return &command;
    *why = words[0] + " takes " + std::to_string(command.arguments) +
           " argument(s)";
    return nullptr;
  }
  *why = "unknown command " + words[0];
  return nullptr;
}

Status OpenDatabase(bool may_create, std::unique_ptr<DB>* db) {
  Options options;
  options.create_if_missing = may_create && FLAGS_create_if_missing;
  if (FLAGS_comparator == "reverse") {
    options.comparator = ReverseBytewiseComparator();
  }
  return DB::Open(options, FLAGS_db, db);
}

// The words of a command, taken out of hex where that is asked for.
struct Operands {
  std::string key;
  std::string value;
  std::string from;
  std::string to;
};

Status ParseOperands(const std::vector<std::string>& words, Operands* out) {
  const auto parse = [](const std::string& text, bool hex, std::string* into) {
    if (text.empty()) return Status::OK();
    Result<std::string> bytes = Parse(text, hex);
    if (!bytes.ok()) return bytes.status();
    *into = *std::move(bytes);
    return Status::OK();
  };
  if (words.size() > 1) {
    TAMIS_RETURN_IF_ERROR(parse(words[1], KeysInHex(), &out->key));
  }
  if (words.size() > 2) {
    TAMIS_RETURN_IF_ERROR(parse(words[2], ValuesInHex(), &out->value));
  }
  TAMIS_RETURN_IF_ERROR(parse(FLAGS_from, KeysInHex(), &out->from));
  return parse(FLAGS_to, KeysInHex(), &out->to);
}

int Run(const std::vector<std::string>& words) {
  std::string why;
  const Command* command = FindCommand(words, &why);
  if (command == nullptr) return Misused(why);
  if (FLAGS_db.empty()) return Misused("--db is missing");
  if (FLAGS_comparator != "bytewise" && FLAGS_comparator != "reverse") {
    return Misused("--comparator is bytewise or reverse");
  }
  Operands operands;
  const Status parsed = ParseOperands(words, &operands);
  if (!parsed.ok()) return Misused(parsed.message());

  const std::string name = command->name;
  std::unique_ptr<DB> db;
  const Status opened = OpenDatabase(name == "put", &db);
  if (!opened.ok()) return Failed(opened);
  int code = kExitRight;
  if (name == "get") {
    code = Get(db.get(), operands.key);
  } else if (name == "put") {
    code = SayOk(db->Put(WriteOptions(), operands.key, operands.value));
  } else if (name == "delete") {
    code = SayOk(db->Delete(WriteOptions(), operands.key));
  } else {
    code = Scan(db.get(), operands.from, operands.to);
  }
  const Status closed = db->Close();
  return code == kExitRight && !closed.ok() ? Failed(closed) : code;
}

}  // namespace
}  // namespace tamis

int main(int argc, char** argv) {
  return tamis::RunTool({"tamis_ldb", tamis::kUsage, tamis::Run}, argc, argv);
}
