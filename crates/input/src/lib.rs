//! From the names of files to questions: what lies at a path is read, compiled if need be, and made a [`palisade::Task`].
//!
//! - [`mod@task`] reads what a file asks, by its ending: litmus tests itself, C by way of [`c`], Java by way of [`java`];
//! - [`c`] reads C files and what they include; [`project`] says which files make a program, as `compile_commands.json` lists
//!   them;
//! - [`java`] finds classes in folders, jars and the JDK, and has `javac` compile sources;
//! - [`programs`] finds compiled programs that stand for those of a published table;
//! - [`models`] finds the model that is meant;
//! - [`files`] reads files, pipes, standard input and lists of files;
//! - [`source`] has the options of the command line that say how all this is done.
//!
//! Besides `cli` this is the only crate that touches files.

pub mod c;
pub mod files;
pub mod java;
pub mod models;
pub mod programs;
pub mod project;
pub mod source;
pub mod task;

pub use java::{is_class, is_java};
pub use source::CSource;
pub use task::{Ask, Input, is_c, nothing_read, quiet_task, refuse_unknown, task};
