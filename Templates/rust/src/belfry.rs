//! The plugin contract of Belfry for strategies, as safe Rust. Only C crosses between host and plugin: `raw` below is
//! `belfry.h`, what is public is for authors. Copy it along; it needs no crate.
//!
//! Instants are milliseconds since 1970-01-01T00:00:00Z, durations are milliseconds.
#![allow(dead_code)]

use std::ffi::c_void;
use std::marker::PhantomData;
use std::panic::{catch_unwind, AssertUnwindSafe};

// MARK: What an author writes

/// Decides which notifications ring. It holds its parameters and never changes: it is used for different subjects at once.
pub trait Strategy: Sized + Send + Sync + 'static {
    /// What `strategy:` names in the configuration; unique in the host.
    const NAME: &'static str;
    /// One sentence on what it does.
    const SUMMARY: &'static str;
    /// The default of `per`; none: one counter for the subject.
    const DEFAULT_COUNTER: Option<&'static str> = None;
    type State: State;

    fn parameters() -> Vec<Parameter> {
        Vec::new()
    }

    /// Takes parameters that fit their description; says in a sentence if they make no sense together.
    fn new(parameters: &Parameters, host: Host) -> Result<Self, String>;

    /// May this be created? Pure: called any number of times, also to explain.
    fn should_create(&self, candidate: &Candidate, state: &Self::State, context: &Context) -> Verdict;
    /// Tells the outcome, to every strategy that was asked.
    fn did_create(&self, _candidate: &Candidate, _created: bool, _state: &mut Self::State, _context: &Context) {}
    /// May the current notification be deleted? Pure.
    fn should_delete(&self, _candidate: &Candidate, _state: &Self::State, _context: &Context) -> Verdict {
        Verdict::Abstain
    }
    /// Tells the outcome, to every strategy that was asked.
    fn did_delete(&self, _candidate: &Candidate, _deleted: bool, _state: &mut Self::State, _context: &Context) {}
    /// The notification was opened; each time.
    fn on_opened(&self, _candidate: &Candidate, _state: &mut Self::State, _context: &Context) {}
    fn on_background(&self, _state: &mut Self::State, _context: &Context) {}
    fn on_foreground(&self, _state: &mut Self::State, _context: &Context) {}
    /// The configuration changed since the state was last used; `self` has the new parameters.
    fn update_parameters(&self, _state: &mut Self::State, _context: &Context) {}
}

/// What is remembered of one subject, per counter. `Default` is that of a subject who is new.
pub trait State: Default {
    /// Of what `save` writes. Raise it when a key changes its meaning, and read the old form in `migrate`.
    const VERSION: u32 = 1;

    /// A key that is not there leaves the initial value.
    fn load(&mut self, reader: &Reader);
    /// Writes each key once.
    fn save(&self, writer: &Writer);
    /// Fills a new state from what an earlier version saved.
    fn migrate(&mut self, reader: &Reader, _version: u32) -> Result<(), String> {
        self.load(reader);
        Ok(())
    }
}

/// For a strategy that remembers nothing.
impl State for () {
    fn load(&mut self, _reader: &Reader) {}
    fn save(&self, _writer: &Writer) {}
}

pub enum Verdict {
    /// Not my question.
    Abstain,
    Allow,
    Deny(Reason),
    /// Ask everybody again at the reason's `until`, which must be there.
    Defer(Reason),
    /// The check itself failed; one sentence says how.
    Fault(String),
}

/// Why a rule does not allow something, and when it would.
pub struct Reason {
    code: Option<String>,
    message: String,
    until: Option<i64>,
}

impl Reason {
    /// One sentence for people.
    pub fn new(message: impl Into<String>) -> Self {
        Reason { code: None, message: message.into(), until: None }
    }

    /// A short word for machines, instead of the strategy's name.
    pub fn code(mut self, code: impl Into<String>) -> Self {
        self.code = Some(code.into());
        self
    }

    /// The first instant at which this rule would allow.
    pub fn until(mut self, instant: i64) -> Self {
        self.until = Some(instant);
        self
    }
}

