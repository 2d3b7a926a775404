use std::collections::{BTreeMap, BTreeSet};

use assay_store::AccountId;

use super::deliver::QueuedDelivery;
use super::host_of;

/// The most deliveries that are sent at once.
const AT_ONCE: usize = 16;
/// The most deliveries that are sent to one host at once, whoever they belong to: a host that does
/// not answer takes no more.
const AT_ONCE_TO_HOST: usize = 4;
/// The most owners whose last turn is remembered.
const REMEMBERED: usize = 4_096;

/// The deliveries that are being sent, and whose turn it was last. Of each owner one is sent at a
/// time, so nobody's addresses, however slow, delay the deliveries of others.
#[derive(Debug, Default)]
pub struct InFlight {
    owners: BTreeSet<AccountId>,
    hosts: BTreeMap<String, usize>,
    turns: BTreeMap<AccountId, u64>,
    next_turn: u64,
}

impl InFlight {
    /// The number of deliveries that are being sent.
    pub fn len(&self) -> usize {
        self.owners.len()
    }

    /// Returns whether nothing is being sent.
    pub fn is_empty(&self) -> bool {
        self.owners.is_empty()
    }

    /// Notes that a delivery was sent, well or not.
    pub fn end(&mut self, queued: &QueuedDelivery) {
        self.owners.remove(&AccountId(queued.owner));
        let host = host_of(&queued.url);
        if let Some(count) = self.hosts.get_mut(host) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.hosts.remove(host);
            }
        }
    }

    /// The number of deliveries that may begin.
    pub(super) fn free(&self) -> usize {
        AT_ONCE.saturating_sub(self.owners.len())
    }

    /// Returns whether a delivery of this owner to this host may begin.
    pub(super) fn admits(&self, owner: AccountId, host: &str) -> bool {
        let to_host = self.hosts.get(host).copied().unwrap_or_default();
        self.free() > 0 && !self.owners.contains(&owner) && to_host < AT_ONCE_TO_HOST
    }

    /// Notes that a delivery is being sent.
    pub(super) fn begin(&mut self, queued: &QueuedDelivery) {
        let owner = AccountId(queued.owner);
        if self.turns.len() >= REMEMBERED {
            self.turns.clear();
        }
        self.next_turn += 1;
        self.turns.insert(owner, self.next_turn);
        self.owners.insert(owner);
        *self
            .hosts
            .entry(host_of(&queued.url).to_owned())
            .or_default() += 1;
    }

    /// The number of the last turn of an owner: who was served longest ago comes first.
    pub(super) fn last_turn(&self, owner: AccountId) -> u64 {
        self.turns.get(&owner).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queued(owner: i64, host: &str) -> QueuedDelivery {
        QueuedDelivery {
            delivery: 1,
            owner,
            url: format!("https://{host}/hook"),
            event: "ping".to_owned(),
            body: "{}".to_owned(),
            signature: String::new(),
        }
    }

    #[test]
    fn one_delivery_of_an_owner_and_few_to_a_host_are_sent_at_once() {
        let mut in_flight = InFlight::default();

        for owner in 0..4 {
            assert!(in_flight.admits(AccountId(owner), "slow.example"));
            in_flight.begin(&queued(owner, "slow.example"));
        }

        assert!(
            !in_flight.admits(AccountId(9), "slow.example"),
            "the host has enough"
        );
        assert!(in_flight.admits(AccountId(9), "other.example"));
        assert!(
            !in_flight.admits(AccountId(0), "other.example"),
            "the owner has one"
        );
        in_flight.end(&queued(0, "slow.example"));
        assert!(in_flight.admits(AccountId(0), "slow.example"));
        assert!(in_flight.last_turn(AccountId(9)) < in_flight.last_turn(AccountId(1)));
    }

    #[test]
    fn there_is_a_limit_to_all_of_them() {
        let mut in_flight = InFlight::default();

        for owner in 0..i64::try_from(AT_ONCE).unwrap() {
            in_flight.begin(&queued(owner, &format!("host{owner}.example")));
        }

        assert_eq!((in_flight.len(), in_flight.free()), (AT_ONCE, 0));
        assert!(!in_flight.admits(AccountId(99), "free.example"));
    }
}
