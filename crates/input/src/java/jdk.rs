//! The JDK of this machine: found by `JAVA_HOME`, else by `java` on the path.

use std::fs::File;
use std::path::PathBuf;

use frontend::jvm::Image;

/// The classes of the installed JDK, if there is one that can be read.
pub fn installed() -> Option<Image<File>> {
    let home = std::env::var_os("JAVA_HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
    let images = home.into_iter().chain(home_of_java()).map(|home| home.join("lib").join("modules"));
    images.filter_map(|path| File::open(path).ok()).find_map(Image::read)
}

/// The folder above the one in which `java` lies, where links lead to.
fn home_of_java() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let name = format!("java{}", std::env::consts::EXE_SUFFIX);
    let java = std::env::split_paths(&path).map(|folder| folder.join(&name)).find(|file| file.is_file())?;
    let java = std::fs::canonicalize(java).ok()?;
    Some(java.parent()?.parent()?.to_path_buf())
}

#[cfg(test)]
mod tests {
    use frontend::jvm::ClassSource;

    /// Where there is a JDK its classes are found, and others are not.
    #[test]
    fn classes_are_found_by_name() {
        let Some(jdk) = super::installed() else { return };
        let object = jdk.find("java/lang/Object").unwrap_or_default();
        assert_eq!(object.get(..4), Some(&[0xca, 0xfe, 0xba, 0xbe][..]));
        assert_eq!(jdk.find("java/lang/NoSuchClass"), None);
    }
}
