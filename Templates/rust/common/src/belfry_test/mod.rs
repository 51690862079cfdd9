//! Drives one strategy, filter or sink alone, with a clock that is moved by hand: a small host for tests. It calls them through their
//! C tables, as the real host does.
//!
//!     let mut test = Test::<MyPlugin>::new(&[("pause", Duration::hours(1).into())]);
//!     assert!(test.request("hello"));
//!     test.now += Duration::minutes(59);
//!     assert!(!test.request("hello"));
//!     assert_eq!(test.until, Some(test.now + Duration::minutes(1)));
//!
//! On the way it panics about whatever breaks the contract, and says what, why and what to do: a question that is not pure, an
//! `until` that is not exact, a state that does not survive being stored.
//!
//! It offers belfry.log, belfry.local-time, belfry.attributes, belfry.scratch, belfry.current and belfry.digest. It has no
//! belfry.conditions, and no `history.<campaign>` among the attributes: test what needs them with `belfry run` and
//! `belfry simulate`.
#![allow(dead_code, unused_imports)] // not every test needs all of it

mod asking;
mod candidate;
mod current;
mod digest;
mod filter;
mod host;
mod saved;
mod sink;
mod state;
mod strategy;
mod zones;

pub use candidate::Given;
pub use filter::{Content, FilterTest};
pub use host::log;
pub use sink::SinkTest;
pub use strategy::Test;