/// Describes one parameter: it is checked, explained and turned into JSON Schema from this.
pub struct Parameter {
    raw: raw::Parameter,
    fallback: Option<raw::Value>,
}

impl Parameter {
    pub fn duration(name: &'static str, summary: &'static str) -> Self {
        Self::new(name, summary, 5)
    }
    pub fn integer(name: &'static str, summary: &'static str) -> Self {
        Self::new(name, summary, 2)
    }
    pub fn number(name: &'static str, summary: &'static str) -> Self {
        Self::new(name, summary, 3)
    }
    pub fn boolean(name: &'static str, summary: &'static str) -> Self {
        Self::new(name, summary, 1)
    }
    pub fn text(name: &'static str, summary: &'static str) -> Self {
        Self::new(name, summary, 4)
    }

    fn new(name: &'static str, summary: &'static str, kind: u32) -> Self {
        let mut raw = raw::Parameter::zero();
        raw.name = raw::Text::of(name);
        raw.summary = raw::Text::of(summary);
        raw.kind = kind;
        Parameter { raw, fallback: None }
    }

    /// Must be given.
    pub fn required(mut self) -> Self {
        self.raw.flags |= 1;
        self
    }

    /// Inclusive; a duration in ms.
    pub fn at_least(mut self, minimum: i64) -> Self {
        self.raw.flags |= 4;
        self.raw.minimum = minimum as f64;
        self
    }

    /// Inclusive; a duration in ms.
    pub fn at_most(mut self, maximum: i64) -> Self {
        self.raw.flags |= 8;
        self.raw.maximum = maximum as f64;
        self
    }

    /// For durations (in ms) and whole numbers.
    pub fn default(mut self, number: i64) -> Self {
        let kind = if self.raw.kind == 5 { raw::DURATION } else { raw::INTEGER };
        self.fallback = Some(raw::Value { integer: number, number: number as f64, ..raw::Value::of(kind) });
        self
    }

    /// For numbers with a fraction.
    pub fn default_number(mut self, number: f64) -> Self {
        self.fallback = Some(raw::Value { number, ..raw::Value::of(raw::NUMBER) });
        self
    }
}

// MARK: What an author is given. Borrowed from the host until the call returns.

/// A JSON value of the host.
#[derive(Clone, Copy)]
pub struct Value<'a>(&'a raw::Value);

impl<'a> Value<'a> {
    /// Whole numbers, durations and instants.
    pub fn integer(&self) -> Option<i64> {
        matches!(self.0.kind, raw::INTEGER | raw::DURATION | raw::INSTANT).then_some(self.0.integer)
    }
    pub fn number(&self) -> Option<f64> {
        match self.0.kind {
            raw::INTEGER => Some(self.0.integer as f64),
            raw::NUMBER => Some(self.0.number),
            _ => None,
        }
    }
    pub fn boolean(&self) -> Option<bool> {
        (self.0.kind == raw::BOOLEAN).then_some(self.0.integer != 0)
    }
    pub fn text(&self) -> Option<&'a str> {
        if self.0.kind == raw::TEXT { self.0.text.str() } else { None }
    }
    /// Of a list or a mapping.
    pub fn items(&self) -> impl Iterator<Item = Value<'a>> {
        let is_many = matches!(self.0.kind, raw::LIST | raw::MAP);
        let count = if is_many { self.0.count as usize } else { 0 };
        let items: &'a [raw::Value] =
            if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(self.0.items, count) } };
        items.iter().map(Value)
    }
    /// Of a member of a mapping.
    pub fn key(&self) -> Option<&'a str> {
        self.0.key.str()
    }
    pub fn get(&self, key: &str) -> Option<Value<'a>> {
        self.items().find(|item| item.key() == Some(key))
    }
}

/// The parameters of one place in the configuration, checked by the host.
pub struct Parameters<'a>(Option<&'a raw::Value>);

