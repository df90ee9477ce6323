# nix-build configs/packaging/nix, or pkgs.callPackage of this file with the arguments below.
{ pkgs ? import <nixpkgs> { } }:

pkgs.stdenv.mkDerivation {
  pname = "scalediag";
  version = "0.1.0";

  # without what a build left behind
  src = builtins.filterSource (path: type: ! builtins.elem (baseNameOf path) [ ".git" "build" ]) ../../..;

  nativeBuildInputs = [ pkgs.pkg-config pkgs.scdoc ];
  buildInputs = [
    pkgs.capstone
    pkgs.hwloc
    pkgs.jansson
    pkgs.libconfig
    pkgs.muparser
    pkgs.libpfm
    pkgs.elfutils
    pkgs.xz
    pkgs.sqlite
    pkgs.libiberty
  ];
  # the software PMU's engine is looked for in the PATH
  propagatedUserEnvPkgs = [ pkgs.qemu ];

  enableParallelBuilding = true;
  # Chart.js is not in nixpkgs: the pages that it writes have their tables and no charts
  makeFlags = [ "PREFIX=$(out)" "CHART_JS=none" "COMMIT=0.1.0" ];
  buildFlags = [ "all" "manual-pages" ];
  installTargets = [ "install-built" ];

  meta.description = "Why a program does not get faster with more cores";
}
