//! Functions of the C library that Rust's own of the same name would hide: its `cbrt` rounds better, a
//! target's does not, and an expression must give what the target computes.

// SAFETY: glibc has these on every machine Cairn runs on, with these types; they only compute.
unsafe extern "C" {
    /// `cbrt`, under a name that only the C library has.
    #[link_name = "cbrtf64"]
    pub safe fn cube_root(x: f64) -> f64;
    /// `cbrtf`.
    #[link_name = "cbrtf32"]
    pub safe fn cube_root_narrow(x: f32) -> f32;
}
