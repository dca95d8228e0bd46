//! A browser without a screen, driven by the protocol of its developer tools: Debian's Chromium, where it is installed.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The programs that will do.
const PROGRAMS: [&str; 3] = ["chromium", "chromium-headless-shell", "chromium-browser"];

/// A browser; it ends with its owner.
pub struct Browser {
    child: Child,
    stream: TcpStream,
    number: u64,
    session: Option<String>,
    /// What went wrong in the page: errors of scripts, failed requests, words of the console.
    pub troubles: Vec<String>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts a browser; `None` if there is none.
    pub fn start() -> Option<Browser> {
        let program = PROGRAMS.iter().find(|program| Command::new(program).arg("--version").output().is_ok())?;
        let profile = tempfile::tempdir().expect("a folder");
        let mut child = Command::new(program)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"])
            .args([
                "--disable-component-update",
                "--disable-sync",
                "--disable-dev-shm-usage",
                "--remote-debugging-port=0",
            ])
            .args(["--hide-scrollbars", "--force-color-profile=srgb"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut lines = BufReader::new(child.stderr.take().expect("it is piped")).lines().map_while(Result::ok);
        let address = lines.find_map(|line| line.strip_prefix("DevTools listening on ws://").map(str::to_string));
        let address = address.expect("the browser tells where it listens");
        // Whatever else it says is not for us; but somebody has to take it.
        std::thread::spawn(move || lines.for_each(drop));
        let (host, path) = address.split_once('/').expect("an address with a path");
        let mut stream = TcpStream::connect(host).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time");
        let hello = format!(
            "GET /{path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        );
        stream.write_all(hello.as_bytes()).expect("it can be sent");
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            stream.read_exact(&mut byte).expect("an answer");
            head.push(byte[0]);
        }
        assert!(head.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&head));
        let mut browser = Browser { child, stream, number: 0, session: None, troubles: Vec::new(), _profile: profile };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attached = browser.call("Target.attachToTarget", json!({"targetId": target["targetId"], "flatten": true}));
        browser.session = attached["sessionId"].as_str().map(str::to_string);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    fn send(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut frame = vec![0x81];
        match bytes.len() {
            length @ 0..=125 => frame.push(0x80 | length as u8),
            length @ 126..=0xffff => {
                frame.push(0x80 | 126);
                frame.extend((length as u16).to_be_bytes());
            }
            length => {
                frame.push(0x80 | 127);
                frame.extend((length as u64).to_be_bytes());
            }
        }
        // A mask of nothing is a mask.
        frame.extend([0; 4]);
        frame.extend(bytes);
        self.stream.write_all(&frame).expect("it can be sent");
    }

    fn receive(&mut self) -> Value {
        let mut text = Vec::new();
        loop {
            let mut head = [0; 2];
            self.stream.read_exact(&mut head).expect("the browser answers");
            let length = match head[1] & 0x7f {
                126 => {
                    let mut size = [0; 2];
                    self.stream.read_exact(&mut size).expect("a size");
                    u64::from(u16::from_be_bytes(size))
                }
                127 => {
                    let mut size = [0; 8];
                    self.stream.read_exact(&mut size).expect("a size");
                    u64::from_be_bytes(size)
                }
                short => u64::from(short),
            };
            let mut part = vec![0; length as usize];
            self.stream.read_exact(&mut part).expect("a part");
            if head[0] & 0x0f < 3 {
                text.extend(part);
                if head[0] & 0x80 != 0 {
                    return serde_json::from_slice(&text).expect("JSON");
                }
            }
        }
    }

    /// Calls a method and waits for its result; what happens meanwhile is looked at.
    pub fn call(&mut self, method: &str, params: Value) -> Value {
        self.number += 1;
        let mut message = json!({"id": self.number, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.send(&message.to_string());
        loop {
            let answer = self.receive();
            if answer["id"] == json!(self.number) {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.hear(&answer);
        }
    }

    fn hear(&mut self, event: &Value) {
        let params = &event["params"];
        match event["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => {
                self.troubles.push(format!("error of a script: {}", params["exceptionDetails"]))
            }
            "Log.entryAdded" if params["entry"]["level"] == "error" => {
                self.troubles.push(format!("log: {}", params["entry"]))
            }
            "Runtime.consoleAPICalled" if params["type"] == "error" => {
                self.troubles.push(format!("console: {}", params["args"]))
            }
            // A stream of events ends with its page.
            "Network.loadingFailed" if params["canceled"] != json!(true) && params["type"] != "EventSource" => {
                self.troubles.push(format!("request failed: {params}"));
            }
            "Network.responseReceived" if params["response"]["status"].as_u64() >= Some(400) => {
                self.troubles.push(format!("{} for {}", params["response"]["status"], params["response"]["url"]));
            }
            _ => {}
        }
    }

    /// The size of the window, and dark or light.
    pub fn resize(&mut self, width: u32, height: u32, dark: bool) {
        let mobile = width < 600;
        self.call(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile}),
        );
        let scheme = if dark { "dark" } else { "light" };
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}]);
        self.call("Emulation.setEmulatedMedia", json!({"features": features}));
    }

    /// A window in which a whole page fits, drawn small.
    pub fn whole(&mut self, width: u32, height: u32, scale: f64) {
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": scale, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", metrics);
    }

    /// Opens an address, and waits until the page shows this.
    pub fn open(&mut self, url: &str, selector: &str) {
        self.call("Page.navigate", json!({"url": url}));
        self.wait(&format!("location.href.startsWith({url:?}) && document.querySelector({selector:?}) !== null"));
    }

    /// The value of an expression.
    pub fn value(&mut self, expression: &str) -> Value {
        let params = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let result = self.call("Runtime.evaluate", params);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {}", result["exceptionDetails"]);
        result["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    pub fn wait(&mut self, expression: &str) {
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(40) {
            // While a page is loaded there is nobody to ask.
            let params = json!({"expression": expression, "returnByValue": true});
            if self.call("Runtime.evaluate", params)["result"]["value"] == json!(true) {
                return;
            }
            std::thread::sleep(Duration::from_millis(40));
        }
        let text = self.value("document.body.innerText.slice(0, 1500)");
        panic!("this does not come true: {expression}\n{}\n{:?}", text.as_str().unwrap_or_default(), self.troubles);
    }

    /// The middle of an element on the screen, once it stays there and nothing else lies over it: pages move while they are drawn.
    pub fn middle(&mut self, selector: &str) -> (f64, f64) {
        let look = format!(
            "(() => {{ const e = document.querySelector({selector:?}); if (!e) return null; e.scrollIntoView({{block: 'nearest'}}); \
             const b = e.getBoundingClientRect(); const x = b.x + b.width / 2, y = b.y + b.height / 2; \
             const top = document.elementFromPoint(x, y); return [x, y, top !== null && (e.contains(top) || top.contains(e))]; }})()"
        );
        let began = Instant::now();
        let mut last = Value::Null;
        loop {
            let found = self.value(&look);
            if found == last && found[2] == json!(true) || began.elapsed() > Duration::from_secs(10) {
                let at = |number: usize| {
                    found[number].as_f64().unwrap_or_else(|| panic!("there is no {selector} to click on"))
                };
                return (at(0), at(1));
            }
            last = found;
            std::thread::sleep(Duration::from_millis(40));
        }
    }

    fn mouse(&mut self, kind: &str, (x, y): (f64, f64)) {
        let buttons = u8::from(kind != "mouseReleased");
        self.call(
            "Input.dispatchMouseEvent",
            json!({"type": kind, "x": x, "y": y, "button": "left", "buttons": buttons, "clickCount": 1}),
        );
    }

    /// Clicks on an element.
    pub fn click(&mut self, selector: &str) {
        let at = self.middle(selector);
        self.mouse("mousePressed", at);
        self.mouse("mouseReleased", at);
    }

    /// Drags from one element to another.
    pub fn drag(&mut self, from: &str, to: &str) {
        let (a, b) = (self.middle(from), self.middle(to));
        self.mouse("mousePressed", a);
        for part in 1..=4 {
            let share = f64::from(part) / 4.0;
            self.mouse("mouseMoved", (a.0 + (b.0 - a.0) * share, a.1 + (b.1 - a.1) * share));
        }
        self.mouse("mouseReleased", b);
    }

    /// Presses a key.
    pub fn key(&mut self, key: &str) {
        let code = match key {
            "Enter" => 13,
            "ArrowLeft" => 37,
            "ArrowUp" => 38,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            "Tab" => 9,
            _ => 0,
        };
        let text = if key == "Enter" { json!("\r") } else { Value::Null };
        for kind in ["keyDown", "keyUp"] {
            let mut params = json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code});
            if kind == "keyDown" && !text.is_null() {
                params["text"] = text.clone();
            }
            self.call("Input.dispatchKeyEvent", params);
        }
    }

    /// Presses a key with others held: 2 is Control.
    pub fn key_with(&mut self, code: &str, modifiers: u8) {
        let key = if code == "Space" { " " } else { code };
        for kind in ["keyDown", "keyUp"] {
            self.call(
                "Input.dispatchKeyEvent",
                json!({"type": kind, "key": key, "code": code, "modifiers": modifiers, "windowsVirtualKeyCode": 32}),
            );
        }
    }

    /// Moves the mouse somewhere.
    pub fn point(&mut self, x: f64, y: f64) {
        self.call("Input.dispatchMouseEvent", json!({"type": "mouseMoved", "x": x, "y": y}));
    }

    /// Whether things are seen going where they go; so slowly that whoever looks now and then does not miss it.
    pub fn motion(&mut self, is: bool) {
        let value = if is { "no-preference" } else { "reduce" };
        let features = json!([{"name": "prefers-reduced-motion", "value": value}]);
        self.call("Emulation.setEmulatedMedia", json!({"features": features}));
        self.call("Animation.enable", json!({}));
        self.call("Animation.setPlaybackRate", json!({"playbackRate": if is { 0.02 } else { 1.0 }}));
    }

    /// What is downloaded is put into this folder.
    pub fn downloads(&mut self, folder: &Path) {
        self.call("Page.setDownloadBehavior", json!({"behavior": "allow", "downloadPath": folder}));
    }

    /// Chooses a file for an input, as somebody does in the window that the browser opens for it.
    pub fn choose_file(&mut self, selector: &str, file: &Path) {
        let expression = format!("document.querySelector({selector:?})");
        let found = self.call("Runtime.evaluate", json!({"expression": expression}));
        self.call("DOM.setFileInputFiles", json!({"files": [file], "objectId": found["result"]["objectId"]}));
    }

    /// Shows the page as it would be printed, or as it is.
    pub fn paper(&mut self, is: bool) {
        self.call("Emulation.setEmulatedMedia", json!({"media": if is { "print" } else { "" }}));
    }

    /// The page on paper.
    pub fn pdf(&mut self) -> Vec<u8> {
        let printed = self.call("Page.printToPDF", json!({"printBackground": true}));
        base64(printed["data"].as_str().expect("a document"))
    }

    /// Types a text where the cursor is.
    pub fn type_text(&mut self, text: &str) {
        self.call("Input.insertText", json!({"text": text}));
    }

    /// A picture of the window.
    pub fn picture(&mut self, path: &Path) {
        let shot = self.call("Page.captureScreenshot", json!({"format": "png"}));
        let bytes = base64(shot["data"].as_str().expect("a picture"));
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, bytes).expect("it can be written");
    }

    /// What is wrong with the page for those who use it without a mouse or without good eyes: controls without names, text that stands out too
    /// little, a page wider than its window, elements with the same name.
    pub fn faults(&mut self) -> Vec<String> {
        let found = self.value(FAULTS);
        found.as_array().into_iter().flatten().filter_map(|fault| fault.as_str().map(str::to_string)).collect()
    }
}

