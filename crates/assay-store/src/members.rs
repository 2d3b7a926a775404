use assay_model::Role;

use crate::{Account, AccountId, Error, Tx};

/// One side of a membership: a member of an organisation, or an organisation of a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The account on the other side.
    pub account: Account,
    /// What the member may do.
    pub role: Role,
}

questions! {
    /// What a user may do in an organisation, when they are a member.
    fn role_in(organisation: AccountId, user: AccountId) -> Option<Role>;
    /// The members of an organisation, in the order of their names.
    fn members_of(organisation: AccountId) -> Vec<Member>;
    /// The organisations of a user, in the order of their names.
    fn organisations_of(user: AccountId) -> Vec<Member>;
}

impl Tx {
    /// Makes a user a member, or changes what they may do.
    pub async fn set_member(
        &mut self,
        organisation: AccountId,
        user: AccountId,
        role: Role,
    ) -> Result<(), Error> {
        let _ = (organisation, user, role);
        todo!()
    }

    /// Ends a membership. The answer is whether there was one.
    pub async fn remove_member(
        &mut self,
        organisation: AccountId,
        user: AccountId,
    ) -> Result<bool, Error> {
        let _ = (organisation, user);
        todo!()
    }
}
