use std::io::Write;

use log::{Level, LevelFilter, Log, Metadata, Record};
use whatsapp_rust::serde_json::{Map, Value, json};

/// Prints an event as one line of JSON.
pub fn show(event: &str, fields: Value) {
    let mut line = Map::new();
    line.insert("event".to_owned(), event.into());
    match fields {
        Value::Object(fields) => line.extend(fields.into_iter().map(|(name, field)| (name, plain(field)))),
        Value::Null => {}
        other => {
            line.insert("value".to_owned(), other);
        }
    }
    let mut output = std::io::stdout().lock();
    // the test may have closed the pipe
    let _ = writeln!(output, "{}", Value::Object(line));
}

/// Leaves out what is not set, and writes addresses as text.
fn plain(value: Value) -> Value {
    match value {
        Value::Object(fields) => match jid_in(&fields) {
            Some(jid) => jid.into(),
            None => fields
                .into_iter()
                .filter(|(_, field)| !field.is_null())
                .map(|(name, field)| (name, plain(field)))
                .collect(),
        },
        Value::Array(items) => items.into_iter().map(plain).collect(),
        other => other,
    }
}

fn jid_in(fields: &Map<String, Value>) -> Option<String> {
    let (user, server) = (fields.get("user")?.as_str()?, fields.get("server")?.as_str()?);
    Some(match fields.get("device")?.as_u64()? {
        0 => format!("{user}@{server}"),
        device => format!("{user}:{device}@{server}"),
    })
}

/// Prints warnings and errors as events, and the rest to standard error if WITNESS_LOG is set.
pub fn log_as_events() {
    let level =
        if std::env::var_os("WITNESS_LOG").is_some() { LevelFilter::Debug } else { LevelFilter::Warn };
    if log::set_logger(&EventLogger).is_ok() {
        log::set_max_level(level);
    }
}

struct EventLogger;

impl Log for EventLogger {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        let level = match record.level() {
            Level::Error => "error",
            Level::Warn => "warn",
            _ => {
                eprintln!("{}: {}", record.target(), record.args());
                return;
            }
        };
        show("log", json!({"level": level, "module": record.target(), "text": record.args().to_string()}));
    }

    fn flush(&self) {}
}
