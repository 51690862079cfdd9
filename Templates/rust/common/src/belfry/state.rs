//! What is remembered of one subject, per counter.

use super::raw;
use super::{Context, Duration, Instant, Saving, Told};
use std::ops::Deref;

/// What is remembered. `Default` is the state of a subject who is new.
///
/// Its members are declared, all of them, with `belfry::fields!`. From that the host stores it, shows it, and takes it over when
/// another version of the plugin has other fields: those of the same name and type keep their values, others begin as new.
///
///     #[derive(Default)]
///     struct State {
///         count: i64,
///         last: Instant,
///     }
///
///     belfry::fields! {
///         State {
///             count: "how many there were",
///             last as "lastAt": "when the last one was created",
///         }
///     }
///
/// A field is an `i64`, `f64`, `bool`, `Instant` or `Duration`, an `Optional` of one of these (an instant is `NEVER` instead), a
/// `Text`, or a `List` of `i64` or `Instant`. A state that is made of something else, such as a map, is a `SavedState`.
pub trait State: Default + 'static {
    fn fields() -> Vec<Field>;

    /// Of a state that saves itself: the kit's own, not to be written.
    fn saving() -> Option<Saving> {
        None
    }

    /// Lets a hook change it: the kit's own, not to be written. Of declared fields the host has lent a copy, so that a failure
    /// leaves no trace.
    fn change(&mut self, hook: impl FnOnce(&mut Self) -> Told) -> Told {
        hook(self)
    }
}

/// For what remembers nothing.
impl State for () {
    fn fields() -> Vec<Field> {
        Vec::new()
    }
}

macro_rules! fields {
    ($state:ident { $($field:ident $(as $name:literal)?: $summary:literal $(in $unit:literal)?),+ $(,)? }) => {
        impl $crate::belfry::State for $state {
            fn fields() -> Vec<$crate::belfry::Field> {
                let state = $state::default();
                // Never called: it is there so that a member that is not declared is an error of the compiler.
                let _all = || $state { $($field: $crate::belfry::anything()),+ };
                vec![$($crate::belfry::Field::new(
                    &state, &state.$field, [$($name,)? stringify!($field)][0], $summary, [$($unit,)? ""][0],
                )),+]
            }
        }
    };
}
pub(crate) use fields;

pub(crate) fn anything<T>() -> T {
    unreachable!("only its type is of use")
}

/// One member of a state: what it is called, what it means, and where it is.
pub struct Field(pub(crate) raw::Field);

impl Field {
    /// - value: the member of that state, which gives its place and its type.
    pub fn new<S, V: FieldValue>(
        state: &S, value: &V, name: &'static str, summary: &'static str, unit: &'static str,
    ) -> Self {
        let unit = if unit.is_empty() { raw::Text::ABSENT } else { raw::Text::of(unit) };
        Field(raw::Field {
            name: raw::Text::of(name),
            summary: raw::Text::of(summary),
            unit,
            kind: V::KIND,
            flags: V::FLAGS,
            offset: (value as *const V as usize - state as *const S as usize) as u64,
        })
    }
}

/// What a field can be: the types of `State`, and no others.
pub trait FieldValue: sealed::Sealed {
    const KIND: u32;
    const FLAGS: u32 = 0;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! field_values {
    ($($type:ty: $kind:expr),+) => {
        $(
            impl sealed::Sealed for $type {}
            impl FieldValue for $type {
                const KIND: u32 = $kind;
            }
        )+
    };
}
field_values! {
    bool: raw::FIELD_BOOLEAN, i64: raw::FIELD_INTEGER, f64: raw::FIELD_NUMBER, Instant: raw::FIELD_INSTANT,
    Duration: raw::FIELD_DURATION, Text: raw::FIELD_TEXT, List<i64>: raw::FIELD_INTEGERS,
    List<Instant>: raw::FIELD_INSTANTS
}

// MARK: Optional

/// A number, duration or truth that may be absent, as it lies in memory in C.
#[repr(transparent)]
pub struct Optional<T: Number>(T::Slot);

/// What an `Optional` can have: `i64`, `f64`, `bool` or `Duration`.
pub trait Number: FieldValue + Copy {
    type Slot: Copy;
    fn fill(value: Option<Self>) -> Self::Slot;
    fn read(slot: Self::Slot) -> Option<Self>;
}

/// Behind the 8 bytes of a number: 0 if there is a value.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Flagged<T> {
    value: T,
    is_absent: u8,
}