/// Where the test run puts axe-core, which checks pages for those who use them without a mouse or without good eyes. It is under another licence than
/// this project, so it is not part of it.
fn axe_path() -> PathBuf {
    let given = std::env::var_os("AXE_CORE").map(PathBuf::from);
    given.unwrap_or_else(|| Path::new(env!("CARGO_TARGET_TMPDIR")).join("../axe-core/node_modules/axe-core/axe.min.js"))
}

impl Browser {
    /// What axe-core finds that is serious or worse; `None` where it is not installed.
    pub fn axe(&mut self) -> Option<Vec<String>> {
        if self.value("typeof window.axe") != json!("object") {
            let script = std::fs::read_to_string(axe_path()).ok()?;
            self.value(&format!("{script}; 1"));
        }
        let found = self.value(
            "axe.run(document, {resultTypes: ['violations'], iframes: false}).then(({violations}) => violations.filter(({impact}) => impact === 'serious' || impact === 'critical') \
             .map(({id, help, nodes}) => `${id}: ${help}: ${nodes.slice(0, 3).map((node) => `${node.target.join(' ')} (${node.failureSummary?.split('\\n').slice(1, 3).join(' ').trim()})`).join('; ')}`))",
        );
        Some(found.as_array().into_iter().flatten().filter_map(|one| Some(one.as_str()?.to_string())).collect())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn base64(text: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => Some(c - b'A'),
        b'a'..=b'z' => Some(c - b'a' + 26),
        b'0'..=b'9' => Some(c - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0u32, 0);
    for part in text.bytes().filter_map(value) {
        bits = bits << 6 | u32::from(part);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

const FAULTS: &str = r#"(() => {
  const faults = [];
  const seen = (e) => e.checkVisibility?.() !== false && e.getClientRects().length > 0 && !e.closest('.unseen, [inert]');
  const name = (e) => (e.getAttribute('aria-label') ?? '') + (e.textContent ?? '').trim() + (e.title ?? '') + [...(e.labels ?? [])].map((l) => l.textContent).join('') + [...e.querySelectorAll('img[alt]')].map((i) => i.alt).join('');
  for (const e of document.querySelectorAll('a[href], button, input, select, textarea, [role=gridcell], summary')) {
    if (seen(e) && !name(e).trim()) faults.push('no name: ' + e.outerHTML.slice(0, 120));
  }
  for (const e of document.querySelectorAll('img:not([alt])')) faults.push('no alt: ' + e.outerHTML.slice(0, 100));
  const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
  ids.filter((id, at) => ids.indexOf(id) !== at).forEach((id) => faults.push('twice: #' + id));
  if (document.querySelectorAll('h1').length !== 1) faults.push('a page has one heading of the first level, not ' + document.querySelectorAll('h1').length);
  for (const grid of document.querySelectorAll('[role=grid]')) if ([...grid.children].some((c) => c.getAttribute('role') === 'gridcell')) faults.push('a cell outside of rows');
  if (document.documentElement.scrollWidth > window.innerWidth + 1) {
    const wide = [...document.querySelectorAll('main *')].filter((e) => e.getBoundingClientRect().right > window.innerWidth + 1).slice(0, 3).map((e) => e.tagName + '.' + e.className);
    faults.push('wider than the window: ' + document.documentElement.scrollWidth + ' ' + wide.join(' '));
  }
  const rgb = (c) => { const m = c.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0]; return m.length < 4 ? [...m.slice(0, 3), 1] : m; };
  const light = ([r, g, b]) => { const f = (v) => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; }; return .2126 * f(r) + .7152 * f(g) + .0722 * f(b); };
  const behind = (e) => { for (let at = e; at; at = at.parentElement) { const c = rgb(getComputedStyle(at).backgroundColor); if (c[3] > .9) return c; } return [255, 255, 255, 1]; };
  const done = new Set();
  for (const e of document.querySelectorAll('main *, header *')) {
    if (e.closest('svg, .editor-box') || !seen(e) || e.disabled || e.closest('button:disabled') || ![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())) continue;
    const style = getComputedStyle(e);
    const [a, b] = [light(rgb(style.color)), light(behind(e))];
    const contrast = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    const size = parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.6 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    const key = e.tagName + '.' + e.className;
    if (contrast < least && !done.has(key)) { done.add(key); faults.push('contrast ' + contrast.toFixed(2) + ': ' + key + ' ' + e.textContent.trim().slice(0, 30)); }
  }
  return faults;
})()"#;
