//! Leaves people alone who do not look: the pause after a notification doubles with each one that was not opened.
//!
//! `first` after the first, twice that after the second, and so on up to `longest`. An opening starts over at `first`. A
//! notification that was given up on its way does not count.

mod belfry;
#[cfg(test)]
mod belfry_test;

use belfry::{Candidate, Context, Duration, Host, Instant, Parameter, Parameters, Reason, Receipt, Received};
use belfry::{Told, ToldOutcomes, Verdict};

const HOUR: Duration = Duration::hours(1);
const WEEK: Duration = Duration::days(7);

struct BackOff {
    first: Duration,
    longest: Duration,
}

/// How many were created since the last opening, and when the last one was. Not when the next may be: campaigns with other
/// parameters may share this.
#[derive(Default)]
struct State {
    unopened: i64,
    /// Never, at first.
    last: Instant,
}

belfry::fields! {
    State {
        unopened: "how many in a row were not opened",
        last: "when the last one was created",
    }
}

impl BackOff {
    /// After so many that were not opened.
    fn pause(&self, unopened: i64) -> Duration {
        // A shift by 40 is past every `longest`.
        let doublings = (unopened - 1).clamp(0, 40);
        (self.first * (1 << doublings)).min(self.longest)
    }
}

impl belfry::Strategy for BackOff {
    const NAME: &'static str = "back-off";
    const SUMMARY: &'static str = "Doubles the pause after each notification that was not opened.";
    const OUTCOMES: ToldOutcomes = ToldOutcomes::Happened;
    const HEARS_RECEIPTS: bool = true;
    type State = State;

    fn parameters() -> Vec<Parameter> {
        vec![
            Parameter::duration("first", "the pause after the first that was not opened").at_least(1.0).default(HOUR),
            Parameter::duration("longest", "where the pause stops growing").at_least(1.0).default(WEEK),
        ]
    }

    fn new(parameters: &Parameters, _host: Host) -> Result<Self, String> {
        let first = parameters.duration("first").unwrap_or(HOUR);
        let longest = parameters.duration("longest").unwrap_or(WEEK);
        if longest < first {
            return Err("'longest' is shorter than 'first'".into());
        }
        Ok(BackOff { first, longest })
    }

    fn should_create(&self, _candidate: &Candidate, state: &State, context: &Context) -> Verdict {
        let end = match state.last.if_ever() {
            Some(last) if state.unopened > 0 => last + self.pause(state.unopened),
            _ => return Verdict::Allow,
        };
        if context.now() >= end {
            return Verdict::Allow;
        }
        let why = match state.unopened {
            1 => "the last one was not opened".into(),
            count => format!("the last {count} in a row were not opened"),
        };
        Verdict::Deny(Reason::new(why).until(end))
    }

    fn did_create(&self, _candidate: &Candidate, created: bool, state: &mut State, context: &Context) -> Told {
        if created {
            state.unopened += 1;
            state.last = context.now();
        }
        Ok(())
    }

    fn on_opened(&self, _candidate: &Candidate, state: &mut State, _context: &Context) -> Told {
        state.unopened = 0;
        Ok(())
    }

    /// A receipt that comes again finds no such last one any more.
    fn on_receipt(&self, _candidate: &Candidate, receipt: &Receipt, state: &mut State, _context: &Context) -> Told {
        let is_lost = matches!(receipt.outcome, Some(Received::Failed(_)));
        if is_lost && state.unopened > 0 && state.last.if_ever() == Some(receipt.created_at) {
            state.unopened -= 1;
            state.last = Instant::default();
        }
        Ok(())
    }
}

belfry::plugin!("back-off", "1.0.0", strategies: [BackOff]);

#[cfg(test)]
mod tests {
    use super::{BackOff, HOUR, WEEK};
    use crate::belfry::{Receipt, Received};
    use crate::belfry_test::Test;

    #[test]
    fn the_pause_doubles_until_the_longest() {
        let mut test = Test::<BackOff>::new(&[("first", HOUR.into()), ("longest", (HOUR * 3).into())]);
        for pause in [1, 2, 3, 3] {
            assert!(test.request("sale"));
            test.save_and_load();
            assert!(!test.request("sale"));
            assert_eq!(test.until, Some(test.now + HOUR * pause));
            test.now += HOUR * pause;
        }
    }

    #[test]
    fn opening_begins_again() {
        let mut test = Test::<BackOff>::new(&[]);
        assert!(test.request("sale"));
        test.now += HOUR;
        assert!(test.request("sale"));
        assert!(!test.request("sale"));
        assert_eq!(test.message, "the last 2 in a row were not opened");
        test.open("sale");
        assert!(test.request("sale"));
        assert!(!test.request("sale"));
        assert_eq!(test.message, "the last one was not opened");
        assert_eq!(test.until, Some(test.now + HOUR));
    }

    #[test]
    fn one_that_was_given_up_does_not_count() {
        let mut test = Test::<BackOff>::new(&[]);
        let lost = Receipt { outcome: Some(Received::Failed("gone")), sink: Some("push"), created_at: test.now };
        assert!(test.request("sale"));
        test.receipt("sale", Receipt { outcome: Some(Received::Delivered), ..lost });
        assert!(!test.request("sale"));
        for _ in 0..2 {
            test.receipt("sale", lost);
            test.save_and_load();
        }
        assert!(test.request("sale"));
        assert!(!test.request("sale"));
        assert_eq!(test.message, "the last one was not opened");
    }

    #[test]
    fn a_thousand_unopened_ones_wait_a_week_each() {
        let mut test = Test::<BackOff>::new(&[]);
        for _ in 0..1000 {
            assert!(test.request("sale"));
            test.now += WEEK;
        }
        assert!(test.request("sale"));
        assert!(!test.request("sale"));
        assert_eq!(test.until, Some(test.now + WEEK));
    }

    #[test]
    fn it_remembers_what_the_version_before_it_stored() {
        let mut test = Test::<BackOff>::new(&[]);
        test.begin(1, &[("unopened", 2.into()), ("last", test.now.into())]);
        assert!(!test.request("sale"));
        assert_eq!(test.until, Some(test.now + HOUR * 2));
    }

    #[test]
    #[should_panic(expected = "'longest' is shorter than 'first'")]
    fn a_longest_pause_that_is_none_is_refused() {
        Test::<BackOff>::new(&[("first", (HOUR * 2).into()), ("longest", HOUR.into())]);
    }

    #[test]
    #[should_panic(expected = "'first' is a duration")]
    fn a_parameter_of_another_kind_is_refused() {
        Test::<BackOff>::new(&[("first", "1h".into())]);
    }
}