impl<'a> Parameters<'a> {
    pub fn get(&self, name: &str) -> Option<Value<'a>> {
        self.0.and_then(|map| Value(map).get(name))
    }
    /// A whole number, or a duration in ms.
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.get(name)?.integer()
    }
    pub fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.number()
    }
    pub fn boolean(&self, name: &str) -> Option<bool> {
        self.get(name)?.boolean()
    }
    pub fn text(&self, name: &str) -> Option<&'a str> {
        self.get(name)?.text()
    }
}

/// A notification that may be created, or a current one.
pub struct Candidate<'a>(&'a raw::Candidate);

impl<'a> Candidate<'a> {
    pub fn campaign(&self) -> &'a str {
        self.0.campaign.str().unwrap_or("")
    }
    pub fn trigger(&self) -> Option<&'a str> {
        self.0.trigger.str()
    }
    /// What the trigger is on: enter, exit, dwell, near, away, request or a signal type.
    pub fn event(&self) -> Option<&'a str> {
        self.0.event.str()
    }
    pub fn region(&self) -> Option<&'a str> {
        self.0.region.str()
    }
    /// Absent before it is created.
    pub fn notification(&self) -> Option<&'a str> {
        self.0.notification.str()
    }
    /// The key that the state of this call is kept under; absent for `per: subject`.
    pub fn counter(&self) -> Option<&'a str> {
        self.0.counter.str()
    }
    pub fn title(&self) -> Option<&'a str> {
        self.0.title.str()
    }
    pub fn message(&self) -> Option<&'a str> {
        self.0.message.str()
    }
    /// It was deferred before and is asked again now.
    pub fn is_deferred(&self) -> bool {
        self.0.deferred != 0
    }
    /// Of the campaign; larger first.
    pub fn priority(&self) -> i64 {
        self.0.priority
    }
    pub fn data(&self) -> Option<Value<'a>> {
        unsafe { self.0.data.as_ref() }.map(Value)
    }
}

/// The circumstances of one call: all that a strategy may know of the world. There is no other clock.
pub struct Context<'a>(&'a raw::Context);

impl<'a> Context<'a> {
    /// Event time.
    pub fn now(&self) -> i64 {
        self.0.now
    }
    pub fn subject(&self) -> &'a str {
        self.0.subject.str().unwrap_or("")
    }
    pub fn channel(&self) -> Option<&'a str> {
        self.0.channel.str()
    }
    /// Since when the app is in the foreground; none if it is not, or not known to be.
    pub fn foreground_since(&self) -> Option<i64> {
        (self.0.app == 1).then_some(self.0.app_since)
    }
    /// Since when the app is in the background; none if it is not, or not known to be.
    pub fn background_since(&self) -> Option<i64> {
        (self.0.app == 2).then_some(self.0.app_since)
    }
}

/// The host; it may be kept.
#[derive(Clone, Copy)]
pub struct Host(*const raw::Host);

// Constant, and valid until the process ends.
unsafe impl Send for Host {}
unsafe impl Sync for Host {}

impl Host {
    /// Tells the operator something. Levels are 0 debug, 1 info, 2 warning, 3 error.
    pub fn log(&self, level: u32, message: &str) {
        if let Some(log) = self.table::<raw::Log>(b"belfry.log/1\0") {
            (log.write)(self.0, level, message.as_ptr(), message.len() as u64)
        }
    }

    /// The attribute at a dotted path: `tier`, `user.tier`, `channel.osVersion`, `history.welcome.count`.
    pub fn attribute<'a>(&self, path: &str, context: &Context<'a>) -> Option<Value<'a>> {
        let table = self.table::<raw::Attributes>(b"belfry.attributes/1\0")?;
        unsafe { (table.value)(context.0, path.as_ptr(), path.len() as u64).as_ref() }.map(Value)
    }

    fn table<T>(&self, id: &'static [u8]) -> Option<&'static T> {
        let host = unsafe { self.0.as_ref() }?;
        unsafe { ((host.get_extension)(self.0, id.as_ptr()) as *const T).as_ref() }
    }
}

/// Reads what was saved, by key; none if the key is not there with that type.
pub struct Reader<'a>(&'a raw::Reader);

