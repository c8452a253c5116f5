#!/bin/sh
# Compiles every program of this folder and of the folders below it, or the ones named, into class files beside the sources.
# `-g` keeps the names of local variables, which become the names of registers; Java 8 class files are read by every JDK since.
set -eu
cd "$(dirname "$0")"
if [ $# -gt 0 ]; then
    javac --release 8 -g -implicit:none -Xlint:-options -sourcepath lib -d . "$@"
    exit
fi
javac --release 8 -g -implicit:none -Xlint:-options -sourcepath lib -d . *.java
for folder in opmm jpr mcr; do
    javac --release 8 -g -implicit:none -Xlint:-options -sourcepath lib -d "$folder" "$folder"/*.java
done
