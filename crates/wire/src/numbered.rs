//! Enumerations whose numbers cross the binary interface: each is one list, from which its decoder is
//! generated.

/// Defines a C-like enum, its list `ALL` of variants, and a `const fn` that decodes a number.
/// The decoder returns `None` for a number that is not in the list: a faulty target may write any.
///
/// ```text
/// numbered! {
///     /// Direction of an access.
///     pub enum Direction: u8, from_u64(u64) {
///         /// A read.
///         Read = 1,
///         /// A write.
///         Write = 2,
///     }
/// }
/// ```
macro_rules! numbered {
    (
        $(#[$outer:meta])*
        pub enum $name:ident: $number:ident, $decode:ident($given:ident) {
            $($(#[$inner:meta])* $variant:ident = $value:literal,)+
        }
    ) => {
        $(#[$outer])*
        #[repr($number)]
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $name {
            $($(#[$inner])* $variant = $value,)+
        }

        impl $name {
            /// Every variant, in the order of the numbers.
            pub const ALL: [$name; [$($value),+].len()] = [$($name::$variant),+];

            /// Returns the variant with this number, if there is one.
            pub const fn $decode(number: $given) -> Option<$name> {
                match number {
                    $($value => Some($name::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

pub(crate) use numbered;
