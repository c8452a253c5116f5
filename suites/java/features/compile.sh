#!/bin/sh
# Compiles the programs of this folder into class files beside the sources, or in the folder named. `Concat` is compiled for
# Java 11, where strings are concatenated by `invokedynamic`.
set -eu
cd "$(dirname "$0")"
javac --release 8 -g -implicit:none -Xlint:-options -d "${1:-.}" $(ls *.java | grep -v Concat)
javac --release 11 -g -implicit:none -Xlint:-options -d "${1:-.}" Concat.java