impl<'a> Reader<'a> {
    pub fn integer(&self, key: &str) -> Option<i64> {
        let mut out = 0;
        (self.0.integer)(self.0.owner, key.as_ptr(), key.len() as u64, &mut out).then(out)
    }
    pub fn number(&self, key: &str) -> Option<f64> {
        let mut out = 0.0;
        (self.0.number)(self.0.owner, key.as_ptr(), key.len() as u64, &mut out).then(out)
    }
    pub fn boolean(&self, key: &str) -> Option<bool> {
        let mut out = 0;
        (self.0.boolean)(self.0.owner, key.as_ptr(), key.len() as u64, &mut out).then(out != 0)
    }
    pub fn instant(&self, key: &str) -> Option<i64> {
        let mut out = 0;
        (self.0.instant)(self.0.owner, key.as_ptr(), key.len() as u64, &mut out).then(out)
    }
    pub fn text(&self, key: &str) -> Option<&'a str> {
        let mut out = raw::Text::ABSENT;
        (self.0.text)(self.0.owner, key.as_ptr(), key.len() as u64, &mut out).then(())?;
        out.str()
    }
    pub fn integers(&self, key: &str) -> Option<Vec<i64>> {
        let (mut items, mut count) = (std::ptr::null(), 0);
        (self.0.integers)(self.0.owner, key.as_ptr(), key.len() as u64, &mut items, &mut count).then(())?;
        Some(if count == 0 { Vec::new() } else { unsafe { std::slice::from_raw_parts(items, count as usize) }.to_vec() })
    }
}

/// Writes state by key, each key once.
pub struct Writer<'a>(&'a raw::Writer);

impl Writer<'_> {
    pub fn integer(&self, key: &str, value: i64) {
        (self.0.integer)(self.0.owner, key.as_ptr(), key.len() as u64, value)
    }
    pub fn number(&self, key: &str, value: f64) {
        (self.0.number)(self.0.owner, key.as_ptr(), key.len() as u64, value)
    }
    pub fn boolean(&self, key: &str, value: bool) {
        (self.0.boolean)(self.0.owner, key.as_ptr(), key.len() as u64, value as u32)
    }
    pub fn instant(&self, key: &str, value: i64) {
        (self.0.instant)(self.0.owner, key.as_ptr(), key.len() as u64, value)
    }
    pub fn text(&self, key: &str, value: &str) {
        (self.0.text)(self.0.owner, key.as_ptr(), key.len() as u64, value.as_ptr(), value.len() as u64)
    }
    pub fn integers(&self, key: &str, value: &[i64]) {
        (self.0.integers)(self.0.owner, key.as_ptr(), key.len() as u64, value.as_ptr(), value.len() as u64)
    }
}

trait Found {
    fn then<T>(self, value: T) -> Option<T>;
}

impl Found for u32 {
    fn then<T>(self, value: T) -> Option<T> {
        (self != 0).then_some(value)
    }
}

// MARK: The plugin

/// Makes the entry: `plugin!("id", "version", Strategy, …);`, once.
#[macro_export]
macro_rules! belfry_plugin {
    ($id:expr, $version:expr, $($strategy:ty),+) => {
        #[no_mangle]
        pub extern "C" fn belfry_plugin_entry_v1(_hello: *const std::ffi::c_void) -> *const std::ffi::c_void {
            static ROOT: std::sync::OnceLock<$crate::belfry::Root> = std::sync::OnceLock::new();
            ROOT.get_or_init(|| {
                $crate::belfry::Root::new($id, $version, vec![$($crate::belfry::table::<$strategy>()),+])
            })
            .pointer()
        }
    };
}
pub use crate::belfry_plugin as plugin;

