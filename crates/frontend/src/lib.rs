//! Litmus tests, C and JVM class files, lowered to `Program`.
