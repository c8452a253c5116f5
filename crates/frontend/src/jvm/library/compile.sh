#!/bin/sh
# Compiles the library into class files beside the sources. They replace classes of the JDK, so they are compiled as a patch
# of its base module.
set -eu
cd "$(dirname "$0")"
find java palisade -name '*.java' | LC_ALL=C sort > sources.txt
javac -g -source 9 -target 9 -XDstringConcat=inline -Xlint:-options -nowarn -implicit:none \
    --patch-module java.base=. -d "${1:-.}" @sources.txt
rm sources.txt
