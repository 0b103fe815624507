//! Any script and comment: gathered or refused, and what is gathered reads back the same.
#![no_main]

use fedsched_protocol::directive;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&[u8], Option<&str>)| {
    let (script, comment) = input;
    if let Ok(stated) = directive::gather(Some(script), comment) {
        assert_eq!(directive::parse(&stated.text), Ok(stated.directives));
    }
});
