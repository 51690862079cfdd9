//! JSON values.

use super::raw;
use super::{Duration, Instant};

/// A JSON value. Durations and instants occur in parameters, and in what a test stores.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    Null,
    Boolean(bool),
    Integer(i64),
    Number(f64),
    Text(String),
    List(Vec<Value>),
    /// In its order.
    Map(Vec<(String, Value)>),
    Duration(Duration),
    Instant(Instant),
}

impl Value {
    pub fn map<const N: usize>(members: [(&str, Value); N]) -> Value {
        Value::Map(members.into_iter().map(|(key, value)| (key.to_string(), value)).collect())
    }

    pub fn boolean(&self) -> Option<bool> {
        if let Value::Boolean(flag) = self { Some(*flag) } else { None }
    }
    pub fn integer(&self) -> Option<i64> {
        if let Value::Integer(number) = self { Some(*number) } else { None }
    }
    /// A whole number too.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Integer(number) => Some(*number as f64),
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }
    pub fn text(&self) -> Option<&str> {
        if let Value::Text(text) = self { Some(text) } else { None }
    }
    pub fn list(&self) -> Option<&[Value]> {
        if let Value::List(items) = self { Some(items) } else { None }
    }
    pub fn duration(&self) -> Option<Duration> {
        if let Value::Duration(duration) = self { Some(*duration) } else { None }
    }
    pub fn instant(&self) -> Option<Instant> {
        if let Value::Instant(instant) = self { Some(*instant) } else { None }
    }
    /// A member of a mapping.
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Value::Map(members) => members.iter().find(|member| member.0 == key).map(|member| &member.1),
            _ => None,
        }
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Value {
        Value::Boolean(flag)
    }
}
impl From<i64> for Value {
    fn from(number: i64) -> Value {
        Value::Integer(number)
    }
}
impl From<f64> for Value {
    fn from(number: f64) -> Value {
        Value::Number(number)
    }
}
impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.into())
    }
}
impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(text)
    }
}
impl From<Duration> for Value {
    fn from(duration: Duration) -> Value {
        Value::Duration(duration)
    }
}
impl From<Instant> for Value {
    fn from(instant: Instant) -> Value {
        Value::Instant(instant)
    }
}

// MARK: In C

impl Value {
    /// A copy of a value of the host.
    pub(crate) fn of(value: &raw::Value) -> Value {
        match value.kind {
            raw::BOOLEAN => Value::Boolean(value.integer != 0),
            raw::INTEGER => Value::Integer(value.integer),
            raw::NUMBER => Value::Number(value.number),
            raw::TEXT => Value::Text(value.text.str().unwrap_or("").into()),
            raw::LIST => Value::List(value.items().iter().map(Value::of).collect()),
            raw::MAP => Value::Map(
                value.items().iter().map(|item| (item.key.str().unwrap_or("").into(), Value::of(item))).collect(),
            ),
            raw::DURATION => Value::Duration(Duration(value.integer)),
            raw::INSTANT => Value::Instant(Instant(value.integer)),
            _ => Value::Null,
        }
    }

    /// This value in C, for the length of a call.
    pub(crate) fn lend<R>(&self, body: impl FnOnce(&raw::Value) -> R) -> R {
        let mut items = Vec::new();
        let value = self.raw(None, &mut items);
        body(&value)
    }

    /// - items: keeps the items of lists and mappings, each of them at an address of its own.
    pub(crate) fn raw(&self, key: Option<&str>, items: &mut Vec<Box<[raw::Value]>>) -> raw::Value {
        let value = match self {
            Value::Null => raw::Value::of(raw::NULL),
            Value::Boolean(flag) => raw::Value { integer: *flag as i64, ..raw::Value::of(raw::BOOLEAN) },
            Value::Integer(number) => raw::Value::whole(raw::INTEGER, *number),
            Value::Number(number) => raw::Value { number: *number, ..raw::Value::of(raw::NUMBER) },
            Value::Text(text) => raw::Value { text: raw::Text::lent(text), ..raw::Value::of(raw::TEXT) },
            Value::List(list) => {
                let list = list.iter().map(|item| item.raw(None, items)).collect();
                raw::Value::many(raw::LIST, list, items)
            }
            Value::Map(members) => {
                let list = members.iter().map(|member| member.1.raw(Some(&member.0), items)).collect();
                raw::Value::many(raw::MAP, list, items)
            }
            Value::Duration(duration) => raw::Value::whole(raw::DURATION, duration.0),
            Value::Instant(instant) => raw::Value::whole(raw::INSTANT, instant.0),
        };
        raw::Value { key: key.map_or(raw::Text::ABSENT, raw::Text::lent), ..value }
    }
}
