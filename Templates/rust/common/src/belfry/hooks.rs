//! The C functions of a strategy.

use super::raw;
use super::{guarded, Candidate, Context, Host, Parameter, Parameters, Reason, State, Strategy, Told, Verdict};
use std::mem::{align_of, size_of};
use std::os::raw::c_void;
use std::ptr::null_mut;

/// The C table of a strategy: constant, never freed.
pub(crate) fn strategy_table<S: Strategy>() -> &'static raw::Strategy {
    let fields: Vec<raw::Field> = S::State::fields().into_iter().map(|field| field.0).collect();
    let saving = S::State::saving();
    // What has no state could not remember what it is told.
    let is_told = size_of::<S::State>() > 0;
    Box::leak(Box::new(raw::Strategy {
        name: raw::Text::of(S::NAME),
        summary: raw::Text::of(S::SUMMARY),
        parameters: Parameter::root(S::parameters()),
        default_counter: S::DEFAULT_COUNTER.map_or(raw::Text::ABSENT, raw::Text::of),
        before: names(S::BEFORE),
        before_count: S::BEFORE.len() as u64,
        after: names(S::AFTER),
        after_count: S::AFTER.len() as u64,
        order_reason: S::ORDER_REASON.map_or(raw::Text::ABSENT, raw::Text::of),
        kind: null_mut(),
        state_size: size_of::<S::State>() as u64,
        state_alignment: align_of::<S::State>() as u64,
        field_count: fields.len() as u64,
        fields: raw::leak(fields),
        state_version: saving.as_ref().map_or(0, |saving| saving.version),
        reserved: 0,
        create: create::<S>,
        destroy: destroy::<S>,
        state_init: state_init::<S::State>,
        state_destroy: saving.as_ref().map(|saving| saving.destroy),
        state_load: saving.as_ref().map(|saving| saving.load),
        state_save: saving.as_ref().map(|saving| saving.save),
        should_create: should_create::<S>,
        did_create: is_told.then_some(did_create::<S>),
        should_delete: should_delete::<S>,
        did_delete: is_told.then_some(did_delete::<S>),
        on_opened: is_told.then_some(on_opened::<S>),
        on_background: is_told.then_some(on_background::<S>),
        on_foreground: is_told.then_some(on_foreground::<S>),
        on_start_monitoring: (is_told && S::WATCHES_REGIONS).then_some(on_start_monitoring::<S>),
        update_parameters: is_told.then_some(update_parameters::<S>),
    }))
}