/// The constant tables of a plugin: made once, never freed.
pub struct Root(&'static raw::Plugin);

// Constant.
unsafe impl Send for Root {}
unsafe impl Sync for Root {}

/// What `get_extension` finds: it is given nothing but a name.
static STRATEGIES: std::sync::OnceLock<Strategies> = std::sync::OnceLock::new();

struct Strategies(raw::Strategies);
unsafe impl Send for Strategies {}
unsafe impl Sync for Strategies {}

impl Root {
    pub fn new(id: &'static str, version: &'static str, strategies: Vec<Table>) -> Self {
        let items: &'static [&'static raw::Strategy] = Box::leak(strategies.iter().map(|table| table.0).collect());
        STRATEGIES.get_or_init(|| {
            Strategies(raw::Strategies { items: items.as_ptr() as *const *const raw::Strategy, count: items.len() as u64 })
        });
        Root(Box::leak(Box::new(raw::Plugin {
            magic: 0x42454c4652593031,
            abi_major: 1,
            abi_minor: 0,
            size: std::mem::size_of::<raw::Plugin>() as u32,
            flags: 0,
            id: raw::Text::of(id),
            version: raw::Text::of(version),
            built_with: raw::Text::of("Rust"),
            init: std::ptr::null(),
            deinit: std::ptr::null(),
            get_extension,
            reserved: [0; 4],
        })))
    }

    pub fn pointer(&self) -> *const c_void {
        self.0 as *const raw::Plugin as *const c_void
    }
}

extern "C" fn get_extension(id: *const std::ffi::c_char) -> *const c_void {
    let is_strategies = unsafe { std::ffi::CStr::from_ptr(id) }.to_bytes() == b"belfry.strategy/1";
    match STRATEGIES.get() {
        Some(table) if is_strategies => &table.0 as *const raw::Strategies as *const c_void,
        _ => std::ptr::null(),
    }
}

