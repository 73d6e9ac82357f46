//! Numbers of the program's sites: positions of their records in the section that the linker has joined.

use cairn_wire::site::SiteRecord;

unsafe extern "C" {
    static __start_cairn_br: SiteRecord;
    static __stop_cairn_br: SiteRecord;
}

/// Returns the number of site records in the program.
pub fn site_count() -> u32 {
    let bytes = (&raw const __stop_cairn_br) as usize - (&raw const __start_cairn_br) as usize;
    (bytes / size_of::<SiteRecord>()) as u32
}

/// Returns the number of the site with this record; `None` for a record of a shared object, which has a
/// section of its own and whose sites have no numbers yet.
pub fn site_id(record: *const SiteRecord) -> Option<u32> {
    let offset = (record as usize).wrapping_sub((&raw const __start_cairn_br) as usize);
    let index = (offset / size_of::<SiteRecord>()) as u32;
    (offset < usize::MAX / 2 && index < site_count()).then_some(index)
}
