#!/bin/sh
# Makes the class files and jars of this folder.
set -eu
cd "$(dirname "$0")"
library=../../../crates/frontend/src/jvm/library
lib=$(mktemp -d)
rm -rf classes test-classes app.jar tests.jar
javac -g --release 17 -d "$lib" $(find src/lib -name '*.java')
javac -g --release 17 -d classes $(find src/main -name '*.java')
javac -g --release 17 -cp "classes:$lib:$library" -d test-classes $(find src/test -name '*.java')
jar --create --file app.jar --main-class bank.Main --date 2000-01-01T00:00:00Z -C classes .
jar --create --file tests.jar --date 2000-01-01T00:00:00Z -C test-classes .
rm -rf "$lib"