/// One strategy behind its C table.
pub struct Table(pub(crate) &'static raw::Strategy);

pub fn table<S: Strategy>() -> Table {
    let hooks = Hooks::<S>(PhantomData);
    Table(Box::leak(Box::new(hooks.table())))
}

/// The C functions of a strategy. A panic must not cross to the host: a check that panics is a fault, a hook that does changes
/// nothing more.
struct Hooks<S>(PhantomData<S>);

impl<S: Strategy> Hooks<S> {
    fn table(&self) -> raw::Strategy {
        raw::Strategy {
            name: raw::Text::of(S::NAME),
            summary: raw::Text::of(S::SUMMARY),
            parameters: Self::description(),
            default_counter: S::DEFAULT_COUNTER.map_or(raw::Text::ABSENT, raw::Text::of),
            before: std::ptr::null(),
            before_count: 0,
            after: std::ptr::null(),
            after_count: 0,
            order_reason: raw::Text::ABSENT,
            kind: std::ptr::null_mut(),
            state_size: std::mem::size_of::<S::State>() as u64,
            state_alignment: std::mem::align_of::<S::State>() as u64,
            state_version: S::State::VERSION,
            reserved: 0,
            create: Self::create,
            destroy: Self::destroy,
            state_init: Self::state_init,
            state_destroy: Self::state_destroy,
            state_load: Self::state_load,
            state_save: Self::state_save,
            should_create: Self::should_create,
            did_create: Self::did_create,
            should_delete: Self::should_delete,
            did_delete: Self::did_delete,
            on_opened: Self::on_opened,
            on_background: Self::on_background,
            on_foreground: Self::on_foreground,
            on_start_monitoring: std::ptr::null(),
            update_parameters: Self::update_parameters,
        }
    }

    /// Null where there is nothing to configure.
    fn description() -> *const raw::Parameter {
        let members: Vec<raw::Parameter> = S::parameters()
            .into_iter()
            .map(|parameter| {
                let mut raw = parameter.raw;
                if let Some(value) = parameter.fallback {
                    raw.default_value = Box::leak(Box::new(value));
                }
                raw
            })
            .collect();
        if members.is_empty() {
            return std::ptr::null();
        }
        let mut root = raw::Parameter::zero();
        root.kind = 8;
        // Whatever needs a parameter needs parameters.
        root.flags = members.iter().fold(0, |flags, member| flags | member.flags & 1);
        root.member_count = members.len() as u64;
        root.members = Box::leak(members.into_boxed_slice()).as_ptr();
        Box::leak(Box::new(root))
    }

    extern "C" fn create(
        _: *mut c_void, host: *const raw::Host, parameters: *const raw::Value, error: *const raw::Sink,
    ) -> *mut c_void {
        let parameters = unsafe { parameters.as_ref() };
        let made = guarded(|| {
            check(parameters, &S::parameters())?;
            S::new(&Parameters(parameters), Host(host))
        });
        let made = made.and_then(|made| made);
        match made {
            Ok(instance) => Box::into_raw(Box::new(instance)) as *mut c_void,
            Err(why) => {
                unsafe { &*error }.say(&why);
                std::ptr::null_mut()
            }
        }
    }

    extern "C" fn destroy(instance: *mut c_void) {
        let _ = guarded(|| drop(unsafe { Box::from_raw(instance as *mut S) }));
    }

    extern "C" fn state_init(_: *mut c_void, state: *mut c_void) {
        if state.is_null() {
            return;
        }
        unsafe { (state as *mut S::State).write(S::State::default()) }
    }

    extern "C" fn state_destroy(_: *mut c_void, state: *mut c_void) {
        let _ = guarded(|| unsafe { (lent_mut(state) as *mut S::State).drop_in_place() });
    }

    extern "C" fn state_load(
        _: *mut c_void, state: *mut c_void, version: u32, reader: *const raw::Reader, error: *const raw::Sink,
    ) -> i32 {
        let state: &mut S::State = unsafe { lent_mut(state) };
        let reader = Reader(unsafe { &*reader });
        let loaded = guarded(|| {
            if version < S::State::VERSION {
                return state.migrate(&reader, version);
            }
            state.load(&reader);
            Ok(())
        });
        match loaded.and_then(|loaded| loaded) {
            Ok(()) => 0,
            Err(why) => {
                unsafe { &*error }.say(&why);
                1
            }
        }
    }

    extern "C" fn state_save(_: *mut c_void, state: *const c_void, writer: *const raw::Writer) {
        let _ = guarded(|| unsafe { lent::<S::State>(state) }.save(&Writer(unsafe { &*writer })));
    }

    extern "C" fn should_create(
        instance: *mut c_void, state: *const c_void, candidate: *const raw::Candidate, context: *const raw::Context,
        reason: *const raw::Reason,
    ) -> u32 {
        let (strategy, state) = unsafe { (&*(instance as *const S), lent::<S::State>(state)) };
        let (candidate, context) = unsafe { (Candidate(&*candidate), Context(&*context)) };
        answer(guarded(|| strategy.should_create(&candidate, state, &context)), unsafe { &*reason })
    }

    extern "C" fn should_delete(
        instance: *mut c_void, state: *const c_void, candidate: *const raw::Candidate, context: *const raw::Context,
        reason: *const raw::Reason,
    ) -> u32 {
        let (strategy, state) = unsafe { (&*(instance as *const S), lent::<S::State>(state)) };
        let (candidate, context) = unsafe { (Candidate(&*candidate), Context(&*context)) };
        answer(guarded(|| strategy.should_delete(&candidate, state, &context)), unsafe { &*reason })
    }

    extern "C" fn did_create(
        instance: *mut c_void, state: *mut c_void, candidate: *const raw::Candidate, created: u32,
        context: *const raw::Context,
    ) {
        let (strategy, state) = unsafe { (&*(instance as *const S), lent_mut::<S::State>(state)) };
        let (candidate, context) = unsafe { (Candidate(&*candidate), Context(&*context)) };
        let _ = guarded(|| strategy.did_create(&candidate, created != 0, state, &context));
    }

    extern "C" fn did_delete(
        instance: *mut c_void, state: *mut c_void, candidate: *const raw::Candidate, deleted: u32,
        context: *const raw::Context,
    ) {
        let (strategy, state) = unsafe { (&*(instance as *const S), lent_mut::<S::State>(state)) };
        let (candidate, context) = unsafe { (Candidate(&*candidate), Context(&*context)) };
        let _ = guarded(|| strategy.did_delete(&candidate, deleted != 0, state, &context));
    }

    extern "C" fn on_opened(
        instance: *mut c_void, state: *mut c_void, candidate: *const raw::Candidate, context: *const raw::Context,
    ) {
        let (strategy, state) = unsafe { (&*(instance as *const S), lent_mut::<S::State>(state)) };
        let (candidate, context) = unsafe { (Candidate(&*candidate), Context(&*context)) };
        let _ = guarded(|| strategy.on_opened(&candidate, state, &context));
    }

    extern "C" fn on_background(instance: *mut c_void, state: *mut c_void, context: *const raw::Context) {
        let (strategy, state) = unsafe { (&*(instance as *const S), lent_mut::<S::State>(state)) };
        let _ = guarded(|| strategy.on_background(state, &Context(unsafe { &*context })));
    }

    extern "C" fn on_foreground(instance: *mut c_void, state: *mut c_void, context: *const raw::Context) {
        let (strategy, state) = unsafe { (&*(instance as *const S), lent_mut::<S::State>(state)) };
        let _ = guarded(|| strategy.on_foreground(state, &Context(unsafe { &*context })));
    }

    extern "C" fn update_parameters(instance: *mut c_void, state: *mut c_void, context: *const raw::Context) {
        let (strategy, state) = unsafe { (&*(instance as *const S), lent_mut::<S::State>(state)) };
        let _ = guarded(|| strategy.update_parameters(state, &Context(unsafe { &*context })));
    }
}

/// Whether parameters are what their description says. The host has checked them already; another one may not.
fn check(parameters: Option<&raw::Value>, described: &[Parameter]) -> Result<(), String> {
    if matches!(parameters, Some(whole) if whole.kind != raw::MAP) {
        return Err("parameters are a mapping".into());
    }
    for parameter in described {
        let name = parameter.raw.name.str().unwrap_or("");
        let (kinds, what): (&[u32], &str) = match parameter.raw.kind {
            1 => (&[raw::BOOLEAN], "true or false"),
            2 => (&[raw::INTEGER], "a whole number"),
            3 => (&[raw::INTEGER, raw::NUMBER], "a number"),
            4 => (&[raw::TEXT], "text"),
            _ => (&[raw::DURATION], "a duration, such as 90s or 1h"),
        };
        match parameters.and_then(|map| Value(map).get(name)) {
            Some(given) if !kinds.contains(&given.0.kind) => return Err(format!("'{}' is {}", name, what)),
            None if parameter.raw.flags & 1 != 0 => return Err(format!("'{}' is missing", name)),
            _ => {}
        }
    }
    Ok(())
}

/// The state at that place; one without a size is nowhere.
unsafe fn lent<'a, T>(state: *const c_void) -> &'a T {
    &*(if state.is_null() { std::ptr::NonNull::dangling().as_ptr() } else { state as *const T })
}

unsafe fn lent_mut<'a, T>(state: *mut c_void) -> &'a mut T {
    &mut *(if state.is_null() { std::ptr::NonNull::dangling().as_ptr() } else { state as *mut T })
}

/// Runs what an author wrote; a panic becomes its sentence.
fn guarded<T>(body: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(body)).map_err(|panic| {
        let said = panic.downcast_ref::<&str>().map(|said| said.to_string());
        let said = said.or_else(|| panic.downcast_ref::<String>().cloned());
        format!("it panicked: {}", said.unwrap_or_else(|| "without a word".into()))
    })
}

