//! The structs of the contract that the host fills in, whose functions are the host's, as C lays them out. To the rest of the
//! kit they are a part of `raw`.

use super::raw::{Candidate, Context, Sink, Text, Value};
use std::os::raw::{c_char, c_void};

// MARK: The host

#[repr(C)]
pub struct Host {
    pub abi_major: u32,
    pub abi_minor: u32,
    pub name: Text,
    pub version: Text,
    pub owner: *mut c_void,
    pub get_extension: extern "C" fn(*const Host, *const c_char) -> *const c_void,
}

#[repr(C)]
pub struct Log {
    pub write: extern "C" fn(*const Host, u32, *const u8, u64),
}

#[repr(C)]
pub struct LocalTime {
    pub zone_named: extern "C" fn(*const Host, *const u8, u64) -> *const c_void,
    pub zone_of_subject: extern "C" fn(*const Context) -> *const c_void,
    pub offset: extern "C" fn(*const c_void, i64) -> i32,
    pub next_transition: extern "C" fn(*const c_void, i64, *mut i64) -> u32,
    pub local_day: extern "C" fn(*const c_void, i64) -> i64,
    pub start_of_day: extern "C" fn(*const c_void, i64) -> i64,
}

#[repr(C)]
pub struct Conditions {
    pub compile: extern "C" fn(*const Host, *const Value, *const Sink) -> *const c_void,
    pub release: extern "C" fn(*const c_void),
    pub holds: extern "C" fn(*const c_void, *const Candidate, *const Context) -> u32,
}

#[repr(C)]
pub struct Attributes {
    pub value: extern "C" fn(*const Context, *const u8, u64) -> *const Value,
}

#[repr(C)]
pub struct Scratch {
    pub allocate: extern "C" fn(*const Context, u64) -> *mut c_void,
}

/// In the place of an index: the candidate, as if it had been created just now.
pub const CURRENT_CANDIDATE: u64 = u64::MAX;

#[repr(C)]
pub struct Current {
    pub count: extern "C" fn(*const Context) -> u64,
    pub holds: extern "C" fn(*const Context, u64, *const c_void) -> u32,
    pub value: extern "C" fn(*const Context, u64, *const u8, u64) -> *const Value,
}

#[repr(C)]
pub struct OpenDigest {
    pub opened: i64,
    pub closes: i64,
    pub count: u64,
}

#[repr(C)]
pub struct Digest {
    pub open: extern "C" fn(*const Context, *mut OpenDigest) -> u32,
    pub count: extern "C" fn(*const Context) -> u64,
    pub keep: extern "C" fn(*const Context, u64),
    pub lead: extern "C" fn(*const Context, i64),
}

// MARK: States that save themselves

#[repr(C)]
pub struct Reader {
    pub owner: *mut c_void,
    pub integer: extern "C" fn(*mut c_void, *const u8, u64, *mut i64) -> u32,
    pub number: extern "C" fn(*mut c_void, *const u8, u64, *mut f64) -> u32,
    pub boolean: extern "C" fn(*mut c_void, *const u8, u64, *mut u32) -> u32,
    pub text: extern "C" fn(*mut c_void, *const u8, u64, *mut Text) -> u32,
    pub bytes: extern "C" fn(*mut c_void, *const u8, u64, *mut Text) -> u32,
    pub instant: extern "C" fn(*mut c_void, *const u8, u64, *mut i64) -> u32,
    pub integers: extern "C" fn(*mut c_void, *const u8, u64, *mut *const i64, *mut u64) -> u32,
}

#[repr(C)]
pub struct Writer {
    pub owner: *mut c_void,
    pub integer: extern "C" fn(*mut c_void, *const u8, u64, i64),
    pub number: extern "C" fn(*mut c_void, *const u8, u64, f64),
    pub boolean: extern "C" fn(*mut c_void, *const u8, u64, u32),
    pub text: extern "C" fn(*mut c_void, *const u8, u64, *const u8, u64),
    pub bytes: extern "C" fn(*mut c_void, *const u8, u64, *const u8, u64),
    pub instant: extern "C" fn(*mut c_void, *const u8, u64, i64),
    pub integers: extern "C" fn(*mut c_void, *const u8, u64, *const i64, u64),
}

// MARK: What questions, filters and actions answer through

#[repr(C)]
pub struct Reason {
    pub owner: *mut c_void,
    pub explain: extern "C" fn(*mut c_void, *const Text, *const Text),
    pub until: extern "C" fn(*mut c_void, i64),
}

pub type EditText = extern "C" fn(*mut c_void, *const u8, u64);
pub type EditValue = extern "C" fn(*mut c_void, *const Value);

#[repr(C)]
pub struct Edits {
    pub owner: *mut c_void,
    pub set_title: EditText,
    pub set_message: EditText,
    pub set_category: EditText,
    pub set_data: EditValue,
    pub set_presentation: EditValue,
    pub set_buttons: EditValue,
    pub drop: EditText,
}

#[repr(C)]
pub struct ActionResult {
    pub owner: *mut c_void,
    pub set: extern "C" fn(*mut c_void, *const Value),
    pub fail: extern "C" fn(*mut c_void, *const u8, u64),
}

/// What they measure in C, in bytes.
const _: () = {
    use std::mem::size_of;
    assert!(size_of::<Host>() == 56);
    assert!(size_of::<Log>() == 8);
    assert!(size_of::<LocalTime>() == 48);
    assert!(size_of::<Conditions>() == 24);
    assert!(size_of::<Attributes>() == 8);
    assert!(size_of::<Scratch>() == 8);
    assert!(size_of::<Current>() == 24);
    assert!(size_of::<OpenDigest>() == 24);
    assert!(size_of::<Digest>() == 32);
    assert!(size_of::<Reader>() == 64);
    assert!(size_of::<Writer>() == 64);
    assert!(size_of::<Reason>() == 24);
    assert!(size_of::<Edits>() == 64);
    assert!(size_of::<ActionResult>() == 24);
};
