//! The words of an expectation: `[MODEL[,MODEL...]] ANSWER [OPTION...]`, or `error TEXT` for a program that must be rejected
//! with a message that contains the text.
//!
//! Options are `engine=`, `model=`, `question=`, `test=`, `reference=`, `unroll=`, `memory-orders=`, `timeout=`, `-D NAME[=VALUE]` and
//! `--tearing`. `model=` and `engine=` take lists with commas: each member is a row of its own. A value with blanks stands in
//! quotes: `test='(al rr|ar rl)'`.

use std::ops::Range;
use std::time::Duration;

use program::Property;

use super::{Expected, How, Stated};
use crate::engine::Engine;
use crate::orders::MemoryOrders;

/// What is wrong with an expectation, and which bytes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// In one sentence.
    pub message: String,
    /// Where.
    pub at: Range<usize>,
}

/// A word without its quotes, and where it stands.
struct Word {
    text: String,
    at: Range<usize>,
}

impl Word {
    fn wrong(&self, message: String) -> Wrong {
        Wrong { message, at: self.at.clone() }
    }
}

const OPTIONS: &str =
    "options are engine=, model=, question=, test=, reference=, unroll=, memory-orders=, timeout=, -D and --tearing";

/// Reads what follows the word `expect`: one row, or several where lists are given.
pub fn parse(line: &str) -> Result<Vec<Stated>, Wrong> {
    let words = split(line)?;
    if let Some((first, rest)) = words.split_first().filter(|(first, _)| first.text == "error") {
        let part = rest.first().map_or("", |next| line[next.at.start..].trim_end());
        let row = Stated { model: None, answer: Some(Expected::Error(part.into())), how: How::default() };
        let missing = || first.wrong("`expect error` needs a part of the message".into());
        return if part.is_empty() { Err(missing()) } else { Ok(vec![row]) };
    }
    let whole = || Wrong { message: "`expect` needs a model and an answer".into(), at: 0..line.len() };
    let (model, answer, options) = match &words[..] {
        [model, answer, options @ ..] if Expected::parse(&answer.text).is_some() => (Some(model), answer, options),
        [answer, options @ ..] if Expected::parse(&answer.text).is_some() => (None, answer, options),
        [_, answer, ..] => return Err(answer.wrong(format!("`{}` is not an answer", answer.text))),
        _ => return Err(whole()),
    };
    let mut read = Options::default();
    if let Some(model) = model {
        read.models = list(model, &model.text)?;
    }
    read.all(options)?;
    Ok(read.rows(Expected::parse(&answer.text)))
}

/// What options say.
#[derive(Default)]
struct Options {
    models: Vec<String>,
    engines: Vec<Engine>,
    how: How,
}

