//! Where decisions are delivered to.

use super::raw;
use super::{guarded, Duration, Host, Instant, Parameter, Parameters, Value};
use std::os::raw::c_void;
use std::ptr::null_mut;

/// A type of sinks. Each sink of the configuration has a process of its own with one of these, which is given one decision after
/// the other.
///
/// It may use the network, files and clocks as it likes. When it crashes, ends the process or takes too long, the attempt has
/// failed, and the decision comes again in a new process. Dropped when the process is to end, which has a second for it.
pub trait Sink: Sized + 'static {
    /// What `type:` of a sink names; unique among the types of sinks of the host.
    const NAME: &'static str;
    /// One sentence on what it does.
    const SUMMARY: &'static str;

    fn parameters() -> Vec<Parameter> {
        Vec::new()
    }

    /// Takes parameters that fit their description. After an error the attempt has failed, and the next one tries it again.
    fn new(parameters: &Parameters, host: Host) -> Result<Self, String>;

    /// Delivers a decision, and returns when that is done or has failed.
    fn deliver(&mut self, delivery: &Delivery) -> Delivered;
}

/// What became of an attempt. Each but the first has a sentence that says why.
#[derive(Clone, PartialEq, Debug)]
pub enum Delivered {
    Taken,
    /// Not this one for now: its subject waits, others go on.
    Later(String),
    /// Not this one, whatever comes: it is given up, and told of.
    Never(String),
    /// Nothing goes now: after some of these the sink is left alone for a while.
    Failed(String),
    /// Nothing any more, until an operator resumes the sink.
    Stopped(String),
}

/// An attempt to deliver one decision.
pub struct Delivery<'a>(&'a raw::Delivery);

impl Delivery<'_> {
    /// The same in each attempt: what was taken once may come again after a crash.
    pub fn id(&self) -> &str {
        self.0.id.str().unwrap_or("")
    }
    pub fn subject(&self) -> &str {
        self.0.subject.str().unwrap_or("")
    }
    /// `notification.created`, …
    pub fn kind(&self) -> &str {
        self.0.kind.str().unwrap_or("")
    }
    /// The whole decision, a line of JSON without its end.
    pub fn line(&self) -> &str {
        self.0.line.str().unwrap_or("")
    }
    /// The same as a mapping.
    pub fn decision(&self) -> Value {
        Value::of(unsafe { &*self.0.decision })
    }
    /// The time of day.
    pub fn now(&self) -> Instant {
        Instant(self.0.now)
    }
    /// What takes longer has failed.
    pub fn timeout(&self) -> Duration {
        Duration(self.0.timeout)
    }
}

// MARK: In C

/// The C table of a type of sinks: constant, never freed.
pub(crate) fn sink_table<S: Sink>() -> &'static raw::SinkType {
    Box::leak(Box::new(raw::SinkType {
        name: raw::Text::of(S::NAME),
        summary: raw::Text::of(S::SUMMARY),
        parameters: Parameter::root(S::parameters()),
        kind: null_mut(),
        create: create::<S>,
        deliver: deliver::<S>,
        destroy: destroy::<S>,
    }))
}

extern "C" fn create<S: Sink>(
    _: *mut c_void, host: *const raw::Host, parameters: *const raw::Value, error: *const raw::Sink,
) -> *mut c_void {
    let made = guarded(|| S::new(&Parameters::checked(parameters, &S::parameters())?, Host(host)));
    match made.and_then(|made| made) {
        Ok(sink) => Box::into_raw(Box::new(sink)) as *mut c_void,
        Err(why) => {
            unsafe { &*error }.say(&why);
            null_mut()
        }
    }
}

extern "C" fn deliver<S: Sink>(instance: *mut c_void, delivery: *const raw::Delivery, why: *const raw::Sink) -> u32 {
    let sink = unsafe { &mut *(instance as *mut S) };
    let (code, sentence) = match guarded(|| sink.deliver(&Delivery(unsafe { &*delivery }))) {
        Ok(Delivered::Taken) => return raw::DELIVERED,
        Ok(Delivered::Later(why)) => (raw::DELIVER_LATER, why),
        Ok(Delivered::Never(why)) => (raw::DELIVER_NEVER, why),
        Ok(Delivered::Failed(why)) => (raw::DELIVERY_FAILED, why),
        Ok(Delivered::Stopped(why)) => (raw::DELIVERY_STOPPED, why),
        Err(why) => (raw::DELIVERY_FAILED, why),
    };
    unsafe { &*why }.say(&sentence);
    code
}

extern "C" fn destroy<S>(instance: *mut c_void) {
    let _ = guarded(|| drop(unsafe { Box::from_raw(instance as *mut S) }));
}
