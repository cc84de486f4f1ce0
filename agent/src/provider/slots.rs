//! Which slot of a llama.cpp server a session has: its prompt stays in that slot's cache.
//!
//! Invariant: a session keeps its slot until more sessions than slots are about; then the one that was idle longest
//! loses its.

use super::message::SessionKey;

/// Sessions by slot, each with the turn of its last request.
#[derive(Debug, Default)]
pub(super) struct Slots {
    taken: Vec<(SessionKey, u64)>,
    turn: u64,
}

impl Slots {
    /// The slot of a session at a server that has so many.
    pub fn of(&mut self, session: SessionKey, slots: u64) -> u64 {
        self.turn += 1;
        let turn = self.turn;
        if let Some(at) = self.taken.iter().position(|(known, _)| *known == session) {
            self.taken[at].1 = turn;
            return at as u64;
        }
        if (self.taken.len() as u64) < slots {
            self.taken.push((session, turn));
            return self.taken.len() as u64 - 1;
        }
        let idlest = self.taken.iter().enumerate().min_by_key(|(_, (_, used))| *used).map_or(0, |(at, _)| at);
        if let Some(place) = self.taken.get_mut(idlest) {
            *place = (session, turn);
        }
        idlest as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_keeps_its_slot_while_there_is_room() {
        let mut slots = Slots::default();
        let given: Vec<_> = [1, 2, 1, 2, 3, 2, 1].map(|session| slots.of(SessionKey(session), 2)).to_vec();
        assert_eq!(given, [0, 1, 0, 1, 0, 1, 0]);
    }
}
