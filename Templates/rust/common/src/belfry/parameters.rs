//! What can be configured, and what was.

use super::raw;
use super::{Duration, Value};

/// Describes one parameter: it is checked, explained and turned into JSON Schema from this.
pub struct Parameter {
    raw: raw::Parameter,
    fallback: Option<Value>,
    choices: &'static [&'static str],
    members: Vec<Parameter>,
}

impl Parameter {
    pub fn boolean(name: &'static str, summary: &'static str) -> Self {
        Self::new(name, summary, raw::PARAMETER_BOOLEAN)
    }
    pub fn integer(name: &'static str, summary: &'static str) -> Self {
        Self::new(name, summary, raw::PARAMETER_INTEGER)
    }
    pub fn number(name: &'static str, summary: &'static str) -> Self {
        Self::new(name, summary, raw::PARAMETER_NUMBER)
    }
    pub fn text(name: &'static str, summary: &'static str) -> Self {
        Self::new(name, summary, raw::PARAMETER_TEXT)
    }
    pub fn duration(name: &'static str, summary: &'static str) -> Self {
        Self::new(name, summary, raw::PARAMETER_DURATION)
    }
    /// One of some texts.
    pub fn choice(name: &'static str, summary: &'static str, choices: &'static [&'static str]) -> Self {
        Parameter { choices, ..Self::new(name, summary, raw::PARAMETER_CHOICE) }
    }
    /// To be compiled with `Host::condition`.
    pub fn condition(name: &'static str, summary: &'static str) -> Self {
        Self::new(name, summary, raw::PARAMETER_CONDITION)
    }
    /// A mapping.
    pub fn object(name: &'static str, summary: &'static str, members: Vec<Parameter>) -> Self {
        Parameter { members, ..Self::new(name, summary, raw::PARAMETER_OBJECT) }
    }
    /// Any value, checked in `new` alone.
    pub fn any(name: &'static str, summary: &'static str) -> Self {
        Self::new(name, summary, raw::PARAMETER_ANY)
    }

    fn new(name: &'static str, summary: &'static str, kind: u32) -> Self {
        let (name, summary) = (raw::Text::of(name), raw::Text::of(summary));
        let raw = raw::Parameter { name, summary, kind, ..raw::Parameter::zero() };
        Parameter { raw, fallback: None, choices: &[], members: Vec::new() }
    }

    /// Must be given.
    pub fn required(self) -> Self {
        self.flagged(raw::PARAMETER_REQUIRED)
    }

    /// A list of such values.
    pub fn list(self) -> Self {
        self.flagged(raw::PARAMETER_IS_LIST)
    }

    /// Inclusive: numbers as they are, durations in ms, lists and texts by their length.
    pub fn at_least(mut self, minimum: f64) -> Self {
        self.raw.minimum = minimum;
        self.flagged(raw::PARAMETER_HAS_MINIMUM)
    }

    /// Inclusive, as for `at_least`.
    pub fn at_most(mut self, maximum: f64) -> Self {
        self.raw.maximum = maximum;
        self.flagged(raw::PARAMETER_HAS_MAXIMUM)
    }

    /// m, s, Hz.
    pub fn unit(mut self, unit: &'static str) -> Self {
        self.raw.unit = raw::Text::of(unit);
        self
    }

    /// What it is if it is not given, for people: `new` has to take the same.
    pub fn default(mut self, value: impl Into<Value>) -> Self {
        self.fallback = Some(value.into());
        self
    }

    fn flagged(mut self, flag: u32) -> Self {
        self.raw.flags |= flag;
        self
    }

    fn has(&self, flag: u32) -> bool {
        self.raw.flags & flag != 0
    }
}

// MARK: In C

