#!/bin/sh
# Compiles the programs of this folder into class files beside the sources, or in the folder named.
set -eu
cd "$(dirname "$0")"
javac --release 8 -g -implicit:none -Xlint:-options -sourcepath ../lib -d "${1:-.}" *.java