impl Options {
    fn all(&mut self, words: &[Word]) -> Result<(), Wrong> {
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match (word.text.as_str(), word.text.split_once('=')) {
                ("--tearing", _) => self.how.tearing = true,
                ("-D", _) => {
                    let next = words.next().ok_or_else(|| word.wrong("-D needs the name of a macro".into()))?;
                    self.how.defines.push(next.text.clone());
                }
                (text, _) if text.starts_with("-D") => self.how.defines.push(text[2..].into()),
                (_, Some((key, value))) => self.option(word, key, value)?,
                _ => return Err(unknown(word)),
            }
        }
        Ok(())
    }

    fn option(&mut self, word: &Word, key: &str, value: &str) -> Result<(), Wrong> {
        if value.is_empty() {
            return Err(word.wrong(format!("{key}= needs a value")));
        }
        match key {
            "model" if self.models.is_empty() => self.models = list(word, value)?,
            "model" => return Err(word.wrong("the model is given twice".into())),
            "engine" => {
                let names = list(word, value)?;
                self.engines =
                    names.iter().map(|name| engine(name).map_err(|what| word.wrong(what))).collect::<Result<_, _>>()?;
            }
            "question" => {
                let question =
                    [Property::Always, Property::Possible].into_iter().find(|own| question_word(*own) == value);
                let wrong = || word.wrong(format!("question= is always or possible, not `{value}`"));
                self.how.question = Some(question.ok_or_else(wrong)?);
            }
            "test" => self.how.test = Some(value.into()),
            "reference" => self.how.reference = Some(value.into()),
            "unroll" => {
                let bound =
                    value.parse().map_err(|_| word.wrong(format!("`{value}` is not a number of unrollings")))?;
                self.how.unroll = Some(bound);
            }
            "memory-orders" => {
                let orders = MemoryOrders::named(value);
                let wrong = || word.wrong(format!("memory-orders= is compiled or ignored, not `{value}`"));
                self.how.memory_orders = Some(orders.ok_or_else(wrong)?);
            }
            "timeout" => self.how.timeout = Some(seconds(value).map_err(|what| word.wrong(what))?),
            _ => return Err(unknown(word)),
        }
        Ok(())
    }

    /// A row for each model and engine.
    fn rows(self, answer: Option<Expected>) -> Vec<Stated> {
        let models: Vec<Option<String>> = or_none(self.models);
        let engines: Vec<Option<Engine>> = or_none(self.engines);
        let row = |model: &Option<String>, engine: Option<Engine>| Stated {
            model: model.clone(),
            answer: answer.clone(),
            how: How { engine, ..self.how.clone() },
        };
        models.iter().flat_map(|model| engines.iter().map(move |engine| row(model, *engine))).collect()
    }
}

fn or_none<T>(given: Vec<T>) -> Vec<Option<T>> {
    if given.is_empty() { vec![None] } else { given.into_iter().map(Some).collect() }
}

fn unknown(word: &Word) -> Wrong {
    word.wrong(format!("`{}` is not known here: {OPTIONS}", word.text))
}

/// The members of a list with commas.
fn list(word: &Word, value: &str) -> Result<Vec<String>, Wrong> {
    let members: Vec<String> = value.split(',').map(str::to_string).collect();
    let has_gap = members.iter().any(String::is_empty);
    if has_gap { Err(word.wrong(format!("`{value}` lacks a name"))) } else { Ok(members) }
}

/// The word for what is asked of assertions.
pub fn question_word(question: Property) -> &'static str {
    match question {
        Property::Always => "always",
        Property::Possible => "possible",
    }
}

/// The engine of a name.
pub fn engine(name: &str) -> Result<Engine, String> {
    let all = [Engine::Auto].into_iter().chain(Engine::REAL);
    let found = all.clone().find(|engine| engine.name() == name);
    let names: Vec<&str> = all.map(Engine::name).collect();
    found.ok_or_else(|| format!("there is no engine `{name}`: engines are {}", names.join(", ")))
}

/// A number of seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let number: Option<f64> = text.parse().ok();
    let time = number.and_then(|number| Duration::try_from_secs_f64(number).ok());
    time.ok_or_else(|| format!("`{text}` is not a number of seconds"))
}

/// The words of a line. A quote at the beginning of a word or of a value holds blanks together.
fn split(line: &str) -> Result<Vec<Word>, Wrong> {
    let mut words: Vec<Word> = Vec::new();
    let mut letters = line.char_indices().peekable();
    while let Some(&(start, letter)) = letters.peek() {
        if letter.is_whitespace() {
            letters.next();
            continue;
        }
        let (mut text, mut end) = (String::new(), start);
        while let Some((place, letter)) = letters.next_if(|(_, letter)| !letter.is_whitespace()) {
            end = place + letter.len_utf8();
            let opens = matches!(letter, '\'' | '"') && (text.is_empty() || text.ends_with('='));
            if !opens {
                text.push(letter);
                continue;
            }
            let mut closed = false;
            for (place, inner) in letters.by_ref() {
                end = place + inner.len_utf8();
                closed = inner == letter;
                if closed {
                    break;
                }
                text.push(inner);
            }
            if !closed {
                return Err(Wrong { message: format!("the quote {letter} is not closed"), at: place..end });
            }
        }
        words.push(Word { text, at: start..end });
    }
    Ok(words)
}

