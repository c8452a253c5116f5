#!/bin/sh
# Compiles the library into class files beside the sources, or in the folder named. The classes replace those of the JDK, so
# they are compiled as a patch of its base module.
set -eu
cd "$(dirname "$0")"
javac -g -source 9 -target 9 -XDstringConcat=inline -Xlint:-options -Xlint:-removal -nowarn -implicit:none \
    --patch-module java.base=. -d "${1:-.}" $(find java jdk org palisade -name '*.java' | LC_ALL=C sort)
