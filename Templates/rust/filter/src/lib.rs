//! Cuts a title that is too long.

mod belfry;
#[cfg(test)]
mod belfry_test;

use belfry::{Candidate, Context, Edits, Host, Parameter, Parameters};

const LENGTH: i64 = 40;

/// The parameters of one place in the configuration. It never changes: it is used for different subjects at once.
struct MyPlugin {
    /// In characters.
    length: usize,
}

impl belfry::Filter for MyPlugin {
    const NAME: &'static str = "my-plugin";
    const SUMMARY: &'static str = "Cuts a title that is too long.";

    /// What can be configured. The host checks it, explains it and completes it in an editor, all from this description.
    fn parameters() -> Vec<Parameter> {
        vec![Parameter::integer("length", "how many characters a title may have").at_least(1.0).default(LENGTH)]
    }

    fn new(parameters: &Parameters, _host: Host) -> Result<Self, String> {
        let length = parameters.integer("length").unwrap_or(LENGTH);
        Ok(MyPlugin { length: usize::try_from(length).map_err(|_| "'length' is less than 0")? })
    }

    /// Pure, like the questions of a strategy: the same notification gets the same edits.
    fn apply(&self, candidate: &Candidate, edits: &Edits, _context: &Context) -> Result<(), String> {
        let title = candidate.title().unwrap_or("");
        if title.chars().count() > self.length {
            let start: String = title.chars().take(self.length.saturating_sub(1)).collect();
            edits.set_title(Some(&format!("{}…", start)));
        }
        Ok(())
    }
}

belfry::plugin!("my-plugin", "0.1.0", filters: [MyPlugin]);

#[cfg(test)]
mod tests {
    use super::MyPlugin;
    use crate::belfry_test::FilterTest;

    #[test]
    fn a_title_that_is_too_long_is_cut() {
        let test = FilterTest::<MyPlugin>::new(&[("length", 6.into())]);
        let fits = test.apply(Some("Spring"), Some("Half price")).unwrap();
        assert_eq!(fits.title.as_deref(), Some("Spring"));
        let cut = test.apply(Some("Spring sale"), Some("Half price")).unwrap();
        assert_eq!(cut.title.as_deref(), Some("Sprin…"));
        assert_eq!(cut.message.as_deref(), Some("Half price"));
    }

    #[test]
    fn characters_count_and_not_bytes() {
        let test = FilterTest::<MyPlugin>::new(&[("length", 4.into())]);
        assert_eq!(test.apply(Some("éééé"), None).unwrap().title.as_deref(), Some("éééé"));
        assert_eq!(test.apply(Some("ééééé"), None).unwrap().title.as_deref(), Some("ééé…"));
    }

    #[test]
    fn without_a_title_there_is_nothing_to_cut() {
        let test = FilterTest::<MyPlugin>::new(&[]);
        assert_eq!(test.apply(None, Some("Half price")).unwrap().title, None);
    }
}
