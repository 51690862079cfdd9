//! Leaves a pause after every notification.

mod belfry;
#[cfg(test)]
mod belfry_test;

use belfry::{Candidate, Context, Duration, Host, Instant, Parameter, Parameters, Reason, Told, Verdict};

const HOUR: Duration = Duration::hours(1);

/// The parameters of one place in the configuration. It never changes: it is used for different subjects at once.
struct MyPlugin {
    pause: Duration,
}

/// What is remembered of a subject: facts, from which the checks conclude. The memory is the host's.
#[derive(Default)]
struct State {
    /// Never, at first.
    created_at: Instant,
}

// The host stores, shows, copies and migrates the state by this.
belfry::fields! {
    State {
        created_at as "createdAt": "when the last one was created",
    }
}

impl belfry::Strategy for MyPlugin {
    const NAME: &'static str = "my-plugin";
    const SUMMARY: &'static str = "Leaves a pause after every notification.";
    type State = State;

    /// What can be configured. The host checks it, explains it and completes it in an editor, all from this description.
    fn parameters() -> Vec<Parameter> {
        vec![Parameter::duration("pause", "how long nothing more is created").at_least(0.0).default(HOUR)]
    }

    fn new(parameters: &Parameters, _host: Host) -> Result<Self, String> {
        Ok(MyPlugin { pause: parameters.duration("pause").unwrap_or(HOUR) })
    }

    /// Pure: may be asked any number of times.
    fn should_create(&self, _candidate: &Candidate, state: &State, context: &Context) -> Verdict {
        match state.created_at.if_ever() {
            Some(at) if context.now() < at + self.pause => {
                let why = format!("the last one was created less than {} s ago", self.pause.in_seconds());
                Verdict::Deny(Reason::new(why).until(at + self.pause))
            }
            _ => Verdict::Allow,
        }
    }

    /// Told what came of it, when every strategy of the chain was asked. An error leaves the state as it was.
    fn did_create(&self, _candidate: &Candidate, created: bool, state: &mut State, context: &Context) -> Told {
        if created {
            state.created_at = context.now();
        }
        Ok(())
    }
}

belfry::plugin!("my-plugin", "0.1.0", strategies: [MyPlugin]);

#[cfg(test)]
mod tests {
    use super::{Duration, Instant, MyPlugin, HOUR};
    use crate::belfry_test::Test;

    const MINUTE: Duration = Duration::minutes(1);

    #[test]
    fn after_a_notification_there_is_a_pause() {
        let mut test = Test::<MyPlugin>::new(&[("pause", HOUR.into())]);
        assert!(test.request("hello"));
        test.save_and_load();
        test.now += MINUTE * 59;
        assert!(!test.request("hello"));
        assert_eq!(test.until, Some(test.now + MINUTE));
        assert_eq!(test.message, "the last one was created less than 3600 s ago");
        test.now += MINUTE;
        assert!(test.request("hello"));
        assert_eq!(test.field("createdAt"), Some(test.now.into()));
    }

    #[test]
    fn what_others_refuse_begins_no_pause() {
        let mut test = Test::<MyPlugin>::new(&[]);
        test.others_deny = true;
        assert!(!test.request("hello"));
        assert_eq!(test.field("createdAt"), None);
    }

    #[test]
    fn what_an_earlier_version_stored_still_counts() {
        let mut test = Test::<MyPlugin>::new(&[]);
        test.begin(0, &[("createdAt", Instant(0).into())]);
        assert!(!test.request("hello"));
        assert_eq!(test.until, Some(Instant(0) + HOUR));
    }
}
