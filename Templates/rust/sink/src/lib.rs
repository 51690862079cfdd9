//! Writes a line for each notification into a file.

mod belfry;
#[cfg(test)]
mod belfry_test;

use belfry::{Delivered, Delivery, Host, Parameter, Parameters, Value};
use std::fs::OpenOptions;
use std::io::Write;

/// One sink of the configuration. It has a process of its own, and one thread calls it.
struct MyPlugin {
    file: String,
}

impl belfry::Sink for MyPlugin {
    const NAME: &'static str = "my-plugin";
    const SUMMARY: &'static str = "Writes a line for each notification into a file.";

    /// What can be configured. The host checks it, explains it and completes it in an editor, all from this description.
    fn parameters() -> Vec<Parameter> {
        vec![Parameter::text("file", "what is written to").required()]
    }

    /// What may be out of reach is left to `deliver`.
    fn new(parameters: &Parameters, _host: Host) -> Result<Self, String> {
        Ok(MyPlugin { file: parameters.text("file").ok_or("'file' is a text")?.into() })
    }

    /// A decision that was taken once may come again after a crash, with the same id.
    fn deliver(&mut self, delivery: &Delivery) -> Delivered {
        let decision = delivery.decision();
        let title = decision.get("data").and_then(|data| data.get("title")).and_then(Value::text);
        let title = match title {
            Some(title) => title,
            None => return Delivered::Never("it has no title".into()),
        };
        let file = OpenOptions::new().append(true).create(true).open(&self.file);
        match file.and_then(|mut file| writeln!(file, "{}: {}", delivery.subject(), title)) {
            Ok(()) => Delivered::Taken,
            Err(error) => Delivered::Failed(format!("the file cannot be written to: {}", error)),
        }
    }
}

belfry::plugin!("my-plugin", "0.1.0", sinks: [MyPlugin]);

#[cfg(test)]
mod tests {
    use super::MyPlugin;
    use crate::belfry::{Delivered, Value};
    use crate::belfry_test::SinkTest;

    #[test]
    fn each_notification_becomes_a_line() {
        let path = std::env::temp_dir().join(format!("rung-{}.txt", std::process::id()));
        let file = path.to_str().unwrap();
        let mut test = SinkTest::<MyPlugin>::new(&[("file", file.into())]);
        for subject in ["ana", "bob"] {
            let data = Value::map([("title", "Half price".into())]);
            assert_eq!(test.deliver("notification.created", subject, data), Delivered::Taken);
        }
        assert_eq!(std::fs::read_to_string(file).unwrap(), "ana: Half price\nbob: Half price\n");
        std::fs::remove_file(file).unwrap();
    }

    #[test]
    fn what_has_no_title_is_given_up() {
        let mut test = SinkTest::<MyPlugin>::new(&[("file", "rung.txt".into())]);
        let delivered = test.deliver("notification.deleted", "ana", Value::map([]));
        assert_eq!(delivered, Delivered::Never("it has no title".into()));
    }

    #[test]
    fn a_file_that_cannot_be_written_to_is_tried_again() {
        let mut test = SinkTest::<MyPlugin>::new(&[("file", "nowhere/rung.txt".into())]);
        let delivered = test.deliver("notification.created", "ana", Value::map([("title", "Half price".into())]));
        assert!(matches!(delivered, Delivered::Failed(why) if why.starts_with("the file cannot be written to: ")));
    }
}
