//! Strategies in Rust that ask the host for digests and for what is current, with the kit of `belfry plugins new`, and their tests with its host.

#[path = "../../../Templates/rust/common/src/belfry/mod.rs"]
mod belfry;
#[cfg(test)]
#[path = "../../../Templates/rust/common/src/belfry_test/mod.rs"]
mod belfry_test;

use belfry::{Candidate, Condition, Context, Duration, Host, Parameter, Parameters, Reason, Service, Value, Verdict};

/// Collects for a while after the first item.
struct RustGather {
    window: Duration,
    items: Option<u64>,
    keep: Option<u64>,
    leading: bool,
}

impl belfry::Strategy for RustGather {
    const NAME: &'static str = "rust-gather";
    const SUMMARY: &'static str = "Collects notifications and creates one that stands for all of them.";
    const DEFAULT_COUNTER: Option<&'static str> = Some("campaign");
    type State = ();

    fn parameters() -> Vec<Parameter> {
        vec![
            Parameter::duration("window", "how long after its first item it closes").required().at_least(1.0),
            Parameter::integer("items", "with so many it closes at once").at_least(2.0),
            Parameter::integer("keep", "so many items are kept").at_least(1.0),
            Parameter::boolean("leading", "lets one pass while none is open").default(false),
        ]
    }

    fn new(parameters: &Parameters, host: Host) -> Result<Self, String> {
        host.require(Service::Digest, "collecting")?;
        let window = parameters.duration("window").ok_or("'window' is missing")?;
        let count = |name: &str| parameters.integer(name).map(|count| count as u64);
        let leading = parameters.boolean("leading").unwrap_or(false);
        Ok(RustGather { window, items: count("items"), keep: count("keep"), leading })
    }

    fn should_create(&self, _candidate: &Candidate, _state: &(), context: &Context) -> Verdict {
        if context.digest_count().is_some() {
            return Verdict::Abstain;
        }
        let open = context.open_digest();
        if open.is_none() && self.leading {
            context.lead_digest(context.now() + self.window);
            return Verdict::Abstain;
        }
        let (closes, count) = match open {
            Some(open) => (open.opened + self.window, open.count),
            None => (context.now() + self.window, 0),
        };
        if let Some(keep) = self.keep {
            context.keep_items(keep);
        }
        let is_full = self.items.map_or(false, |items| count + 1 >= items);
        let until = if is_full { context.now() } else { closes };
        Verdict::Collect(Reason::new("it waits for others").until(until))
    }
}

/// Nothing while one is current that meets a condition and has the same `data.incident`.
struct RustHeed {
    by: Option<Condition>,
}

impl belfry::Strategy for RustHeed {
    const NAME: &'static str = "rust-heed";
    const SUMMARY: &'static str = "Denies what another current notification of the same incident tells already.";
    type State = ();

    fn parameters() -> Vec<Parameter> {
        vec![Parameter::condition("by", "what mutes; any that is current if not given")]
    }

    fn new(parameters: &Parameters, host: Host) -> Result<Self, String> {
        host.require(Service::Current, "what is current")?;
        let by = parameters.get("by").map(|by| host.condition(by)).transpose()?;
        Ok(RustHeed { by })
    }

    fn should_create(&self, _candidate: &Candidate, _state: &(), context: &Context) -> Verdict {
        let own = context.candidate_as_current();
        if self.by.as_ref().map_or(false, |by| own.meets(by)) {
            return Verdict::Allow;
        }
        let incident = own.value("data.incident");
        let muting = context.current().find(|current| {
            self.by.as_ref().map_or(true, |by| current.meets(by)) && current.value("data.incident") == incident
        });
        match muting {
            Some(muting) => {
                let told = ["notification", "campaign", "tags", "createdAt", "other"].map(|path| muting.value(path));
                let why = format!("{} of {} mutes it", tell(&told), context.current().count());
                Verdict::Deny(Reason::new(why))
            }
            None => Verdict::Allow,
        }
    }
}

fn tell(values: &[Option<Value>]) -> String {
    let word = |value: &Option<Value>| match value {
        Some(Value::Text(text)) => text.clone(),
        Some(Value::List(items)) => items.iter().filter_map(Value::text).collect::<Vec<_>>().join("+"),
        Some(other) => format!("{:?}", other),
        None => "-".into(),
    };
    values.iter().map(word).collect::<Vec<_>>().join(" ")
}

belfry::plugin!("test.services-rust", "1.0.0", strategies: [RustGather, RustHeed]);

#[cfg(test)]
mod tests {
    use super::belfry::{raw, Candidate, Context, Duration, Host, Instant, OpenDigest, Parameters, Reason};
    use super::belfry::{Service, Strategy, Value, Verdict};
    use super::belfry_test::Test;
    use super::{RustGather, RustHeed};
    use std::os::raw::{c_char, c_void};
    use std::ptr::{null, null_mut};

    const HOUR: Duration = Duration::hours(1);

