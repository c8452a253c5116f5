#!/bin/sh
# Compiles every program of this folder, or the ones named, into class files beside the sources. `-g` keeps the names of
# local variables, which become the names of registers; Java 8 class files are read by every JDK since.
set -eu
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- *.java
javac --release 8 -g -implicit:none -Xlint:-options -sourcepath lib -d . "$@"
