#!/usr/bin/env bash
# One step of the tests of the package; tests/package/CMakeLists.txt gives the order.
#   check.sh STEP
# SOURCE, BUILD, WORK, CC, CXX, LAUNCHER, VERSION, ABI, KIND, BACKENDS, LIBRARY come in the
# environment.
set -euo pipefail

die() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

# configure FOLDER [OPTION...]: the consumer in WORK/FOLDER, from scratch but for what was compiled.
configure() {
  local folder=$WORK/$1
  shift
  rm -f "$folder/CMakeCache.txt"
  cmake -S "$SOURCE/tests/${CONSUMER:-consumer}" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" \
    -DCMAKE_C_COMPILER_LAUNCHER="$LAUNCHER" -DCMAKE_CXX_COMPILER_LAUNCHER="$LAUNCHER" \
    -DBIFOLD_WANT="$VERSION" "$@"
}

# run_programs FOLDER: what was built there; a program that finds no device ends with 77.
run_programs() {
  local program status ran=0
  for program in "$WORK/$1"/use_*; do
    [[ -x $program && -f $program ]] || continue
    status=0
    "$program" || status=$?
    echo "$(basename "$program"): $status"
    [[ $status == 0 || $status == 77 ]] || die "$program ended with $status"
    ran=$((ran + 1))
  done
  ((ran > 0)) || die "no program in $1"
}

# consume FOLDER [OPTION...]: configures, builds and runs the consumer.
consume() {
  configure "$@"
  cmake --build "$WORK/$1"
  run_programs "$1"
}

# refuse PATTERN FOLDER [OPTION...]: configuring has to fail, and to say why.
refuse() {
  local pattern=$1 output
  shift
  if output=$(configure "$@" 2>&1); then die "was configured: $*"; fi
  grep -qE "$pattern" <<<"$output" || die "no \"$pattern\" in: $output"
}

# Without what changes from machine to machine and from version to version.
plain() {
  sed "s|/lib/[^/]*-[^/]*-[^/]*/|/lib/|; s|Targets-[a-z]*\\.|Targets-BUILD.|; s/ (>= [^)]*)//g
       s/$VERSION/VERSION/g; s/libbifold$ABI/libbifoldABI/g; s/\\.so\\.$ABI/.so.ABI/g
       s/^Architecture: .*/Architecture: ARCH/; s/ *\$//"
}

# install_from BUILD TREE: installs elsewhere first, then moves the tree: it may not care.
install_from() {
  rm -rf "$WORK/$2" "$WORK/$2-before"
  cmake --install "$1" --prefix "$WORK/$2-before" >/dev/null
  mv "$WORK/$2-before" "$WORK/$2"
  local folder hits
  for folder in "$SOURCE" "$BUILD" "$WORK"; do
    hits=$(grep -rlaF "$folder" "$WORK/$2" || true)
    [[ -z $hits ]] || die "$folder is named in: $hits"
  done
  # A file more or less is a decision: the list is kept. Headers are compared with the sources, and
  # the tool is there where it was built.
  (cd "$WORK/$2" && find . -type f -o -type l) |
    sed '/^\.\/include\//d; /bifold-bench$/d; /bifold-tools/d' | plain | LC_ALL=C sort >"$WORK/$2.files"
  (cd "$SOURCE/include" && find bifold -type f) | LC_ALL=C sort >"$WORK/headers"
  (cd "$WORK/$2/include" && find bifold -type f) | LC_ALL=C sort | diff "$WORK/headers" - ||
    die "the headers installed are not those of the source tree"
}

# same_list KEPT FOUND: compares with a list in the source tree.
same_list() {
  diff -u "$SOURCE/$1" "$2" || die "$1 is not what was found; if that is meant, copy $2 over it"
}

prefix_of() { (cd "$WORK/$1" && pwd); }

