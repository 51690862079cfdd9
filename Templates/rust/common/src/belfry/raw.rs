//! The structs of the contract as C lays them out: `belfry.h`, which says what each function may do and who owns what. A
//! released struct never changes, so these do not either.

pub use super::raw_host::*;
use std::os::raw::{c_char, c_void};
use std::ptr::null;

pub const MAGIC: u64 = 0x42454c4652593031;

pub const NULL: u32 = 0;
pub const BOOLEAN: u32 = 1;
pub const INTEGER: u32 = 2;
pub const NUMBER: u32 = 3;
pub const TEXT: u32 = 4;
pub const LIST: u32 = 5;
pub const MAP: u32 = 6;
pub const DURATION: u32 = 7;
pub const INSTANT: u32 = 8;

pub const PARAMETER_BOOLEAN: u32 = 1;
pub const PARAMETER_INTEGER: u32 = 2;
pub const PARAMETER_NUMBER: u32 = 3;
pub const PARAMETER_TEXT: u32 = 4;
pub const PARAMETER_DURATION: u32 = 5;
pub const PARAMETER_CHOICE: u32 = 6;
pub const PARAMETER_CONDITION: u32 = 7;
pub const PARAMETER_OBJECT: u32 = 8;
pub const PARAMETER_ANY: u32 = 9;

pub const PARAMETER_REQUIRED: u32 = 1;
pub const PARAMETER_IS_LIST: u32 = 2;
pub const PARAMETER_HAS_MINIMUM: u32 = 4;
pub const PARAMETER_HAS_MAXIMUM: u32 = 8;

pub const FIELD_BOOLEAN: u32 = 1;
pub const FIELD_INTEGER: u32 = 2;
pub const FIELD_NUMBER: u32 = 3;
pub const FIELD_INSTANT: u32 = 4;
pub const FIELD_DURATION: u32 = 5;
pub const FIELD_TEXT: u32 = 6;
pub const FIELD_INTEGERS: u32 = 7;
pub const FIELD_INSTANTS: u32 = 8;
pub const FIELD_OPTIONAL: u32 = 1;

pub const ABSTAIN: u32 = 0;
pub const ALLOW: u32 = 1;
pub const DENY: u32 = 2;
pub const DEFER: u32 = 3;
pub const FAULT: u32 = 4;
pub const COLLECT: u32 = 5;
pub const WITHHOLD: u32 = 6;

pub const TOLD_UNCHANGED: u32 = 0;
pub const TOLD_CHANGED: u32 = 1;
pub const TOLD_FAILED: u32 = 2;

pub const DELIVERED: u32 = 0;
pub const DELIVER_LATER: u32 = 1;
pub const DELIVER_NEVER: u32 = 2;
pub const DELIVERY_FAILED: u32 = 3;
pub const DELIVERY_STOPPED: u32 = 4;

// MARK: Texts, values and memory

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Text {
    pub bytes: *const u8,
    pub length: u64,
}

impl Text {
    pub const ABSENT: Text = Text { bytes: null(), length: 0 };

    pub const fn of(text: &'static str) -> Text {
        Text { bytes: text.as_ptr(), length: text.len() as u64 }
    }
    /// For a call that copies it.
    pub fn lent(text: &str) -> Text {
        Text { bytes: text.as_ptr(), length: text.len() as u64 }
    }
    /// None if it is absent, or no UTF-8.
    pub fn str<'a>(self) -> Option<&'a str> {
        if self.bytes.is_null() {
            return None;
        }
        std::str::from_utf8(unsafe { slice(self.bytes, self.length) }).ok()
    }
}

/// # Safety
/// There are so many; the address of none may be null.
pub unsafe fn slice<'a, T>(items: *const T, count: u64) -> &'a [T] {
    if count == 0 { &[] } else { std::slice::from_raw_parts(items, count as usize) }
}

/// Never freed; null for none.
pub fn leak<T>(items: Vec<T>) -> *const T {
    if items.is_empty() { null() } else { Box::leak(items.into_boxed_slice()).as_ptr() }
}

#[repr(C)]
pub struct Value {
    pub kind: u32,
    pub reserved: u32,
    pub integer: i64,
    pub number: f64,
    pub text: Text,
    pub key: Text,
    pub items: *const Value,
    pub count: u64,
}

