#!/bin/sh
# Compiles the programs of this folder into class files beside the sources. `Modern` is compiled for Java 11, where strings
# are concatenated by `invokedynamic` and nested classes call private methods directly.
set -eu
cd "$(dirname "$0")"
javac --release 8 -g -implicit:none -Xlint:-options -d "${1:-.}" $(ls *.java | grep -v Modern)
javac --release 11 -g -implicit:none -Xlint:-options -d "${1:-.}" Modern.java
mkdir -p "${1:-.}/refused"
javac --release 8 -g -implicit:none -Xlint:-options -d "${1:-.}/refused" refused/*.java
