//! Handlers in Rust with every type of argument, against belfry.h alone. Each says what it got.

use std::ffi::CStr;
use std::os::raw::{c_char, c_void};
use std::ptr::null;

// The structs of the contract that are needed here, as C lays them out.

#[repr(C)]
#[derive(Clone, Copy)]
struct Text {
    bytes: *const u8,
    length: u64,
}

const ABSENT: Text = Text { bytes: null(), length: 0 };

const fn text(text: &'static str) -> Text {
    Text { bytes: text.as_ptr(), length: text.len() as u64 }
}

#[repr(C)]
struct Value {
    kind: u32,
    reserved: u32,
    integer: i64,
    number: f64,
    text: Text,
    key: Text,
    items: *const Value,
    count: u64,
}

const KIND_TEXT: u32 = 4;

#[repr(C)]
struct ActionResult {
    owner: *mut c_void,
    set: extern "C" fn(*mut c_void, *const Value),
    fail: extern "C" fn(*mut c_void, *const u8, u64),
}

#[repr(C)]
struct Action {
    kind: Text,
    summary: Text,
    signature: Text,
    function: *const c_void,
}

#[repr(C)]
struct Actions {
    items: *const *const Action,
    count: u64,
}

#[repr(C)]
struct Plugin {
    magic: u64,
    abi_major: u32,
    abi_minor: u32,
    size: u32,
    flags: u32,
    id: Text,
    version: Text,
    built_with: Text,
    init: *const c_void,
    deinit: *const c_void,
    get_extension: extern "C" fn(*const c_char) -> *const c_void,
    reserved: [u64; 4],
}

// MARK: Handlers

fn say(result: &ActionResult, said: String) -> i32 {
    let value = Value {
        kind: KIND_TEXT,
        reserved: 0,
        integer: 0,
        number: 0.0,
        text: Text { bytes: said.as_ptr(), length: said.len() as u64 },
        key: ABSENT,
        items: null(),
        count: 0,
    };
    (result.set)(result.owner, &value);
    0
}

extern "C" fn tell_all(
    flag: u32,
    count: i64,
    price: f64,
    name: *const c_char,
    blob: *const u8,
    length: u64,
    at: i64,
    result: *const ActionResult,
) -> i32 {
    let name = unsafe { CStr::from_ptr(name) }.to_str().unwrap_or("no UTF-8");
    let bytes = unsafe { std::slice::from_raw_parts(blob, length as usize) };
    let hex: String = bytes.iter().map(|byte| format!("{:02x}", byte)).collect();
    say(
        unsafe { &*result },
        format!("flag {}, count {}, price {:.2}, name '{}', blob {}, at {}", flag, count, price, name, hex, at),
    )
}

fn length_of(map: &Value, key: &str) -> i64 {
    let items = unsafe { std::slice::from_raw_parts(map.items, map.count as usize) };
    let name = |item: &Value| unsafe { std::slice::from_raw_parts(item.key.bytes, item.key.length as usize) };
    items.iter().find(|item| name(item) == key.as_bytes()).map_or(-1, |item| item.text.length as i64)
}

extern "C" fn tell_action(action: *const Value, result: *const ActionResult) -> i32 {
    let (action, result) = unsafe { (&*action, &*result) };
    say(result, format!("type of {} bytes, {} fields", length_of(action, "type"), action.count))
}

extern "C" fn tell_both(action: *const Value, payload: *const Value, result: *const ActionResult) -> i32 {
    let (action, payload, result) = unsafe { (&*action, &*payload, &*result) };
    say(result, format!("{} fields, message of {} bytes", action.count, length_of(payload, "message")))
}

extern "C" fn refuse(why: *const c_char, result: *const ActionResult) -> i32 {
    let (why, result) = unsafe { (CStr::from_ptr(why).to_bytes(), &*result) };
    (result.fail)(result.owner, why.as_ptr(), why.len() as u64);
    1
}

// MARK: The plugin

/// Constant, so that any thread may read it.
#[repr(transparent)]
struct Constant<T>(T);
unsafe impl<T> Sync for Constant<T> {}

const fn action(
    kind: &'static str,
    summary: &'static str,
    signature: &'static str,
    function: *const c_void,
) -> Constant<Action> {
    Constant(Action { kind: text(kind), summary: text(summary), signature: text(signature), function })
}

static ALL: Constant<Action> = action(
    "rust-all",
    "Tells every argument.",
    r#"rust-all(flag: bool = true, count: int = -7, price: double = 2.5, name: string = "Zoë", blob: bytes = "AAH/", at: instant = "2026-03-02T09:00:00Z")"#,
    tell_all as *const c_void,
);
static WHOLE: Constant<Action> = action("rust-action", "Tells the action.", "(action)", tell_action as *const c_void);
static BOTH: Constant<Action> =
    action("rust-both", "Tells action and notification.", "rust-both(action, payload)", tell_both as *const c_void);
static REFUSE: Constant<Action> = action("rust-refuse", "Fails.", "(why: string)", refuse as *const c_void);

static LIST: Constant<[&Action; 4]> = Constant([&ALL.0, &WHOLE.0, &BOTH.0, &REFUSE.0]);
static ACTIONS: Constant<Actions> = Constant(Actions { items: LIST.0.as_ptr() as *const *const Action, count: 4 });

extern "C" fn get_extension(id: *const c_char) -> *const c_void {
    if unsafe { CStr::from_ptr(id) }.to_bytes() == b"belfry.actions/1" {
        &ACTIONS as *const _ as *const c_void
    } else {
        null()
    }
}

static PLUGIN: Constant<Plugin> = Constant(Plugin {
    magic: 0x42454c4652593031,
    abi_major: 1,
    abi_minor: 0,
    size: std::mem::size_of::<Plugin>() as u32,
    flags: 0,
    id: text("test.handlers-rust"),
    version: text("1.0.0"),
    built_with: text("Rust"),
    init: null(),
    deinit: null(),
    get_extension,
    reserved: [0; 4],
});

#[no_mangle]
pub extern "C" fn belfry_plugin_entry_v1(_hello: *const c_void) -> *const c_void {
    &PLUGIN as *const _ as *const c_void
}