fn answer(verdict: Result<Verdict, String>, reason: &raw::Reason) -> u32 {
    let verdict = verdict.unwrap_or_else(Verdict::Fault);
    let (number, why) = match verdict {
        Verdict::Abstain => return 0,
        Verdict::Allow => return 1,
        Verdict::Deny(why) => (2, why),
        Verdict::Defer(why) => (3, why),
        Verdict::Fault(message) => (4, Reason::new(message)),
    };
    let code = why.code.as_deref().map_or(raw::Text::ABSENT, raw::Text::lent);
    (reason.explain)(reason.owner, &code, &raw::Text::lent(&why.message));
    if let Some(until) = why.until {
        (reason.until)(reason.owner, until);
    }
    number
}

// MARK: belfry.h

/// The structs of the contract as C lays them out. A released struct never changes, so these do not either.
pub(crate) mod raw {
    use std::ffi::{c_char, c_void};

    pub const BOOLEAN: u32 = 1;
    pub const INTEGER: u32 = 2;
    pub const NUMBER: u32 = 3;
    pub const TEXT: u32 = 4;
    pub const LIST: u32 = 5;
    pub const MAP: u32 = 6;
    pub const DURATION: u32 = 7;
    pub const INSTANT: u32 = 8;

    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct Text {
        pub bytes: *const u8,
        pub length: u64,
    }

