#!/bin/sh
# Compiles the programs of this folder into class files beside the sources, or in the folder named: Java 17, as people write it.
set -eu
cd "$(dirname "$0")"
javac --release 17 -g -implicit:none -d "${1:-.}" *.java
