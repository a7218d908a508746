//! The oracle of ties against brute force.
