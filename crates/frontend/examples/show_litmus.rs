//! Prints the program that a litmus test is lowered to: `cargo run -p palisade-frontend --example show_litmus -- FILE...`

fn main() {
    for path in std::env::args().skip(1) {
        let text = std::fs::read(&path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        match text.map(|text| frontend::litmus::parse(&path, &text)) {
            Err(error) => println!("{path}: {error}"),
            Ok(Err(errors)) => println!("{errors}"),
            Ok(Ok(parsed)) => {
                for warning in &parsed.warnings {
                    println!("; warning: {}", warning.message);
                }
                println!("{}", program::text::print(&parsed.program));
            }
        }
    }
}
