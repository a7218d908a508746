//! The loop: read -> broad -> narrow -> write. The only module that sees all four stages and fans work out.
