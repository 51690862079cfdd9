//! The plugin contract of Belfry, as safe Rust. Only C crosses between host and plugin: `raw` is `belfry.h`, the rest is for
//! authors. Copy the folder along; it needs no crate, and rustc 1.63 or newer.
//!
//!     belfry::plugin!("my-plugin", "0.1.0", strategies: [MyPlugin]);
//!
//! A `Strategy` decides, a `Filter` edits, an `Action` is run when a notification is opened. A panic does not cross to the
//! host: it becomes a fault of the question, or a failure of whatever else it happened in.
#![allow(dead_code, unused_imports, unused_macros)] // not every plugin needs all of it

mod action;
mod candidate;
mod current;
mod digest;
mod filter;
mod hooks;
mod host;
mod parameters;
mod plugin;
pub(crate) mod raw;
mod raw_host;
mod receipts;
mod saved;
mod sink;
mod state;
mod strategy;
mod time;
mod value;

pub(crate) use action::{action, perform};
pub use action::{Action, Argument};
pub use candidate::{Candidate, Context};
pub use current::CurrentNotification;
pub use digest::OpenDigest;
pub(crate) use filter::filter_table;
pub use filter::{Edits, Filter};
pub(crate) use hooks::strategy_table;
pub use host::{Condition, Host, Level, Service, Zone};
pub use parameters::{Parameter, Parameters};
pub(crate) use plugin::{guarded, make_plugin as plugin, root, Offers};
pub(crate) use receipts::receipt_table;
pub use receipts::{Receipt, Received, ToldOutcomes};
pub(crate) use saved::saves;
pub use saved::{Reader, SavedState, Saving, Writer};
pub(crate) use sink::sink_table;
pub use sink::{Delivered, Delivery, Sink};
pub(crate) use state::{anything, fields};
pub use state::{Field, FieldValue, List, Optional, State, Text};
pub use strategy::{Reason, Strategy, Told, Verdict};
pub use time::{Duration, Instant};
pub use value::Value;
