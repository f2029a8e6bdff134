//! A session with rust-analyzer: JSON-RPC over its standard input and output.

use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Everything that the crate needs is compiled first.
const PATIENCE: Duration = Duration::from_secs(600);

pub struct Session {
    server: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    requests: u64,
    /// By file: the messages of the latest report.
    pub diagnostics: HashMap<String, Vec<String>>,
    /// It has nothing left to do.
    idle: bool,
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

impl Session {
    /// Waits until everything has been read and compiled.
    pub fn start(analyzer: &str, root: &Path, target: &Path) -> Session {
        let mut server = Command::new(analyzer)
            .current_dir(root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("rust-analyzer starts");
        let input = server.stdin.take().expect("its input");
        let output = server.stdout.take().expect("its output");
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        let diagnostics = HashMap::new();
        let mut session = Session { server, input, messages, requests: 0, diagnostics, idle: false };
        let capabilities = json!({
            "experimental": { "serverStatusNotification": true },
            "textDocument": { "hover": { "contentFormat": ["markdown"] } },
        });
        session.request(
            "initialize",
            json!({
                "processId": std::process::id(),
                "rootUri": uri(root),
                "capabilities": capabilities,
                "initializationOptions": settings(target),
            }),
        );
        session.notify("initialized", json!({}));
        session.wait();
        session
    }

    /// Opens a file with this text, and waits for what is said about it.
    pub fn open(&mut self, file: &Path, text: &str) {
        let document = json!({ "uri": uri(file), "languageId": "rust", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
        // Reports come when it likes; a request in the file is answered after it was read.
        let until = Instant::now() + PATIENCE;
        while !self.diagnostics.contains_key(&uri(file)) {
            self.receive(until);
        }
        self.wait();
    }

    /// What is shown where the pointer rests.
    pub fn hover(&mut self, file: &Path, place: (usize, usize)) -> String {
        let answer = self.at("textDocument/hover", file, place);
        answer["contents"]["value"].as_str().unwrap_or_default().to_string()
    }

    /// Files and lines where the name is defined.
    pub fn definitions(&mut self, file: &Path, place: (usize, usize)) -> Vec<(String, usize)> {
        let answer = self.at("textDocument/definition", file, place);
        let found = answer.as_array().map(Vec::as_slice).unwrap_or_default().iter();
        found.map(|l| (text(&l["uri"]), number(&l["range"]["start"]["line"]))).collect()
    }

    /// What is offered.
    pub fn completions(&mut self, file: &Path, place: (usize, usize)) -> Vec<String> {
        let answer = self.at("textDocument/completion", file, place);
        let items = answer["items"].as_array().map(Vec::as_slice).unwrap_or_default().iter();
        items.map(|item| text(&item["label"])).collect()
    }

    fn at(&mut self, method: &str, file: &Path, (line, character): (usize, usize)) -> Value {
        let position = json!({ "line": line, "character": character });
        self.request(method, json!({ "textDocument": { "uri": uri(file) }, "position": position }))
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        let until = Instant::now() + PATIENCE;
        loop {
            let message = self.receive(until);
            if message["id"] == id && message.get("method").is_none() {
                assert!(message.get("error").is_none(), "{method}: {message}");
                return message["result"].clone();
            }
        }
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn wait(&mut self) {
        let until = Instant::now() + PATIENCE;
        while !self.idle {
            self.receive(until);
        }
    }

    /// The next message, which is answered and noted where need be.
    fn receive(&mut self, until: Instant) -> Value {
        let patience = until.saturating_duration_since(Instant::now());
        let message = self.messages.recv_timeout(patience).expect("rust-analyzer answers");
        let (method, params) = (message["method"].as_str(), &message["params"]);
        match method {
            Some("experimental/serverStatus") => self.idle = params["quiescent"] == true,
            Some("textDocument/publishDiagnostics") => {
                let all = params["diagnostics"].as_array().map(Vec::as_slice).unwrap_or_default();
                self.diagnostics
                    .insert(text(&params["uri"]), all.iter().map(|d| text(&d["message"])).collect());
            }
            // Requests of its own: there is nothing to tell.
            Some(_) if message.get("id").is_some() => {
                self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": null }));
            }
            _ => {}
        }
        message
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).expect("rust-analyzer listens");
        self.input.flush().expect("rust-analyzer listens");
    }
}

/// Nothing but what the macro needs.
fn settings(target: &Path) -> Value {
    json!({
        "cargo": { "targetDir": target, "buildScripts": { "enable": true } },
        "procMacro": { "enable": true },
        "checkOnSave": false,
        "cachePriming": { "enable": false },
    })
}

pub fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut header = String::new();
        output.read_line(&mut header).ok().filter(|read| *read > 0)?;
        match header.trim().split_once(": ") {
            Some(("Content-Length", bytes)) => length = bytes.parse().ok()?,
            Some(_) => {}
            None => break,
        }
    }
    let mut bytes = vec![0; length];
    output.read_exact(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}

fn number(value: &Value) -> usize {
    value.as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or_default()
}
