//! Memory of the host with a state in it, and what is stored of it: its fields by name, or what the strategy saves itself.

use super::saved;
use crate::belfry::{raw, Duration, Instant, Value};
use std::os::raw::c_void;

/// By name; `Value::Null` for no value.
pub(super) type Stored = Vec<(String, Value)>;

pub(super) struct Memory {
    strategy: &'static raw::Strategy,
    /// 16 bytes each, which is as much as a state may be aligned to.
    words: Vec<u128>,
    /// The texts and lists of its fields.
    texts: Vec<Box<[u8]>>,
    lists: Vec<Box<[i64]>>,
}

impl Memory {
    /// The state of a subject who is new.
    pub(super) fn new(strategy: &'static raw::Strategy) -> Self {
        let words = vec![0; strategy.state_size as usize / 16 + 1];
        let mut memory = Memory { strategy, words, texts: Vec::new(), lists: Vec::new() };
        (strategy.state_init)(strategy.kind, memory.address());
        memory
    }

    /// A state with these values where it has fields for them.
    pub(super) fn loaded(
        strategy: &'static raw::Strategy, version: u32, now: Instant, stored: &Stored,
    ) -> Result<Self, String> {
        let mut memory = Memory::new(strategy);
        if let Some(load) = strategy.state_load {
            saved::load(strategy, load, memory.address(), version, now, stored)?;
        }
        for field in fields(strategy) {
            let value = stored.iter().find(|pair| Some(pair.0.as_str()) == field.name.str()).map(|pair| &pair.1);
            if let Some(value) = value {
                memory.write(field, value);
            }
        }
        Ok(memory)
    }

    /// A copy to be changed, as long as this one is there: its texts and lists are the same.
    pub(super) fn copy(&self) -> Self {
        Memory { strategy: self.strategy, words: self.words.clone(), texts: Vec::new(), lists: Vec::new() }
    }

    pub(super) fn address(&mut self) -> *mut c_void {
        self.words.as_mut_ptr() as *mut c_void
    }

    fn place(&self, field: &raw::Field) -> *const u8 {
        unsafe { (self.words.as_ptr() as *const u8).add(field.offset as usize) }
    }

    fn place_mut(&mut self, field: &raw::Field) -> *mut u8 {
        unsafe { (self.words.as_mut_ptr() as *mut u8).add(field.offset as usize) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Some(destroy) = self.strategy.state_destroy {
            destroy(self.strategy.kind, self.address())
        }
    }
}

fn fields(strategy: &raw::Strategy) -> &'static [raw::Field] {
    unsafe { raw::slice(strategy.fields, strategy.field_count) }
}

// MARK: Reading

impl Memory {
    pub(super) fn stored(&self) -> Stored {
        if let Some(save) = self.strategy.state_save {
            return saved::save(self.strategy, save, self.words.as_ptr() as *const c_void);
        }
        let name = |field: &raw::Field| field.name.str().unwrap_or("").to_string();
        fields(self.strategy).iter().map(|field| (name(field), self.read(field))).collect()
    }

    /// A boolean has a third value; behind every other optional number is a byte that says so.
    fn is_absent(&self, field: &raw::Field) -> bool {
        let place = self.place(field);
        let is_optional = field.flags & raw::FIELD_OPTIONAL != 0;
        is_optional && unsafe { if field.kind == raw::FIELD_BOOLEAN { *place > 1 } else { *place.add(8) != 0 } }
    }

    fn read(&self, field: &raw::Field) -> Value {
        let place = self.place(field);
        if self.is_absent(field) {
            return Value::Null;
        }
        unsafe {
            match field.kind {
                raw::FIELD_BOOLEAN => Value::Boolean(*place != 0),
                raw::FIELD_NUMBER => Value::Number(*(place as *const f64)),
                raw::FIELD_INSTANT => {
                    Instant(*(place as *const i64)).if_ever().map_or(Value::Null, Value::Instant)
                }
                raw::FIELD_DURATION => Value::Duration(Duration(*(place as *const i64))),
                raw::FIELD_TEXT => match (*(place as *const raw::Text)).str() {
                    Some(text) if !text.is_empty() => text.into(),
                    _ => Value::Null,
                },
                raw::FIELD_INTEGERS => list(place, Value::Integer),
                raw::FIELD_INSTANTS => list(place, |item| Value::Instant(Instant(item))),
                _ => Value::Integer(*(place as *const i64)),
            }
        }
    }
}

