#!/bin/sh
# Compiles the tests of this folder into class files beside the sources, or in the folder named. `lib` has stand-ins for the few
# classes of jcstress that they name; jcstress itself is not needed.
set -eu
cd "$(dirname "$0")"
javac --release 17 -g -implicit:class -sourcepath lib -d "${1:-.}" *.java