/// A value as [`parse`] reads it back.
pub fn quoted(value: &str) -> String {
    let is_plain = !value.is_empty() && !value.contains(char::is_whitespace) && !value.starts_with(['\'', '"']);
    match value.contains('\'') {
        _ if is_plain && !value.contains(['(', '|']) => value.into(),
        true => format!("\"{value}\""),
        false => format!("'{value}'"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(line: &str) -> Stated {
        let rows = parse(line).unwrap_or_else(|wrong| panic!("{line}: {wrong:?}"));
        assert_eq!(rows.len(), 1, "{line}");
        rows.into_iter().next().expect("a row")
    }

    #[test]
    fn the_old_grammar_stays() {
        let row = one("rc11 forbidden unroll=5 --tearing");
        assert_eq!((row.model.as_deref(), row.how.unroll, row.how.tearing), (Some("rc11"), Some(5), true));
        assert_eq!(row.property(), Property::Possible);
        assert_eq!(one("error no such thing ").answer, Some(Expected::Error("no such thing".into())));
        assert_eq!(one("tso Ok").answer, Some(Expected::Claim(true, "Ok".into())));
    }

    #[test]
    fn options_say_how_a_row_is_answered() {
        let row = one(
            "relaxed holds test='(al rr|ar rl)' -D A=1 -DB engine=mcr memory-orders=ignored timeout=2.5 reference=r.c",
        );
        assert_eq!(row.how.test.as_deref(), Some("(al rr|ar rl)"));
        assert_eq!(row.how.defines, ["A=1", "B"]);
        assert_eq!((row.how.engine, row.how.timeout), (Some(Engine::Mcr), Some(Duration::from_millis(2_500))));
        let text = format!("relaxed holds {} timeout=2.5", row.how.text());
        assert_eq!(one(&text), row, "{text}");
        assert_eq!(one("tso holds test=(al'|ar')").how.test.as_deref(), Some("(al'|ar')"));
        assert_eq!(one("tso holds test=\"(al'|ar')\""), one("tso holds test=(al'|ar')"));
    }

    #[test]
    fn a_list_is_as_many_rows() {
        let rows = parse("sc,tso holds engine=operational,mcr").expect("well-formed");
        let shown: Vec<_> = rows.iter().map(|row| (row.model.as_deref().unwrap_or("-"), row.how.text())).collect();
        let expected = [("sc", "operational"), ("sc", "mcr"), ("tso", "operational"), ("tso", "mcr")];
        assert_eq!(shown, expected.map(|(model, engine)| (model, format!("engine={engine}"))));
        assert_eq!(parse("holds model=sc,tso"), parse("sc,tso holds"));
        assert_eq!(one("holds").model, None);
        assert_eq!(one("sc unknown question=possible").property(), Property::Possible);
    }

    #[test]
    fn what_is_wrong_has_its_place() {
        for (line, place, part) in [
            ("tso maybe", "maybe", "is not an answer"),
            ("tso Ok depth=3", "depth=3", "is not known here"),
            ("tso Ok engine=mrc", "engine=mrc", "there is no engine `mrc`"),
            ("tso Ok unroll=x", "unroll=x", "not a number"),
            ("tso Ok timeout=-1", "timeout=-1", "not a number of seconds"),
            ("tso holds test='(e|d)", "'(e|d)", "not closed"),
            ("tso holds model=sc", "model=sc", "twice"),
            ("tso holds memory-orders=no", "memory-orders=no", "compiled or ignored"),
            ("sc,,tso holds", "sc,,tso", "lacks a name"),
            ("sc unknown question=when", "question=when", "always or possible"),
            ("tso holds -D", "-D", "name of a macro"),
            ("tso holds test=", "test=", "needs a value"),
            ("error ", "error", "a part of the message"),
            ("tso", "tso", "needs a model and an answer"),
        ] {
            let wrong = parse(line).expect_err(line);
            assert_eq!(&line[wrong.at.clone()], place, "{line}");
            assert!(wrong.message.contains(part), "{line}: {}", wrong.message);
        }
    }
}