impl Parameter {
    /// The root of a description; null where there is nothing to configure. It is never freed.
    pub(crate) fn root(members: Vec<Parameter>) -> *const raw::Parameter {
        if members.is_empty() {
            return std::ptr::null();
        }
        let root = Parameter::object("", "", members);
        // Whatever needs a parameter needs parameters.
        let is_required = root.members.iter().any(|member| member.has(raw::PARAMETER_REQUIRED));
        let root = if is_required { root.required() } else { root };
        Box::leak(Box::new(root.constant()))
    }

    fn constant(self) -> raw::Parameter {
        let choices: Vec<raw::Text> = self.choices.iter().map(|choice| raw::Text::of(choice)).collect();
        let members: Vec<raw::Parameter> = self.members.into_iter().map(Parameter::constant).collect();
        raw::Parameter {
            default_value: self.fallback.map_or(std::ptr::null(), constant),
            choice_count: choices.len() as u64,
            choices: raw::leak(choices),
            member_count: members.len() as u64,
            members: raw::leak(members),
            ..self.raw
        }
    }
}

fn constant(value: Value) -> *const raw::Value {
    let items = Box::leak(Box::new(Vec::new()));
    // Texts of the value are lent to C, so it stays too.
    let value: &'static Value = Box::leak(Box::new(value));
    Box::leak(Box::new(value.raw(None, items)))
}

// MARK: What was given

/// The parameters of one place in the configuration.
pub struct Parameters(Value);

impl Parameters {
    /// None of those that were not given.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }
    pub fn boolean(&self, name: &str) -> Option<bool> {
        self.get(name)?.boolean()
    }
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.get(name)?.integer()
    }
    pub fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.number()
    }
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.text()
    }
    pub fn duration(&self, name: &str) -> Option<Duration> {
        self.get(name)?.duration()
    }

    /// The host has checked them against their description already; another one may not.
    pub(crate) fn checked(given: *const raw::Value, described: &[Parameter]) -> Result<Parameters, String> {
        let given = unsafe { given.as_ref() }.map_or(Value::Map(Vec::new()), Value::of);
        check_members(&given, described)?;
        Ok(Parameters(given))
    }
}

fn check_members(given: &Value, described: &[Parameter]) -> Result<(), String> {
    if !matches!(given, Value::Map(_)) {
        return Err("parameters are a mapping".into());
    }
    for parameter in described {
        let name = parameter.raw.name.str().unwrap_or("");
        match given.get(name) {
            Some(value) => check(name, value, parameter)?,
            None if parameter.has(raw::PARAMETER_REQUIRED) => return Err(format!("'{}' is missing", name)),
            None => {}
        }
    }
    Ok(())
}

fn check(name: &str, value: &Value, parameter: &Parameter) -> Result<(), String> {
    if !parameter.has(raw::PARAMETER_IS_LIST) {
        return check_one(name, value, parameter);
    }
    let items = value.list().ok_or_else(|| format!("'{}' is a list", name))?;
    items.iter().try_for_each(|item| check_one(name, item, parameter))
}

fn check_one(name: &str, value: &Value, parameter: &Parameter) -> Result<(), String> {
    let is_choice = |text: &str| parameter.choices.contains(&text);
    let (fits, what) = match parameter.raw.kind {
        raw::PARAMETER_BOOLEAN => (value.boolean().is_some(), "true or false"),
        raw::PARAMETER_INTEGER => (value.integer().is_some(), "a whole number"),
        raw::PARAMETER_NUMBER => (value.number().is_some(), "a number"),
        raw::PARAMETER_TEXT => (value.text().is_some(), "text"),
        raw::PARAMETER_CHOICE => (value.text().map_or(false, is_choice), "one of its choices"),
        raw::PARAMETER_DURATION => (value.duration().is_some(), "a duration, such as 90s or 1h"),
        raw::PARAMETER_CONDITION => (matches!(value, Value::Map(_)), "a condition"),
        raw::PARAMETER_OBJECT => return check_members(value, &parameter.members),
        _ => (true, "anything"),
    };
    if fits { Ok(()) } else { Err(format!("'{}' is {}", name, what)) }
}