case $1 in
  install)
    install_from "$BUILD" installed
    same_list "packaging/files-$KIND.txt" "$WORK/installed.files"
    [[ -x $WORK/installed/bin/bifold-bench ]] || [[ ! -x $BUILD/bin/bifold-bench ]] ||
      die "the tool was not installed"
    ;;
  find_package)
    consume by-package -DCMAKE_PREFIX_PATH="$(prefix_of installed)" -DBIFOLD_COMPONENTS="$BACKENDS"
    CONSUMER=consumer/c_only consume by-package-in-c -DCMAKE_PREFIX_PATH="$(prefix_of installed)"
    ;;
  refusals)
    prefix=-DCMAKE_PREFIX_PATH=$(prefix_of installed)
    refuse 'no backend "metal" was built in' refused "$prefix" -DBIFOLD_COMPONENTS=metal
    IFS=. read -r major minor _ <<<"$VERSION"
    older=()
    ((minor == 0)) || older=("$major.$((minor - 1))")
    for version in "$major.$((minor + 1))" "$((major + 1)).0" "${older[@]}"; do
      refuse 'not considered.*compatible|following.*not accepted|version: ' refused "$prefix" \
        -DBIFOLD_WANT="$version"
    done
    ;;
  pkg_config)
    PKG_CONFIG_PATH=$(find "$(prefix_of installed)" -name pkgconfig -type d) \
      consume by-pkg-config -DBIFOLD_FROM=pkg-config
    ;;
  subdirectory)
    # The one further build of the library; its shared library is what the next steps install.
    # Nothing is optimised, which compiles faster. The prefix is the one for which libraries go to a
    # folder per architecture.
    consume by-subdirectory -DBIFOLD_FROM=subdirectory -DBIFOLD_SOURCE="$SOURCE" \
      -DBUILD_SHARED_LIBS=ON -DBIFOLD_INSTALL=ON -DBIFOLD_CPACK=ON \
      -DBIFOLD_PTX_CACHE="$BUILD/ptx-cache" \
      -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG= -DCMAKE_INSTALL_PREFIX=/usr \
      -DCMAKE_DISABLE_FIND_PACKAGE_doctest=ON -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON
    ;;
  build_type)
    # What compiles bifold's sources and the parent's own. BUILD_TYPE and flags are the parent's.
    compiled() {
      local folder=$1
      shift
      configure "$folder" -DBIFOLD_FROM=subdirectory -DBIFOLD_SOURCE="$SOURCE" \
        -DBIFOLD_EMBED_PTX=OFF -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "$@" >"$WORK/$folder.txt"
      library=$(grep -m1 '"command".*backends/core/operators/op.cpp' "$WORK/$folder/compile_commands.json")
      parents=$(grep -m1 '"command".*use_opencl.cpp' "$WORK/$folder/compile_commands.json")
    }
    said='bifold: CMAKE_BUILD_TYPE is not set'
    compiled untyped -DCMAKE_BUILD_TYPE=
    [[ $library == *' -O2 -DNDEBUG '* ]] || die "not optimised: $library"
    [[ $parents != *' -O'* && $parents != *NDEBUG* ]] || die "the parent's are changed: $parents"
    [[ $(grep -c "$said" "$WORK/untyped.txt") == 1 ]] || die "CMake does not say so once"
    for variable in CMAKE_BUILD_TYPE CMAKE_CXX_FLAGS CMAKE_C_FLAGS; do
      grep -qE "^$variable:[A-Z]+=$" "$WORK/untyped/CMakeCache.txt" || die "$variable is changed"
    done
    # Whoever decides about it, decides.
    compiled typed -DCMAKE_BUILD_TYPE=Debug
    [[ $library != *' -O2'* && $library != *NDEBUG* ]] || die "Debug is optimised: $library"
    ! grep -q "$said" "$WORK/typed.txt" || die "a build type was given"
    compiled typed -DCMAKE_BUILD_TYPE= -DCMAKE_CXX_FLAGS=-O1
    [[ $library != *' -O2'* ]] || die "given flags are overruled: $library"
    ;;
  shared)
    install_from "$WORK/by-subdirectory" shared
    same_list packaging/files-shared.txt "$WORK/shared.files"
    LD_LIBRARY_PATH=$(dirname "$(find "$(prefix_of shared)" -name 'libbifold.so')")
    export LD_LIBRARY_PATH
    consume shared-by-package -DCMAKE_PREFIX_PATH="$(prefix_of shared)"
    CONSUMER=consumer/c_only consume shared-by-package-in-c \
      -DCMAKE_PREFIX_PATH="$(prefix_of shared)"
    PKG_CONFIG_PATH=$LD_LIBRARY_PATH/pkgconfig \
      consume shared-by-pkg-config -DBIFOLD_FROM=pkg-config
    # Neither logger nor loader is asked of those who link to the shared library.
    cd "$LD_LIBRARY_PATH"
    ! grep -lE 'spdlog|fmt|OpenCL::|-lOpenCL|dl|pthread' \
      cmake/bifold/bifoldTargets*.cmake pkgconfig/bifold.pc || die "the shared package names what it hides"
    ;;
  deb)
    rm -rf "$WORK/deb"
    (cd "$WORK/by-subdirectory" && cpack -G DEB -B "$WORK/deb")
    for package in "$WORK"/deb/*.deb; do
      dpkg-deb --field "$package" Package Version Architecture Depends
      dpkg-deb --contents "$package" |
        awk '$1 !~ /^d/ && $6 !~ /\/include\/bifold\// {print $6, $7, $8}' | LC_ALL=C sort
    done | plain >"$WORK/deb.txt"
    same_list packaging/deb.txt "$WORK/deb.txt"
    ;;
  abi)
    # LIBRARY: a shared library of the same objects. Types and overloads in full, one name a line.
    nm -D --defined-only -C "$LIBRARY" | cut -d' ' -f3- | LC_ALL=C sort -u \
      >"$WORK/exports.txt"
    # Adoption in C++ exists where the backend does.
    sed "/bifold::interop::\(${BACKENDS//;/\\|}\)::/!{/bifold::interop::/d}" \
      "$SOURCE/packaging/abi/exports.txt" >"$WORK/exports-kept.txt"
    foreign=$(grep -vE '^(typeinfo (name )?for |vtable for )?bifold(::|_)' "$WORK/exports.txt" ||
      true)
    foreign+=$(grep -E 'bifold::(core|backend)::' "$WORK/exports.txt" || true)
    [[ -z $foreign ]] || die "exported, but not part of the interface: $foreign"
    diff -u "$WORK/exports-kept.txt" "$WORK/exports.txt" ||
      die "exports changed; if that is meant, copy $WORK/exports.txt over packaging/abi/exports.txt"
    ;;
  other_abi)
    # LIBRARY: as above. A program that fits links; one of another layout is told which.
    link() {
      # shellcheck disable=SC2086
      $LAUNCHER "$CXX" -std=c++20 -O0 ${1:-} -I"$SOURCE/include" \
        -c "$SOURCE/tests/package/other_abi.cpp" -o "$WORK/other_abi.o"
      "$CXX" "$WORK/other_abi.o" "$LIBRARY" -o "$WORK/other_abi"
    }
    link
    for layout in _GLIBCXX_DEBUG:glibcxx_debug _GLIBCXX_USE_CXX11_ABI=0:old_strings; do
      if output=$(LC_ALL=C link "-D${layout%:*}" 2>&1); then die "linked with $layout"; fi
      grep -qF "bifold::open_device[abi:${layout#*:}]" <<<"$output" ||
        die "the linker does not name the tag: $output"
    done
    ;;
  *) die "no such step: $1" ;;
esac
