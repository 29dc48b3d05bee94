// SPDX-License-Identifier: Apache-2.0
namespace tamis {
namespace {

long Overload(long n) { return n + 1; }

}  // namespace

long Second() { return Overload(1); }
}  // namespace tamis
