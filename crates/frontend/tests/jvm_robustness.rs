//! Whatever the bytes of a class file: an answer or messages, never a panic, and what is read keeps the law.

#[path = "support/java.rs"]
mod java;

use frontend::jvm::{ClassFile, Options, load};
use java::{classes, names, suite};

/// Every class file of this repository.
fn all() -> Vec<ClassFile> {
    let folders = [classes(), suite()];
    let files = folders.iter().flat_map(|folder| names(folder, "class").into_iter().map(|name| folder.join(name)));
    files.map(|path| ClassFile { bytes: std::fs::read(&path).unwrap(), ..ClassFile::default() }).collect()
}

fn read(files: &[ClassFile]) {
    if let Ok(parsed) = load(files, &Options::default()) {
        let name = parsed.program.name.clone();
        program::verify(parsed.program).unwrap_or_else(|breaches| panic!("{name}: {breaches:?}"));
    }
}

#[test]
fn class_files_that_end_anywhere_are_refused() {
    for file in all() {
        for end in 0..file.bytes.len() {
            let cut = ClassFile { bytes: file.bytes[..end].to_vec(), ..ClassFile::default() };
            assert!(load(&[cut], &Options::default()).is_err());
        }
    }
}

/// Marsaglia's xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// A quarter of the inputs of the long form, unless `EFFORT=full` asks for all.
fn inputs(number: usize) -> usize {
    let is_full = std::env::var_os("EFFORT").is_some_and(|effort| effort == "full");
    if is_full { number } else { number / 4 }
}

#[test]
fn changed_bytes_never_cause_a_panic() {
    let files = all();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for round in 0..inputs(40_000) {
        let mut file = files[round % files.len()].clone();
        for _ in 0..=random.below(3) {
            let at = random.below(file.bytes.len());
            file.bytes[at] = match random.below(3) {
                0 => random.below(256) as u8,
                1 => file.bytes[at] ^ (1 << random.below(8)),
                _ => file.bytes[random.below(file.bytes.len())],
            };
        }
        read(&[file]);
    }
}

#[test]
fn changed_classes_of_one_program_never_cause_a_panic() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let programs = ["Started", "Fields", "Refused", "Computed"].map(|class| java::files(&classes(), class));
    for round in 0..inputs(8_000) {
        let mut files = programs[round % programs.len()].clone();
        let which = random.below(files.len());
        let at = random.below(files[which].bytes.len());
        files[which].bytes[at] = random.below(256) as u8;
        read(&files);
    }
}

#[test]
fn changed_classes_of_whole_programs_never_cause_a_panic() {
    let mut random = Random(0x1234_5678_9abc_def1);
    let folder = classes().with_file_name("programs");
    let programs = ["Exceptions", "Objects", "Lambdas", "Modern", "Threads"];
    let programs = programs.map(|class| (class, java::files(&folder, class)));
    for round in 0..inputs(1_000) {
        let (class, mut files) = programs[round % programs.len()].clone();
        let which = random.below(files.len());
        for _ in 0..=random.below(2) {
            let at = random.below(files[which].bytes.len());
            files[which].bytes[at] = random.below(256) as u8;
        }
        if let Ok(lowered) = frontend::jvm::program(&files, class) {
            program::verify(lowered).unwrap_or_else(|breaches| panic!("{class} {round}: {breaches:?}"));
        }
    }
}

#[test]
fn annotations_may_not_nest_for_ever() {
    // A class file whose one attribute is an annotation with an array of arrays of arrays.
    let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52, 0, 7];
    for text in ["A", "java/lang/Object", "RuntimeInvisibleAnnotations", "LA;"] {
        bytes.extend([1, 0, text.len() as u8]);
        bytes.extend(text.bytes());
    }
    bytes.extend([7, 0, 1, 7, 0, 2]);
    bytes.extend([0, 0, 0, 5, 0, 6, 0, 0, 0, 0, 0, 0, 0, 1, 0, 3]);
    let mut annotation = vec![0, 1, 0, 4, 0, 1, 0, 1];
    for _ in 0..1_000_000 {
        annotation.extend([b'[', 0, 1]);
    }
    bytes.extend((annotation.len() as u32).to_be_bytes());
    bytes.extend(annotation);
    let file = ClassFile { name: "A.class".into(), bytes, source: None };
    let errors = load(&[file], &Options::default()).unwrap_err().to_string();
    let expected = "error: `A.class` is not a class file that can be read: annotations that are nested too deep";
    assert_eq!(errors, expected);
}
