//! What the host offers.

use super::raw;
use super::{Candidate, Context, Instant, Value};
use std::os::raw::{c_char, c_void};
use std::ptr::{null, NonNull};

/// The host; it may be kept.
#[derive(Clone, Copy)]
pub struct Host(pub(crate) *const raw::Host);

// Constant, and valid until the process ends.
unsafe impl Send for Host {}
unsafe impl Sync for Host {}

/// What a host may offer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Service {
    Log,
    LocalTime,
    Conditions,
    Attributes,
    Scratch,
    Current,
    Digest,
}

impl Service {
    /// The name of the extension.
    pub fn id(self) -> &'static str {
        let id = self.terminated();
        &id[..id.len() - 1]
    }

    /// With the NUL that C needs.
    fn terminated(self) -> &'static str {
        match self {
            Service::Log => "belfry.log/1\0",
            Service::LocalTime => "belfry.local-time/1\0",
            Service::Conditions => "belfry.conditions/1\0",
            Service::Attributes => "belfry.attributes/1\0",
            Service::Scratch => "belfry.scratch/1\0",
            Service::Current => "belfry.current/1\0",
            Service::Digest => "belfry.digest/1\0",
        }
    }
}

pub enum Level {
    Debug,
    Info,
    Warning,
    Error,
}

impl Host {
    pub fn offers(&self, service: Service) -> bool {
        self.find(service).is_some()
    }

    /// Refuses a host without that service, for `new`. `purpose` ends the sentence "… is needed for".
    pub fn require(&self, service: Service, purpose: &str) -> Result<(), String> {
        if self.offers(service) {
            return Ok(());
        }
        let host = unsafe { self.0.as_ref() };
        let name = host.and_then(|host| host.name.str()).unwrap_or("the host");
        let version = host.and_then(|host| host.version.str()).unwrap_or("");
        let id = service.id();
        Err(format!("{id} is needed for {purpose}, but {name} {version} does not offer it; run a newer host"))
    }

    /// Tells the operator something.
    pub fn log(&self, level: Level, message: &str) {
        if let Some(log) = self.table::<raw::Log>(Service::Log) {
            (log.write)(self.0, level as u32, message.as_ptr(), message.len() as u64)
        }
    }

    /// The zone of that IANA name; none if there is none.
    pub fn zone(&self, name: &str) -> Option<Zone> {
        let table = self.table::<raw::LocalTime>(Service::LocalTime)?;
        let zone = (table.zone_named)(self.0, name.as_ptr(), name.len() as u64);
        (!zone.is_null()).then_some(Zone { table: Some(table), zone })
    }

    /// Compiles a parameter that is a condition; says in a sentence what is wrong with it.
    pub fn condition(&self, source: &Value) -> Result<Condition, String> {
        let table = self.table::<raw::Conditions>(Service::Conditions);
        let table = table.ok_or("this host has no conditions: it has to offer belfry.conditions/1")?;
        let (condition, sentence) =
            raw::Sink::collect(|error| source.lend(|source| (table.compile)(self.0, source, error)));
        if condition.is_null() { Err(sentence) } else { Ok(Condition { table, condition }) }
    }

    pub(crate) fn attribute(&self, path: &str, context: &raw::Context) -> Option<Value> {
        let table = self.table::<raw::Attributes>(Service::Attributes)?;
        unsafe { (table.value)(context, path.as_ptr(), path.len() as u64).as_ref() }.map(Value::of)
    }

    pub(crate) fn zone_of_subject(&self, context: &raw::Context) -> Zone {
        match self.table::<raw::LocalTime>(Service::LocalTime) {
            Some(table) => Zone { table: Some(table), zone: (table.zone_of_subject)(context) },
            None => Zone::UTC,
        }
    }

    /// Memory until the hook returns.
    pub(crate) fn scratch(&self, size: usize, context: &raw::Context) -> *mut u8 {
        let table = self.table::<raw::Scratch>(Service::Scratch);
        let table = table.expect("a text or list of a state needs a host that offers belfry.scratch/1");
        let memory = (table.allocate)(context, size as u64) as *mut u8;
        assert!(!memory.is_null(), "a text or list of a state has more than 16 MiB");
        memory
    }

    pub(crate) fn current(&self) -> Option<&'static raw::Current> {
        self.table(Service::Current)
    }

    pub(crate) fn digest(&self) -> Option<&'static raw::Digest> {
        self.table(Service::Digest)
    }

    /// - T: the table of that service.
    fn table<T>(&self, service: Service) -> Option<&'static T> {
        self.find(service).map(|table| unsafe { &*(table.as_ptr() as *const T) })
    }

    fn find(&self, service: Service) -> Option<NonNull<c_void>> {
        let host = unsafe { self.0.as_ref() }?;
        let id = service.terminated().as_ptr() as *const c_char;
        NonNull::new((host.get_extension)(self.0, id) as *mut c_void)
    }
}

/// A time zone of the host. Good until the process ends.
#[derive(Clone, Copy)]
pub struct Zone {
    table: Option<&'static raw::LocalTime>,
    zone: *const c_void,
}

// Constant data of the host.
unsafe impl Send for Zone {}
unsafe impl Sync for Zone {}

const DAY: i64 = 86_400_000;

impl Zone {
    pub const UTC: Zone = Zone { table: None, zone: null() };

    /// What to add to UTC, in s.
    pub fn offset(&self, instant: Instant) -> i32 {
        self.table.map_or(0, |table| (table.offset)(self.zone, instant.0))
    }

    /// The first instant after this one at which the offset changes; none if it never does again.
    pub fn next_transition(&self, instant: Instant) -> Option<Instant> {
        let mut next = 0;
        let found = (self.table?.next_transition)(self.zone, instant.0, &mut next);
        (found != 0).then_some(Instant(next))
    }

    /// The local date at that instant, in days since 1970-01-01.
    pub fn local_day(&self, instant: Instant) -> i64 {
        self.table.map_or(instant.0.div_euclid(DAY), |table| (table.local_day)(self.zone, instant.0))
    }

    /// The first existing instant of a local date; of a date that the zone skipped, that of the next existing one.
    pub fn start_of_day(&self, day: i64) -> Instant {
        Instant(self.table.map_or(day * DAY, |table| (table.start_of_day)(self.zone, day)))
    }
}

/// A condition of the configuration.
pub struct Condition {
    table: &'static raw::Conditions,
    pub(crate) condition: *const c_void,
}

// Constant until it is released.
unsafe impl Send for Condition {}
unsafe impl Sync for Condition {}

impl Condition {
    /// Whether it holds. With a candidate the roots `campaign`, `region`, `trigger` and `data` are there too.
    pub fn holds(&self, candidate: Option<&Candidate>, context: &Context) -> bool {
        let candidate = candidate.map_or(null(), |candidate| candidate.0 as *const raw::Candidate);
        (self.table.holds)(self.condition, candidate, context.raw) != 0
    }
}

impl Drop for Condition {
    fn drop(&mut self) {
        (self.table.release)(self.condition)
    }
}
