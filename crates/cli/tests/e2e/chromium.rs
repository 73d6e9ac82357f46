//! A browser without a window, spoken to through a pair of pipes in its own language: no driver in between, no port.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const FLAGS: [&str; 11] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
];
/// It listens on descriptor 3 and answers on 4.
const PLUMBING: &str = r#"exec "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1"#;
const PATIENCE: Duration = Duration::from_secs(30);

/// A browser with one page.
pub struct Chromium {
    process: Child,
    commands: ChildStdin,
    answers: BufReader<ChildStdout>,
    session: Option<String>,
    number: u64,
    /// Errors that the page logged.
    pub complaints: Vec<String>,
    _profile: TempDir,
}

impl Chromium {
    pub fn start() -> Chromium {
        let profile = tempfile::tempdir().unwrap();
        let mut shell = Command::new("sh");
        shell.args(["-c", PLUMBING, "sh", "chromium"]).args(FLAGS);
        shell.arg(format!("--user-data-dir={}", profile.path().display()));
        let mut process = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (commands, answers) =
            (process.stdin.take().unwrap(), BufReader::new(process.stdout.take().unwrap()));
        let (session, number, complaints) = Default::default();
        let mut chromium =
            Chromium { process, commands, answers, session, number, complaints, _profile: profile };
        let target =
            chromium.call("Target.createTarget", json!({ "url": "about:blank" }))["targetId"].clone();
        let attached = chromium.call("Target.attachToTarget", json!({ "targetId": target, "flatten": true }));
        chromium.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log"] {
            chromium.call(&format!("{domain}.enable"), json!({}));
        }
        chromium.set_width(1280);
        chromium
    }

    /// Sends a command and waits for its answer.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.number += 1;
        let mut command = json!({ "id": self.number, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            command["sessionId"] = json!(session);
        }
        self.commands.write_all(format!("{command}\0").as_bytes()).unwrap();
        loop {
            let message = self.read();
            if message["id"] == json!(self.number) {
                assert_eq!(message["error"], Value::Null, "{method}");
                return message["result"].clone();
            }
            self.record_event(&message);
        }
    }

    fn read(&mut self) -> Value {
        let mut bytes = Vec::new();
        let length = self.answers.read_until(0, &mut bytes).unwrap();
        assert!(length > 1, "chromium is gone: is it installed? (scripts/setup.sh --tests)");
        serde_json::from_slice(&bytes[..length - 1]).unwrap()
    }

    fn record_event(&mut self, message: &Value) {
        let told = &message["params"];
        match message["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" | "Log.entryAdded" => self.complaints.push(told.to_string()),
            "Runtime.consoleAPICalled" if told["type"] != "log" => self.complaints.push(told.to_string()),
            _ => {}
        }
    }

    /// The value of an expression on the page.
    pub fn value(&mut self, expression: &str) -> Value {
        let wanted = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let answer = self.call("Runtime.evaluate", wanted);
        assert_eq!(answer["exceptionDetails"], Value::Null, "{expression}");
        answer["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    pub fn wait_for(&mut self, expression: &str) {
        let until = Instant::now() + PATIENCE;
        while self.value(&format!("Boolean({expression})")) != json!(true) {
            assert!(Instant::now() < until, "{expression} is never true");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Opens a file, as if nothing had been open before.
    pub fn open(&mut self, file: &Path, section: &str) {
        self.call("Page.navigate", json!({ "url": "about:blank" }));
        self.wait_for("location.href === 'about:blank' && document.readyState === 'complete'");
        self.call("Page.navigate", json!({ "url": format!("file://{}#{section}", file.display()) }));
        self.wait_for("location.href !== 'about:blank' && document.readyState === 'complete'");
    }

    pub fn press(&mut self, key: &str) {
        let text = if key.len() == 1 { key } else { "" };
        self.call("Input.dispatchKeyEvent", json!({ "type": "keyDown", "key": key, "text": text }));
        self.call("Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": key }));
    }

    /// Moves the mouse over the middle of an element.
    pub fn hover(&mut self, selector: &str) {
        let place = format!(
            "(() => {{ const box = document.querySelector({selector:?}).getBoundingClientRect(); \
             return [box.left + box.width / 2, box.top + box.height / 2]; }})()"
        );
        let place = self.value(&place);
        self.call("Input.dispatchMouseEvent", json!({ "type": "mouseMoved", "x": place[0], "y": place[1] }));
    }

    pub fn click(&mut self, selector: &str) {
        self.value(&format!("document.querySelector({selector:?}).click()"));
    }

    /// The text of an element; nothing if there is none.
    pub fn text(&mut self, selector: &str) -> String {
        let text = self.value(&format!("document.querySelector({selector:?})?.textContent ?? ''"));
        text.as_str().unwrap().to_owned()
    }

    /// Counts the elements of a selector.
    pub fn count(&mut self, selector: &str) -> u64 {
        self.value(&format!("document.querySelectorAll({selector:?}).length")).as_u64().unwrap()
    }

    pub fn set_width(&mut self, width: u32) {
        let size = json!({ "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Sets the preferred colour scheme: `light` or `dark`.
    pub fn set_scheme(&mut self, scheme: &str) {
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.call("Emulation.setEmulatedMedia", features);
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // Politely first: it has children of its own.
        let goodbye = json!({ "id": 0, "method": "Browser.close" });
        let _ = self.commands.write_all(format!("{goodbye}\0").as_bytes());
        let until = Instant::now() + Duration::from_secs(5);
        while Instant::now() < until && !matches!(self.process.try_wait(), Ok(Some(_))) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
