//! The host that the plugin sees, and what it lends to a call.

use super::{current, digest, zones};
use crate::belfry::{raw, Instant, OpenDigest, Value};
use std::cell::{Cell, RefCell};
use std::ffi::CStr;
use std::os::raw::{c_char, c_void};
use std::ptr::{null, null_mut};

/// Constant, so that any thread may read it.
struct Constant<T>(T);
unsafe impl<T> Sync for Constant<T> {}

static HOST: Constant<raw::Host> = Constant(raw::Host {
    abi_major: 1,
    abi_minor: 0,
    name: raw::Text::of("test"),
    version: raw::Text::of("1.0"),
    owner: null_mut(),
    get_extension,
});

pub(super) fn host() -> *const raw::Host {
    &HOST.0
}

extern "C" fn get_extension(_: *const raw::Host, id: *const c_char) -> *const c_void {
    static LOG: raw::Log = raw::Log { write };
    static ATTRIBUTES: raw::Attributes = raw::Attributes { value };
    static SCRATCH: raw::Scratch = raw::Scratch { allocate };
    match unsafe { CStr::from_ptr(id) }.to_bytes() {
        b"belfry.log/1" => &LOG as *const raw::Log as *const c_void,
        b"belfry.local-time/1" => &zones::LOCAL_TIME as *const raw::LocalTime as *const c_void,
        b"belfry.attributes/1" => &ATTRIBUTES as *const raw::Attributes as *const c_void,
        b"belfry.scratch/1" => &SCRATCH as *const raw::Scratch as *const c_void,
        b"belfry.current/1" => &current::CURRENT as *const raw::Current as *const c_void,
        b"belfry.digest/1" => &digest::DIGEST as *const raw::Digest as *const c_void,
        _ => null(),
    }
}

// MARK: belfry.log/1

thread_local! {
    static LINES: RefCell<Vec<String>> = RefCell::new(Vec::new());
}

/// What plugins wrote to the host's log in this test.
pub fn log() -> Vec<String> {
    LINES.with(|lines| lines.borrow().clone())
}

extern "C" fn write(_: *const raw::Host, level: u32, message: *const u8, length: u64) {
    let line = raw::Text { bytes: message, length }.str().unwrap_or("no UTF-8").to_string();
    println!("log, level {}: {}", level, line);
    LINES.with(|lines| lines.borrow_mut().push(line));
}

// MARK: Circumstances

/// What stands behind a context that is lent.
pub(super) struct Circumstances {
    pub now: Instant,
    pub zone: &'static str,
    pub user: Value,
    pub channel: Value,
    /// `BELFRY_APP_…`, and since when.
    pub app: (u32, Instant),
    /// What is current, the oldest first, and the candidate as if it were: what is known of each.
    pub current: Vec<Value>,
    pub candidate: Option<Value>,
    /// What is open while a question is answered, and how many items the candidate stands for at a close.
    pub digest: Option<OpenDigest>,
    pub closing: Option<u64>,
    /// What is said besides the verdict: so many items are kept, and when the digest closes that the candidate leads.
    pub keeps: Cell<Option<u64>>,
    pub leads: Cell<Option<Instant>>,
    lent: RefCell<Lent>,
}

/// What is lent until the call returns.
#[derive(Default)]
struct Lent {
    values: Vec<Box<raw::Value>>,
    items: Vec<Box<[raw::Value]>>,
    /// 16 bytes each, which is what memory of the host is aligned to.
    scratch: Vec<Box<[u128]>>,
}

impl Lent {
    /// - value: one of the circumstances, which stay.
    fn lend(&mut self, value: &Value) -> *const raw::Value {
        let value = Box::new(value.raw(None, &mut self.items));
        let address: *const raw::Value = &*value;
        self.values.push(value);
        address
    }
}

impl Circumstances {
    pub(super) fn new(now: Instant, zone: &'static str, user: &Value, channel: &Value, app: (u32, Instant)) -> Self {
        Circumstances {
            now,
            zone,
            user: user.clone(),
            channel: channel.clone(),
            app,
            current: Vec::new(),
            candidate: None,
            digest: None,
            closing: None,
            keeps: Cell::new(None),
            leads: Cell::new(None),
            lent: Default::default(),
        }
    }

    /// Good as long as these are.
    pub(super) fn context(&self) -> raw::Context {
        raw::Context {
            now: self.now.0,
            subject: raw::Text::of("ana"),
            channel: raw::Text::of("phone"),
            app: self.app.0,
            reserved: 0,
            app_since: if self.app.0 == 0 { 0 } else { self.app.1 .0 },
            owner: self as *const Circumstances as *mut c_void,
        }
    }

    /// # Safety
    /// It is a context of this host.
    pub(super) unsafe fn of<'a>(context: *const raw::Context) -> &'a Circumstances {
        &*((*context).owner as *const Circumstances)
    }

    /// - value: one of these, which stay as long as what is lent.
    pub(super) fn lend(&self, value: &Value) -> *const raw::Value {
        self.lent.borrow_mut().lend(value)
    }

    /// What has no root is looked for in the channel first, and in the user then.
    fn attribute(&self, path: &str) -> Option<&Value> {
        if let Some(path) = path.strip_prefix("user.") {
            return at(&self.user, path);
        }
        if let Some(path) = path.strip_prefix("channel.") {
            return at(&self.channel, path);
        }
        at(&self.channel, path).or_else(|| at(&self.user, path))
    }
}

/// The value at a dotted path inside a mapping.
pub(super) fn at<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(value, |value, key| value.get(key))
}

// MARK: belfry.attributes/1

extern "C" fn value(context: *const raw::Context, path: *const u8, length: u64) -> *const raw::Value {
    let circumstances = unsafe { Circumstances::of(context) };
    let path = raw::Text { bytes: path, length }.str().unwrap_or("");
    circumstances.attribute(path).map_or(null(), |value| circumstances.lend(value))
}

// MARK: belfry.scratch/1

extern "C" fn allocate(context: *const raw::Context, size: u64) -> *mut c_void {
    if size > 16 << 20 {
        return null_mut();
    }
    let scratch = &mut unsafe { Circumstances::of(context) }.lent.borrow_mut().scratch;
    scratch.push(vec![0; size as usize / 16 + 1].into_boxed_slice());
    scratch.last_mut().map_or(null_mut(), |memory| memory.as_mut_ptr() as *mut c_void)
}
