//! The entry of a plugin, and what it leads to.

use super::raw;
use super::{filter_table, receipt_table, sink_table, strategy_table};
use super::{Action, Filter, Sink, Strategy, ToldOutcomes};
use std::ffi::CStr;
use std::os::raw::{c_char, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};

/// Makes the entry, once: what the plugin is called, and what it offers.
///
///     belfry::plugin!("my-plugin", "0.1.0", strategies: [One, Other], filters: [Third], actions: [belfry::action!(…)],
///                     sinks: [Fourth]);
macro_rules! make_plugin {
    (
        $id:literal, $version:literal
        $(, strategies: [$($strategy:ty),* $(,)?])? $(, filters: [$($filter:ty),* $(,)?])?
        $(, actions: [$($action:expr),* $(,)?])? $(, sinks: [$($sink:ty),* $(,)?])? $(,)?
    ) => {
        /// The only function that the host looks for.
        #[no_mangle]
        pub extern "C" fn belfry_plugin_entry_v1(_hello: *const std::os::raw::c_void) -> *const std::os::raw::c_void {
            $crate::belfry::root($id, $version, || {
                #[allow(unused_mut)]
                let mut offers = $crate::belfry::Offers::default();
                $($(offers.add_strategy::<$strategy>();)*)?
                $($(offers.add_filter::<$filter>();)*)?
                $($(offers.add_action($action);)*)?
                $($(offers.add_sink::<$sink>();)*)?
                offers
            })
        }
    };
}
// Older compilers take `plugin` for an attribute of theirs, if it is the name of the macro itself.
pub(crate) use make_plugin;

/// The C tables of what a plugin offers.
#[derive(Default)]
pub(crate) struct Offers {
    strategies: Vec<*const raw::Strategy>,
    filters: Vec<*const raw::Filter>,
    actions: Vec<*const raw::Action>,
    sinks: Vec<*const raw::SinkType>,
    receipts: Vec<*const raw::ReceiptHook>,
    /// Names of strategies that make nothing of refusals.
    happened: Vec<raw::Text>,
}

impl Offers {
    pub(crate) fn add_strategy<S: Strategy>(&mut self) {
        self.strategies.push(strategy_table::<S>());
        if S::HEARS_RECEIPTS {
            self.receipts.push(receipt_table::<S>())
        }
        if S::OUTCOMES == ToldOutcomes::Happened {
            self.happened.push(raw::Text::of(S::NAME))
        }
    }
    pub(crate) fn add_filter<F: Filter>(&mut self) {
        self.filters.push(filter_table::<F>())
    }
    pub(crate) fn add_action(&mut self, action: Action) {
        self.actions.push(action.table())
    }
    pub(crate) fn add_sink<S: Sink>(&mut self) {
        self.sinks.push(sink_table::<S>())
    }
}

// What `get_extension` finds, which is given nothing but a name. Written by the entry, which is called before all else, and
// never freed.
static STRATEGIES: AtomicPtr<raw::Many<raw::Strategy>> = AtomicPtr::new(null_mut());
static FILTERS: AtomicPtr<raw::Many<raw::Filter>> = AtomicPtr::new(null_mut());
static ACTIONS: AtomicPtr<raw::Many<raw::Action>> = AtomicPtr::new(null_mut());
static SINKS: AtomicPtr<raw::Many<raw::SinkType>> = AtomicPtr::new(null_mut());
static RECEIPTS: AtomicPtr<raw::Many<raw::ReceiptHook>> = AtomicPtr::new(null_mut());
static OUTCOMES: AtomicPtr<raw::Outcomes> = AtomicPtr::new(null_mut());
static ROOT: AtomicPtr<raw::Plugin> = AtomicPtr::new(null_mut());

/// The constant root of the plugin.
pub(crate) fn root(id: &'static str, version: &'static str, offers: fn() -> Offers) -> *const c_void {
    if ROOT.load(Ordering::Acquire).is_null() {
        // One line: to look up the names of a backtrace takes longer than a call may.
        std::panic::set_hook(Box::new(|panic| eprintln!("{panic}")));
        // A panic leaves no plugin, which the host refuses.
        let _ = guarded(|| {
            let offers = offers();
            publish(&STRATEGIES, offers.strategies);
            publish(&FILTERS, offers.filters);
            publish(&ACTIONS, offers.actions);
            publish(&SINKS, offers.sinks);
            publish(&RECEIPTS, offers.receipts);
            publish_outcomes(offers.happened);
            ROOT.store(Box::into_raw(Box::new(describe(id, version))), Ordering::Release);
        });
    }
    ROOT.load(Ordering::Acquire) as *const c_void
}

fn publish<T>(place: &AtomicPtr<raw::Many<T>>, items: Vec<*const T>) {
    if !items.is_empty() {
        let count = items.len() as u64;
        place.store(Box::into_raw(Box::new(raw::Many { items: raw::leak(items), count })), Ordering::Release);
    }
}

fn publish_outcomes(happened: Vec<raw::Text>) {
    if !happened.is_empty() {
        let outcomes = raw::Outcomes { count: happened.len() as u64, happened: raw::leak(happened) };
        OUTCOMES.store(Box::into_raw(Box::new(outcomes)), Ordering::Release);
    }
}

fn describe(id: &'static str, version: &'static str) -> raw::Plugin {
    raw::Plugin {
        magic: raw::MAGIC,
        abi_major: 1,
        abi_minor: 0,
        size: std::mem::size_of::<raw::Plugin>() as u32,
        flags: 0,
        id: raw::Text::of(id),
        version: raw::Text::of(version),
        built_with: raw::Text::of("Rust, kit 1.0"),
        init: null(),
        deinit: null(),
        get_extension,
        reserved: [0; 4],
    }
}

extern "C" fn get_extension(id: *const c_char) -> *const c_void {
    match unsafe { CStr::from_ptr(id) }.to_bytes() {
        b"belfry.strategy/1" => STRATEGIES.load(Ordering::Acquire) as *const c_void,
        b"belfry.filter/1" => FILTERS.load(Ordering::Acquire) as *const c_void,
        b"belfry.actions/1" => ACTIONS.load(Ordering::Acquire) as *const c_void,
        b"belfry.sink/1" => SINKS.load(Ordering::Acquire) as *const c_void,
        b"belfry.receipts/1" => RECEIPTS.load(Ordering::Acquire) as *const c_void,
        b"belfry.outcomes/1" => OUTCOMES.load(Ordering::Acquire) as *const c_void,
        _ => null(),
    }
}

/// Runs what an author wrote; a panic becomes its sentence.
pub(crate) fn guarded<T>(body: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(body)).map_err(|panic| {
        let said = panic.downcast_ref::<&str>().map(|said| said.to_string());
        let said = said.or_else(|| panic.downcast_ref::<String>().cloned());
        format!("it panicked: {}", said.unwrap_or_else(|| "without a word".into()))
    })
}
