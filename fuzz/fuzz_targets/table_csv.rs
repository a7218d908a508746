#![no_main]

clearsweep_fuzz::target!(|bytes: &[u8]| clearsweep_fuzz::scene::check_table("csv", bytes));