impl Value {
    pub const fn of(kind: u32) -> Value {
        let (text, key) = (Text::ABSENT, Text::ABSENT);
        Value { kind, reserved: 0, integer: 0, number: 0.0, text, key, items: null(), count: 0 }
    }
    pub fn whole(kind: u32, number: i64) -> Value {
        Value { integer: number, number: number as f64, ..Value::of(kind) }
    }
    /// - keep: where the items stay.
    pub fn many(kind: u32, items: Vec<Value>, keep: &mut Vec<Box<[Value]>>) -> Value {
        let items = items.into_boxed_slice();
        let value = Value { items: items.as_ptr(), count: items.len() as u64, ..Value::of(kind) };
        keep.push(items);
        value
    }
    pub fn items(&self) -> &[Value] {
        unsafe { slice(self.items, self.count) }
    }
}

#[repr(C)]
pub struct Sink {
    pub owner: *mut c_void,
    pub write: extern "C" fn(*mut c_void, *const u8, u64),
}

impl Sink {
    pub fn say(&self, text: &str) {
        (self.write)(self.owner, text.as_ptr(), text.len() as u64)
    }
    /// Says what failed, if something did.
    pub fn status(&self, result: Result<(), String>) -> i32 {
        match result {
            Ok(()) => 0,
            Err(why) => {
                self.say(&why);
                1
            }
        }
    }
    /// Calls what may say something, and gives what it said too.
    pub fn collect<R>(body: impl FnOnce(*const Sink) -> R) -> (R, String) {
        extern "C" fn write(owner: *mut c_void, bytes: *const u8, length: u64) {
            let said = unsafe { &mut *(owner as *mut Vec<u8>) };
            said.extend_from_slice(unsafe { slice(bytes, length) });
        }
        let mut said: Vec<u8> = Vec::new();
        let result = body(&Sink { owner: &mut said as *mut Vec<u8> as *mut c_void, write });
        (result, String::from_utf8_lossy(&said).into_owned())
    }
}

// MARK: Parameters and fields

#[repr(C)]
pub struct Parameter {
    pub name: Text,
    pub summary: Text,
    pub unit: Text,
    pub kind: u32,
    pub flags: u32,
    pub minimum: f64,
    pub maximum: f64,
    pub default_value: *const Value,
    pub choices: *const Text,
    pub choice_count: u64,
    pub replaces: *const Text,
    pub replaces_count: u64,
    pub members: *const Parameter,
    pub member_count: u64,
}

impl Parameter {
    pub const fn zero() -> Parameter {
        Parameter {
            name: Text::ABSENT,
            summary: Text::ABSENT,
            unit: Text::ABSENT,
            kind: 0,
            flags: 0,
            minimum: 0.0,
            maximum: 0.0,
            default_value: null(),
            choices: null(),
            choice_count: 0,
            replaces: null(),
            replaces_count: 0,
            members: null(),
            member_count: 0,
        }
    }
}

#[repr(C)]
pub struct Field {
    pub name: Text,
    pub summary: Text,
    pub unit: Text,
    pub kind: u32,
    pub flags: u32,
    pub offset: u64,
}

// MARK: What a call is about

#[repr(C)]
pub struct Candidate {
    pub kind: u32,
    pub deferred: u32,
    pub priority: i64,
    pub campaign: Text,
    pub trigger: Text,
    pub event: Text,
    pub region: Text,
    pub region_name: Text,
    pub notification: Text,
    pub counter: Text,
    pub title: Text,
    pub message: Text,
    pub handler: Text,
    pub category: Text,
    pub data: *const Value,
    pub presentation: *const Value,
    pub region_fields: *const Value,
}

#[repr(C)]
pub struct Context {
    pub now: i64,
    pub subject: Text,
    pub channel: Text,
    pub app: u32,
    pub reserved: u32,
    pub app_since: i64,
    pub owner: *mut c_void,
}

// MARK: Strategies

pub type StateDestroy = extern "C" fn(*mut c_void, *mut c_void);
pub type StateLoad = extern "C" fn(*mut c_void, *mut c_void, u32, i64, *const Reader, *const Sink) -> i32;
pub type StateSave = extern "C" fn(*mut c_void, *const c_void, *const Writer);

pub type Create = extern "C" fn(*mut c_void, *const Host, *const Value, *const Sink) -> *mut c_void;
pub type Check = extern "C" fn(*mut c_void, *const c_void, *const Candidate, *const Context, *const Reason) -> u32;
pub type Outcome = extern "C" fn(*mut c_void, *mut c_void, *const Candidate, u32, *const Context, *const Sink) -> u32;
pub type Opened = extern "C" fn(*mut c_void, *mut c_void, *const Candidate, *const Context, *const Sink) -> u32;
pub type Move = extern "C" fn(*mut c_void, *mut c_void, *const Context, *const Sink) -> u32;
pub type Monitor = extern "C" fn(*mut c_void, *mut c_void, *const Text, *const Context, *const Sink) -> u32;

