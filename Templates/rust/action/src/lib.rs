//! Shows a coupon when a notification is opened.

mod belfry;

use belfry::{Action, Value};

/// What the host reads of it: `my-plugin(code: string, percent: int = 10)`.
fn action() -> Action {
    belfry::action!("my-plugin", "Shows a coupon.", show_coupon(code: &str, percent: i64 = 10))
}

/// Answers what the device is to show. The host has read, checked and converted the arguments.
fn show_coupon(code: &str, percent: i64) -> Result<Value, String> {
    if !(1..=100).contains(&percent) {
        return Err("'percent' should be from 1 to 100".into());
    }
    Ok(Value::map([("coupon", code.into()), ("percent", percent.into())]))
}

belfry::plugin!("my-plugin", "0.1.0", actions: [action()]);

#[cfg(test)]
mod tests {
    use super::{action, show_coupon, Value};

    #[test]
    fn the_device_is_told_what_to_show() {
        let shown = Value::map([("coupon", "SPRING".into()), ("percent", 20.into())]);
        assert_eq!(show_coupon("SPRING", 20), Ok(shown));
    }

    #[test]
    fn more_than_everything_cannot_be_taken_off() {
        assert_eq!(show_coupon("SPRING", 101), Err("'percent' should be from 1 to 100".into()));
    }

    #[test]
    fn the_host_reads_a_code_and_perhaps_a_percentage() {
        assert_eq!(action().signature(), "my-plugin(code: string, percent: int = 10)");
    }
}