fn names(names: &[&'static str]) -> *const raw::Text {
    raw::leak(names.iter().map(|name| raw::Text::of(name)).collect())
}

/// What the host holds: hooks find the host through it.
struct Instance<S> {
    strategy: S,
    host: Host,
}

extern "C" fn create<S: Strategy>(
    _: *mut c_void, host: *const raw::Host, parameters: *const raw::Value, error: *const raw::Sink,
) -> *mut c_void {
    let host = Host(host);
    let made = guarded(|| S::new(&Parameters::checked(parameters, &S::parameters())?, host));
    match made.and_then(|made| made) {
        Ok(strategy) => Box::into_raw(Box::new(Instance { strategy, host })) as *mut c_void,
        Err(why) => {
            unsafe { &*error }.say(&why);
            null_mut()
        }
    }
}

extern "C" fn destroy<S>(instance: *mut c_void) {
    let _ = guarded(|| drop(unsafe { Box::from_raw(instance as *mut Instance<S>) }));
}

extern "C" fn state_init<T: Default>(_: *mut c_void, state: *mut c_void) {
    if size_of::<T>() > 0 {
        unsafe { (state as *mut T).write(T::default()) }
    }
}

// MARK: Questions

extern "C" fn should_create<S: Strategy>(
    instance: *mut c_void, state: *const c_void, candidate: *const raw::Candidate, context: *const raw::Context,
    reason: *const raw::Reason,
) -> u32 {
    let candidate = Candidate(unsafe { &*candidate });
    ask::<S>(instance, state, context, reason, |strategy, state, context| {
        strategy.should_create(&candidate, state, context)
    })
}

extern "C" fn should_delete<S: Strategy>(
    instance: *mut c_void, state: *const c_void, candidate: *const raw::Candidate, context: *const raw::Context,
    reason: *const raw::Reason,
) -> u32 {
    let candidate = Candidate(unsafe { &*candidate });
    ask::<S>(instance, state, context, reason, |strategy, state, context| {
        strategy.should_delete(&candidate, state, context)
    })
}

fn ask<S: Strategy>(
    instance: *mut c_void, state: *const c_void, context: *const raw::Context, reason: *const raw::Reason,
    question: impl FnOnce(&S, &S::State, &Context) -> Verdict,
) -> u32 {
    let instance = unsafe { &*(instance as *const Instance<S>) };
    let state = unsafe { &*place::<S::State>(state as *mut c_void) };
    let context = Context { raw: unsafe { &*context }, host: instance.host };
    let verdict = guarded(|| question(&instance.strategy, state, &context)).unwrap_or_else(Verdict::Fault);
    answer(verdict, unsafe { &*reason })
}

fn answer(verdict: Verdict, sink: &raw::Reason) -> u32 {
    let (number, reason) = match verdict {
        Verdict::Abstain => return raw::ABSTAIN,
        Verdict::Allow => return raw::ALLOW,
        Verdict::Deny(reason) => (raw::DENY, reason),
        Verdict::Defer(reason) => (raw::DEFER, reason),
        Verdict::Collect(reason) => (raw::COLLECT, reason),
        Verdict::Withhold(reason) => (raw::WITHHOLD, reason),
        Verdict::Fault(message) => (raw::FAULT, Reason::new(message)),
    };
    let code = reason.code.as_deref().map_or(raw::Text::ABSENT, raw::Text::lent);
    (sink.explain)(sink.owner, &code, &raw::Text::lent(&reason.message));
    if let Some(until) = reason.until {
        (sink.until)(sink.owner, until.0);
    }
    number
}

/// The state at that address; one without a size is nowhere.
fn place<T>(state: *mut c_void) -> *mut T {
    if state.is_null() { std::ptr::NonNull::dangling().as_ptr() } else { state as *mut T }
}

// MARK: Telling

extern "C" fn did_create<S: Strategy>(
    instance: *mut c_void, state: *mut c_void, candidate: *const raw::Candidate, created: u32,
    context: *const raw::Context, error: *const raw::Sink,
) -> u32 {
    let candidate = Candidate(unsafe { &*candidate });
    tell::<S>(instance, state, context, error, |strategy, state, context| {
        strategy.did_create(&candidate, created != 0, state, context)
    })
}

extern "C" fn did_delete<S: Strategy>(
    instance: *mut c_void, state: *mut c_void, candidate: *const raw::Candidate, deleted: u32,
    context: *const raw::Context, error: *const raw::Sink,
) -> u32 {
    let candidate = Candidate(unsafe { &*candidate });
    tell::<S>(instance, state, context, error, |strategy, state, context| {
        strategy.did_delete(&candidate, deleted != 0, state, context)
    })
}

extern "C" fn on_opened<S: Strategy>(
    instance: *mut c_void, state: *mut c_void, candidate: *const raw::Candidate, context: *const raw::Context,
    error: *const raw::Sink,
) -> u32 {
    let candidate = Candidate(unsafe { &*candidate });
    tell::<S>(instance, state, context, error, |strategy, state, context| {
        strategy.on_opened(&candidate, state, context)
    })
}

extern "C" fn on_background<S: Strategy>(
    instance: *mut c_void, state: *mut c_void, context: *const raw::Context, error: *const raw::Sink,
) -> u32 {
    tell::<S>(instance, state, context, error, S::on_background)
}

extern "C" fn on_foreground<S: Strategy>(
    instance: *mut c_void, state: *mut c_void, context: *const raw::Context, error: *const raw::Sink,
) -> u32 {
    tell::<S>(instance, state, context, error, S::on_foreground)
}

extern "C" fn on_start_monitoring<S: Strategy>(
    instance: *mut c_void, state: *mut c_void, region: *const raw::Text, context: *const raw::Context,
    error: *const raw::Sink,
) -> u32 {
    let region = unsafe { *region }.str().unwrap_or("");
    tell::<S>(instance, state, context, error, |strategy, state, context| {
        strategy.on_start_monitoring(region, state, context)
    })
}

extern "C" fn update_parameters<S: Strategy>(
    instance: *mut c_void, state: *mut c_void, context: *const raw::Context, error: *const raw::Sink,
) -> u32 {
    tell::<S>(instance, state, context, error, S::update_parameters)
}

/// Whether the state changed is for the host to see, which compares it.
pub(super) fn tell<S: Strategy>(
    instance: *mut c_void, state: *mut c_void, context: *const raw::Context, error: *const raw::Sink,
    hook: impl FnOnce(&S, &mut S::State, &Context) -> Told,
) -> u32 {
    let instance = unsafe { &*(instance as *const Instance<S>) };
    let state = unsafe { &mut *place::<S::State>(state) };
    let context = Context { raw: unsafe { &*context }, host: instance.host };
    let told = state.change(|state| guarded(|| hook(&instance.strategy, state, &context)).and_then(|told| told));
    match told {
        Ok(()) => raw::TOLD_CHANGED,
        Err(why) => {
            unsafe { &*error }.say(&why);
            raw::TOLD_FAILED
        }
    }
}
