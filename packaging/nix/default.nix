# SPDX-License-Identifier: Apache-2.0
# The checkout that this file lies in: nix-build packaging/nix
{ pkgs ? import <nixpkgs> { } }:

pkgs.stdenv.mkDerivation {
  pname = "tamis";
  version = "0.1.0";
  src = pkgs.lib.cleanSource ../..;

  nativeBuildInputs = with pkgs; [ cmake ninja pkg-config ];
  buildInputs = with pkgs; [ gflags nlohmann_json ];
  propagatedBuildInputs = with pkgs; [ snappy xxHash lz4 zstd zlib bzip2 ];

  cmakeFlags = [ "-DTAMIS_BUILD_LEVELDB_FACADE=OFF" ];

  meta = with pkgs.lib; {
    description = "An embedded key-value store in RocksDB's file formats";
    license = licenses.asl20;
    platforms = [ "x86_64-linux" "aarch64-linux" ];
    mainProgram = "tamis_ldb";
  };
}
