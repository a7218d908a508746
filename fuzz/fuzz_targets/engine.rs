#![no_main]

clearsweep_fuzz::target!(|bytes: &[u8]| clearsweep_fuzz::engine::check(bytes));
