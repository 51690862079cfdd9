//! What decides which notifications ring.

use super::{Candidate, Context, Host, Instant, Parameter, Parameters, Receipt, State, ToldOutcomes};

/// Decides which notifications ring. It holds its parameters and never changes: it is used for different subjects at once. What
/// it remembers is its `State`.
///
/// Keep facts in the state – when the last one was created – rather than conclusions – when the next one is allowed: campaigns
/// with other parameters may share it.
pub trait Strategy: Sized + Send + Sync + 'static {
    /// What `strategy:` names in the configuration; unique in the host.
    const NAME: &'static str;
    /// One sentence on what it does.
    const SUMMARY: &'static str;
    /// The default of `per`; none: one counter for the subject.
    const DEFAULT_COUNTER: Option<&'static str> = None;
    /// Names of strategies that it must stand before, and after, in a chain.
    const BEFORE: &'static [&'static str] = &[];
    const AFTER: &'static [&'static str] = &[];
    /// Why, in one sentence.
    const ORDER_REASON: Option<&'static str> = None;
    /// Whether it is told which regions are watched. A host keeps account of them only where a strategy asks.
    const WATCHES_REGIONS: bool = false;
    /// Whether it is told what became of notifications on their way (`on_receipt`).
    const HEARS_RECEIPTS: bool = false;
    /// Which outcomes `did_create` and `did_delete` are called for.
    const OUTCOMES: ToldOutcomes = ToldOutcomes::All;
    type State: State;

    fn parameters() -> Vec<Parameter> {
        Vec::new()
    }

    /// Takes parameters that fit their description; says in a sentence if they make no sense together. The process that decides may be
    /// forked after this, and has none of the threads that were started here.
    fn new(parameters: &Parameters, host: Host) -> Result<Self, String>;

    /// May this be created? Pure: called any number of times, also to explain.
    fn should_create(&self, candidate: &Candidate, state: &Self::State, context: &Context) -> Verdict;
    /// May the current notification be deleted? Pure.
    fn should_delete(&self, _candidate: &Candidate, _state: &Self::State, _context: &Context) -> Verdict {
        Verdict::Abstain
    }

    // What follows is told to a strategy that has a state.

    /// The outcome, to every strategy that was asked and wants it (`OUTCOMES`).
    fn did_create(&self, _candidate: &Candidate, _created: bool, _state: &mut Self::State, _context: &Context) -> Told {
        Ok(())
    }
    /// The outcome, to every strategy that was asked and wants it (`OUTCOMES`).
    fn did_delete(&self, _candidate: &Candidate, _deleted: bool, _state: &mut Self::State, _context: &Context) -> Told {
        Ok(())
    }
    /// The notification was opened; each time.
    fn on_opened(&self, _candidate: &Candidate, _state: &mut Self::State, _context: &Context) -> Told {
        Ok(())
    }
    /// The app went to the background. Told under each counter that has state; if it counts per subject, in any case.
    fn on_background(&self, _state: &mut Self::State, _context: &Context) -> Told {
        Ok(())
    }
    /// The app came to the front. Told like `on_background`.
    fn on_foreground(&self, _state: &mut Self::State, _context: &Context) -> Told {
        Ok(())
    }
    /// A region became watched, if `WATCHES_REGIONS`.
    fn on_start_monitoring(&self, _region: &str, _state: &mut Self::State, _context: &Context) -> Told {
        Ok(())
    }
    /// A sink says what became of a notification that is current or in the history, if `HEARS_RECEIPTS`. It may say so again, and so may
    /// another one.
    fn on_receipt(
        &self, _candidate: &Candidate, _receipt: &Receipt, _state: &mut Self::State, _context: &Context,
    ) -> Told {
        Ok(())
    }
    /// The parameters changed since the state was last used; `self` has the new ones.
    fn update_parameters(&self, _state: &mut Self::State, _context: &Context) -> Told {
        Ok(())
    }
}

/// What came of telling a strategy something. After a failure, with one sentence, the state is what it was before.
pub type Told = Result<(), String>;

pub enum Verdict {
    /// Not my question.
    Abstain,
    Allow,
    Deny(Reason),
    /// Ask the whole chain again at the reason's `until`, which must be there.
    Defer(Reason),
    /// Keep it with others until the reason's `until`, which must be there, and ask the whole chain again.
    Collect(Reason),
    /// Where it would be created, the strategies that were asked are told that it was, and it is not shown.
    Withhold(Reason),
    /// The question itself failed; one sentence says how.
    Fault(String),
}

/// Why a rule does not allow something, and when it would.
pub struct Reason {
    pub(super) code: Option<String>,
    pub(super) message: String,
    pub(super) until: Option<Instant>,
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

    /// The first instant at which this rule would allow if nothing else happens.
    pub fn until(mut self, instant: Instant) -> Self {
        self.until = Some(instant);
        self
    }
}
