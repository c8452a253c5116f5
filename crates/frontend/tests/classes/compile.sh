#!/bin/sh
# Compiles the sources of this folder into class files beside them.
set -eu
cd "$(dirname "$0")"
javac --release 8 -g -implicit:none -Xlint:-options -sourcepath ../../../../suites/java/lib -d . *.java