macro_rules! numbers {
    ($($type:ty),+) => {
        $(impl Number for $type {
            type Slot = Flagged<Self>;
            fn fill(value: Option<Self>) -> Flagged<Self> {
                Flagged { value: value.unwrap_or_default(), is_absent: value.is_none() as u8 }
            }
            fn read(slot: Flagged<Self>) -> Option<Self> {
                (slot.is_absent == 0).then_some(slot.value)
            }
        })+
    };
}
numbers!(i64, f64, Duration);

/// A truth has a third value instead.
impl Number for bool {
    type Slot = u8;
    fn fill(value: Option<bool>) -> u8 {
        value.map_or(2, u8::from)
    }
    fn read(slot: u8) -> Option<bool> {
        (slot < 2).then_some(slot == 1)
    }
}

impl<T: Number> sealed::Sealed for Optional<T> {}
impl<T: Number> FieldValue for Optional<T> {
    const KIND: u32 = T::KIND;
    const FLAGS: u32 = raw::FIELD_OPTIONAL;
}

impl<T: Number> Optional<T> {
    pub fn get(&self) -> Option<T> {
        T::read(self.0)
    }
    pub fn set(&mut self, value: Option<T>) {
        self.0 = T::fill(value)
    }
}

impl<T: Number> Default for Optional<T> {
    fn default() -> Self {
        Optional(T::fill(None))
    }
}

// MARK: Texts and lists

/// A text in a state. It lies in memory that the host lends, so it is changed with the context of the hook.
#[repr(C)]
pub struct Text {
    bytes: *const u8,
    length: u64,
}

impl Text {
    pub fn set(&mut self, text: &str, context: &Context) {
        self.bytes = copy(text.as_bytes(), context);
        self.length = text.len() as u64;
    }
    pub fn clear(&mut self) {
        *self = Text::default()
    }
}

impl Default for Text {
    fn default() -> Self {
        Text { bytes: std::ptr::null(), length: 0 }
    }
}

impl Deref for Text {
    type Target = str;
    fn deref(&self) -> &str {
        raw::Text { bytes: self.bytes, length: self.length }.str().unwrap_or("")
    }
}

/// A list of `i64` or `Instant` in a state. Like a text, it is changed with the context of the hook.
#[repr(C)]
pub struct List<T> {
    items: *const T,
    count: u64,
}

impl<T: Copy> List<T> {
    /// Replaces everything.
    pub fn set(&mut self, items: &[T], context: &Context) {
        self.items = copy(items, context);
        self.count = items.len() as u64;
    }
    /// Adds one at the end.
    pub fn push(&mut self, item: T, context: &Context) {
        let mut items = self.to_vec();
        items.push(item);
        self.set(&items, context);
    }
    pub fn clear(&mut self) {
        *self = List::default()
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        List { items: std::ptr::null(), count: 0 }
    }
}

impl<T> Deref for List<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        unsafe { raw::slice(self.items, self.count) }
    }
}

/// In memory that stays until the hook returns.
fn copy<T: Copy>(items: &[T], context: &Context) -> *const T {
    let size = std::mem::size_of_val(items);
    let memory = context.host.scratch(size.max(1), context.raw) as *mut T;
    unsafe { std::ptr::copy_nonoverlapping(items.as_ptr(), memory, items.len()) };
    memory
}