#[repr(C)]
pub struct Strategy {
    pub name: Text,
    pub summary: Text,
    pub parameters: *const Parameter,
    pub default_counter: Text,
    pub before: *const Text,
    pub before_count: u64,
    pub after: *const Text,
    pub after_count: u64,
    pub order_reason: Text,
    pub kind: *mut c_void,
    pub state_size: u64,
    pub state_alignment: u64,
    pub fields: *const Field,
    pub field_count: u64,
    pub state_version: u32,
    pub reserved: u32,
    pub create: Create,
    pub destroy: extern "C" fn(*mut c_void),
    pub state_init: extern "C" fn(*mut c_void, *mut c_void),
    pub state_destroy: Option<StateDestroy>,
    pub state_load: Option<StateLoad>,
    pub state_save: Option<StateSave>,
    pub should_create: Check,
    pub did_create: Option<Outcome>,
    pub should_delete: Check,
    pub did_delete: Option<Outcome>,
    pub on_opened: Option<Opened>,
    pub on_background: Option<Move>,
    pub on_foreground: Option<Move>,
    pub on_start_monitoring: Option<Monitor>,
    pub update_parameters: Option<Move>,
}

pub const RECEIPT_DELIVERED: u32 = 1;
pub const RECEIPT_FAILED: u32 = 2;

#[repr(C)]
pub struct Receipt {
    pub outcome: u32,
    pub reserved: u32,
    pub created_at: i64,
    pub sink: Text,
    pub reason: Text,
}

#[repr(C)]
pub struct ReceiptHook {
    pub strategy: Text,
    pub on_receipt: extern "C" fn(
        *mut c_void, *mut c_void, *const Candidate, *const Receipt, *const Context, *const Sink,
    ) -> u32,
}

/// Names of strategies.
#[repr(C)]
pub struct Outcomes {
    pub happened: *const Text,
    pub count: u64,
}

// MARK: Filters and actions

#[repr(C)]
pub struct Filter {
    pub name: Text,
    pub summary: Text,
    pub parameters: *const Parameter,
    pub kind: *mut c_void,
    pub create: Create,
    pub destroy: extern "C" fn(*mut c_void),
    pub apply: extern "C" fn(*mut c_void, *const Candidate, *const Context, *const Edits, *const Sink) -> i32,
}

#[repr(C)]
pub struct Action {
    pub kind: Text,
    pub summary: Text,
    pub signature: Text,
    pub function: *const c_void,
}

// MARK: Sinks

#[repr(C)]
pub struct Delivery {
    pub id: Text,
    pub subject: Text,
    pub kind: Text,
    pub line: Text,
    pub decision: *const Value,
    pub now: i64,
    pub timeout: i64,
}

#[repr(C)]
pub struct SinkType {
    pub name: Text,
    pub summary: Text,
    pub parameters: *const Parameter,
    pub kind: *mut c_void,
    pub create: Create,
    pub deliver: extern "C" fn(*mut c_void, *const Delivery, *const Sink) -> u32,
    pub destroy: extern "C" fn(*mut c_void),
}

// MARK: The plugin

/// What an extension of a plugin is.
#[repr(C)]
pub struct Many<T> {
    pub items: *const *const T,
    pub count: u64,
}

#[repr(C)]
pub struct Plugin {
    pub magic: u64,
    pub abi_major: u32,
    pub abi_minor: u32,
    pub size: u32,
    pub flags: u32,
    pub id: Text,
    pub version: Text,
    pub built_with: Text,
    pub init: *const c_void,
    pub deinit: *const c_void,
    pub get_extension: extern "C" fn(*const c_char) -> *const c_void,
    pub reserved: [u64; 4],
}

/// What they measure in C, in bytes.
const _: () = {
    use std::mem::size_of;
    assert!(size_of::<Text>() == 16);
    assert!(size_of::<Value>() == 72);
    assert!(size_of::<Sink>() == 16);
    assert!(size_of::<Parameter>() == 128);
    assert!(size_of::<Field>() == 64);
    assert!(size_of::<Candidate>() == 216);
    assert!(size_of::<Context>() == 64);
    assert!(size_of::<Strategy>() == 272);
    assert!(size_of::<Receipt>() == 48);
    assert!(size_of::<ReceiptHook>() == 24);
    assert!(size_of::<Outcomes>() == 16);
    assert!(size_of::<Filter>() == 72);
    assert!(size_of::<Action>() == 56);
    assert!(size_of::<Delivery>() == 88);
    assert!(size_of::<SinkType>() == 72);
    assert!(size_of::<Many<Strategy>>() == 16);
    assert!(size_of::<Plugin>() == 128);
};
