//! Where the classes of a JDK come from.

/// The classes of a JDK, by name.
pub trait ClassSource {
    /// The class file of a class by its binary name, `java/util/List`.
    fn find(&self, name: &str) -> Option<Vec<u8>>;
}

/// No JDK.
pub struct NoJdk;

impl ClassSource for NoJdk {
    fn find(&self, _: &str) -> Option<Vec<u8>> {
        None
    }
}