    #[test]
    fn what_comes_within_the_window_rings_as_one() {
        let mut test = Test::<RustGather>::new(&[("window", HOUR.into()), ("keep", 7.into())]);
        assert!(!test.request("mail"));
        assert_eq!((test.verdict, test.until, test.keeps), ("collect", Some(Instant(0) + HOUR), Some(7)));
        test.now += Duration::minutes(20);
        assert!(!test.request("mail"));
        let open = OpenDigest { opened: Instant(0), closes: Instant(0) + HOUR, count: 2 };
        assert_eq!(test.digest, Some(open));
        assert!(test.close_digest("mail"));
        assert_eq!((test.now, test.digest, test.verdict), (Instant(0) + HOUR, None, "abstain"));
        assert!(!test.request("mail"));
    }

    #[test]
    fn the_last_item_closes_it() {
        let mut test = Test::<RustGather>::new(&[("window", HOUR.into()), ("items", 2.into())]);
        assert!(!test.request("mail"));
        test.now += Duration::minutes(20);
        assert!(!test.request("mail"));
        assert_eq!((test.until, test.keeps), (Some(test.now), None));
        assert!(test.close_digest("mail"));
    }

    #[test]
    fn a_leading_one_opens_it() {
        let mut test = Test::<RustGather>::new(&[("window", HOUR.into()), ("leading", true.into())]);
        test.others_deny = true;
        assert!(!test.request("mail"));
        assert_eq!((test.leads, test.digest), (Some(Instant(0) + HOUR), None));
        test.others_deny = false;
        assert!(test.request("mail"));
        assert_eq!(test.digest.map(|open| open.count), Some(0));
        test.now += HOUR - Duration(1);
        assert!(!test.request("mail"));
        assert!(test.close_digest("mail"));
        assert_eq!(test.now, Instant(0) + HOUR);
    }

    /// Collects what stands for a digest too.
    struct Endless;

    impl Strategy for Endless {
        const NAME: &'static str = "endless";
        const SUMMARY: &'static str = "Collects without an end.";
        type State = ();

        fn new(_: &Parameters, _: Host) -> Result<Self, String> {
            Ok(Endless)
        }
        fn should_create(&self, _: &Candidate, _: &(), context: &Context) -> Verdict {
            Verdict::Collect(Reason::new("more").until(context.now() + HOUR))
        }
    }

    #[test]
    #[should_panic(expected = "'endless' collects a digest again, at 1970-01-01T00:00:00Z")]
    fn what_stands_for_a_digest_is_not_collected() {
        Test::<Endless>::new(&[]).request("mail");
    }

    #[test]
    #[should_panic(expected = "has a digest that is due")]
    fn a_digest_is_closed_before_the_next_request() {
        let mut test = Test::<RustGather>::new(&[("window", HOUR.into())]);
        test.request("mail");
        test.now += HOUR;
        test.request("mail");
    }

    #[test]
    fn one_of_the_same_incident_mutes() {
        let mut test = Test::<RustHeed>::new(&[]);
        let incident = |number: i64| Some(Value::map([("incident", number.into())]));
        test.candidate.data = incident(7);
        test.candidate.tags = vec!["alarm", "red"];
        assert!(test.request("outage"));
        test.now += HOUR;
        assert!(!test.request("symptom"));
        assert_eq!(test.message, "outage/1 outage alarm+red 1970-01-01T00:00:00Z - of 1 mutes it");
        test.candidate.data = incident(8);
        assert!(test.request("symptom"));
        test.candidate.data = incident(7);
        assert!(test.delete("outage"));
        assert!(test.request("symptom"));
        assert_eq!(test.current.len(), 2);
    }

    #[test]
    #[should_panic(expected = "this host has no conditions")]
    fn a_host_without_conditions_is_refused() {
        Test::<RustHeed>::new(&[("by", Value::map([("campaign", "outage".into())]))]);
    }

    #[test]
    fn an_older_host_is_refused_and_tells_nothing() {
        extern "C" fn get_extension(_: *const raw::Host, _: *const c_char) -> *const c_void {
            null()
        }
        let (name, version) = (raw::Text::of("old"), raw::Text::of("0.9"));
        let host = raw::Host { abi_major: 1, abi_minor: 0, name, version, owner: null_mut(), get_extension };
        let host = Host(&host);
        let why = "belfry.digest/1 is needed for collecting, but old 0.9 does not offer it; run a newer host";
        assert_eq!(host.require(Service::Digest, "collecting"), Err(why.into()));
        let (subject, owner) = (raw::Text::of("ana"), null_mut());
        let raw = raw::Context { now: 0, subject, channel: raw::Text::ABSENT, app: 0, reserved: 0, app_since: 0, owner };
        let context = Context { raw: &raw, host };
        assert_eq!((context.open_digest(), context.digest_count(), context.current().count()), (None, None, 0));
        assert_eq!(context.candidate_as_current().value("campaign"), None);
        context.keep_items(2);
        context.lead_digest(Instant(1));
    }
}
