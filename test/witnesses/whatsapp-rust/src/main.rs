//! Drives whatsapp-rust, as it is published, on a sandbox network.
//!
//! The program reads one step a line from standard input, as JSON (`{"step": "text", "to": "…"}`), and prints one JSON object a
//! line: what the library reports, its warnings and errors, and the end of each step.

mod events;
mod groups;
mod memory;
mod network;
mod output;
mod steps;

use std::io::{self, BufRead};
use std::process::ExitCode;

use whatsapp_rust::anyhow::{Context, Result};
use whatsapp_rust::serde_json::{from_str, json};

use output::show;
use steps::{Step, Witness};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, ..] = &arguments[..] else {
        eprintln!("usage: witness <address of the sandbox, http://host:port>");
        return ExitCode::from(2);
    };
    output::log_as_events();
    match run(address) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(address: &str) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut witness = Witness::new(address);
    for line in io::stdin().lock().lines() {
        let step: Step = from_str(&line?).context("not a step")?;
        let name = step.step.clone();
        match runtime.block_on(witness.take(step)) {
            Ok(result) => show("done", json!({"step": name, "result": result})),
            Err(error) => show("failed", json!({"step": name, "error": format!("{error:#}")})),
        }
    }
    runtime.block_on(witness.disconnect());
    Ok(())
}