/// # Safety
/// A list lies there.
unsafe fn list(place: *const u8, value: fn(i64) -> Value) -> Value {
    let (items, count) = (*(place as *const *const i64), *(place.add(8) as *const u64));
    let items = raw::slice(items, count);
    if items.is_empty() { Value::Null } else { Value::List(items.iter().copied().map(value).collect()) }
}

// MARK: Writing

impl Memory {
    /// A value of another type leaves the field as it is.
    fn write(&mut self, field: &raw::Field, value: &Value) {
        let place = self.place_mut(field);
        let is_optional = field.flags & raw::FIELD_OPTIONAL != 0;
        unsafe {
            match (field.kind, value) {
                (raw::FIELD_BOOLEAN, Value::Boolean(flag)) => *place = *flag as u8,
                (raw::FIELD_BOOLEAN, Value::Null) if is_optional => *place = 2,
                (raw::FIELD_INTEGER, Value::Integer(number)) => self.write_number(field, *number),
                (raw::FIELD_NUMBER, Value::Number(number)) => self.write_number(field, *number),
                (raw::FIELD_INSTANT, Value::Instant(instant)) => self.write_number(field, *instant),
                (raw::FIELD_INSTANT, Value::Null) => self.write_number(field, Instant::NEVER),
                (raw::FIELD_DURATION, Value::Duration(duration)) => self.write_number(field, *duration),
                (raw::FIELD_TEXT, Value::Text(text)) => self.write_text(place, text),
                (raw::FIELD_INTEGERS, Value::List(items)) => self.write_list(place, items, |item| item.integer()),
                (raw::FIELD_INSTANTS, Value::List(items)) => {
                    self.write_list(place, items, |item| item.instant().map(|instant| instant.0))
                }
                (raw::FIELD_TEXT | raw::FIELD_INTEGERS | raw::FIELD_INSTANTS, Value::Null) => self.write_text(place, ""),
                (_, Value::Null) if is_optional => *place.add(8) = 1,
                _ => {}
            }
        }
    }

    /// # Safety
    /// A number of 8 bytes lies there.
    unsafe fn write_number<T>(&mut self, field: &raw::Field, number: T) {
        let place = self.place_mut(field);
        (place as *mut T).write(number);
        if field.flags & raw::FIELD_OPTIONAL != 0 {
            *place.add(8) = 0;
        }
    }

    /// # Safety
    /// A text or list lies there.
    unsafe fn write_text(&mut self, place: *mut u8, text: &str) {
        let bytes = Box::<[u8]>::from(text.as_bytes());
        (place as *mut raw::Text).write(raw::Text { bytes: bytes.as_ptr(), length: bytes.len() as u64 });
        self.texts.push(bytes);
    }

    /// # Safety
    /// A list lies there.
    unsafe fn write_list(&mut self, place: *mut u8, items: &[Value], number: fn(&Value) -> Option<i64>) {
        if let Some(numbers) = items.iter().map(number).collect::<Option<Vec<i64>>>() {
            let numbers = numbers.into_boxed_slice();
            (place as *mut *const i64).write(numbers.as_ptr());
            (place.add(8) as *mut u64).write(numbers.len() as u64);
            self.lists.push(numbers);
        }
    }
}

/// The values that are not the same: `count was Integer(1) and is Integer(2)`.
pub(super) fn difference(before: &Stored, after: &Stored) -> Option<String> {
    let find = |stored: &Stored, name: &str| stored.iter().find(|pair| pair.0 == name).map(|pair| pair.1.clone());
    let added = after.iter().filter(|pair| find(before, &pair.0).is_none());
    let differences: Vec<String> = (before.iter().chain(added))
        .map(|pair| {
            let (was, is) = (find(before, &pair.0), find(after, &pair.0));
            (&pair.0, was.unwrap_or(Value::Null), is.unwrap_or(Value::Null))
        })
        // By their text, because a number that is none is not the same as itself.
        .filter(|(_, was, is)| format!("{:?}", was) != format!("{:?}", is))
        .map(|(name, was, is)| format!("{} was {:?} and is {:?}", name, was, is))
        .collect();
    (!differences.is_empty()).then(|| differences.join(", "))
}