    impl Text {
        pub const ABSENT: Text = Text { bytes: std::ptr::null(), length: 0 };

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
            std::str::from_utf8(unsafe { std::slice::from_raw_parts(self.bytes, self.length as usize) }).ok()
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
            Value { kind, reserved: 0, integer: 0, number: 0.0, text, key, items: std::ptr::null(), count: 0 }
        }
    }

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
                default_value: std::ptr::null(),
                choices: std::ptr::null(),
                choice_count: 0,
                replaces: std::ptr::null(),
                replaces_count: 0,
                members: std::ptr::null(),
                member_count: 0,
            }
        }
    }

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

    #[repr(C)]
    pub struct Host {
        pub abi_major: u32,
        pub abi_minor: u32,
        pub name: Text,
        pub version: Text,
        pub owner: *mut c_void,
        pub get_extension: extern "C" fn(*const Host, *const u8) -> *const c_void,
    }

    #[repr(C)]
    pub struct Log {
        pub write: extern "C" fn(*const Host, u32, *const u8, u64),
    }

    #[repr(C)]
    pub struct Attributes {
        pub value: extern "C" fn(*const Context, *const u8, u64) -> *const Value,
    }

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

    #[repr(C)]
    pub struct Reason {
        pub owner: *mut c_void,
        pub explain: extern "C" fn(*mut c_void, *const Text, *const Text),
        pub until: extern "C" fn(*mut c_void, i64),
    }

    type Check = extern "C" fn(*mut c_void, *const c_void, *const Candidate, *const Context, *const Reason) -> u32;
    type Outcome = extern "C" fn(*mut c_void, *mut c_void, *const Candidate, u32, *const Context);
    type Move = extern "C" fn(*mut c_void, *mut c_void, *const Context);

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
        pub state_version: u32,
        pub reserved: u32,
        pub create: extern "C" fn(*mut c_void, *const Host, *const Value, *const Sink) -> *mut c_void,
        pub destroy: extern "C" fn(*mut c_void),
        pub state_init: extern "C" fn(*mut c_void, *mut c_void),
        pub state_destroy: extern "C" fn(*mut c_void, *mut c_void),
        pub state_load: extern "C" fn(*mut c_void, *mut c_void, u32, *const Reader, *const Sink) -> i32,
        pub state_save: extern "C" fn(*mut c_void, *const c_void, *const Writer),
        pub should_create: Check,
        pub did_create: Outcome,
        pub should_delete: Check,
        pub did_delete: Outcome,
        pub on_opened: extern "C" fn(*mut c_void, *mut c_void, *const Candidate, *const Context),
        pub on_background: Move,
        pub on_foreground: Move,
        pub on_start_monitoring: *const c_void,
        pub update_parameters: Move,
    }

    #[repr(C)]
    pub struct Strategies {
        pub items: *const *const Strategy,
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
        assert!(size_of::<Sink>() == 16);
        assert!(size_of::<Value>() == 72);
        assert!(size_of::<Parameter>() == 128);
        assert!(size_of::<Candidate>() == 216);
        assert!(size_of::<Context>() == 64);
        assert!(size_of::<Host>() == 56);
        assert!(size_of::<Log>() == 8);
        assert!(size_of::<Attributes>() == 8);
        assert!(size_of::<Reader>() == 64);
        assert!(size_of::<Writer>() == 64);
        assert!(size_of::<Reason>() == 24);
        assert!(size_of::<Strategy>() == 256);
        assert!(size_of::<Strategies>() == 16);
        assert!(size_of::<Plugin>() == 128);
    };
}
