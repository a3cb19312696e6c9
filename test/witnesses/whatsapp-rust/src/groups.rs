use std::sync::Arc;

use whatsapp_rust::anyhow::{Result, bail};
use whatsapp_rust::prelude::{Client, Jid};
use whatsapp_rust::serde_json::{Value, json};
use whatsapp_rust::{
    CreateCommunityOptions, GroupCreateOptions, GroupDescription, GroupMetadata, GroupParticipantOptions,
    GroupSubject, JoinGroupResult, MembershipApprovalMode, ParticipantChangeResponse, PreviousDescription,
};

use crate::steps::{Step, jid, none};

/// Takes a step about groups.
pub async fn take(step: &Step, client: &Arc<Client>) -> Result<Value> {
    let groups = client.groups();
    match step.step.as_str() {
        "createGroup" => Ok(view(&groups.create_group(new_group(step)?).await?.metadata)),
        "group" => Ok(view(&groups.get_metadata(&step.to()?).await?)),
        "groups" => Ok(groups.get_participating().await?.values().map(view).collect()),
        "subject" => none(groups.set_subject(step.to()?, GroupSubject::new(step.text.as_str())?).await?),
        "description" => {
            let text =
                if step.text.is_empty() { None } else { Some(GroupDescription::new(step.text.as_str())?) };
            none(groups.set_description(step.to()?, text, PreviousDescription::Resolve).await?)
        }
        "add" => Ok(results(&groups.add_participants(step.to()?, &step.people()?).await?)),
        "remove" => Ok(results(&groups.remove_participants(step.to()?, &step.people()?).await?)),
        "promote" => Ok(results(&groups.promote_participants(step.to()?, &step.people()?).await?)),
        "demote" => Ok(results(&groups.demote_participants(step.to()?, &step.people()?).await?)),
        "lock" => none(groups.set_locked(step.to()?, step.on).await?),
        "announce" => none(groups.set_announce(step.to()?, step.on).await?),
        "ephemeral" => none(groups.set_ephemeral(step.to()?, step.expiry).await?),
        "approval" => none(groups.set_membership_approval(step.to()?, approval(step.on)).await?),
        "requests" => {
            let requests = groups.get_membership_requests(step.to()?).await?;
            Ok(requests.iter().map(|request| request.jid.to_string()).collect())
        }
        "approve" => Ok(results(&groups.approve_membership_requests(step.to()?, &step.people()?).await?)),
        "inviteLink" => Ok(groups.get_invite_link(step.to()?, step.on).await?.into()),
        "invite" => Ok(view(&groups.get_invite_info(&step.text).await?)),
        "join" => match groups.join_with_invite_code(&step.text).await? {
            JoinGroupResult::Joined(group) => Ok(json!({"joined": group.to_string()})),
            JoinGroupResult::PendingApproval(group) => Ok(json!({"pending": group.to_string()})),
        },
        "leave" => none(groups.leave(step.to()?).await?),
        "createCommunity" => {
            let created = client.community().create(CreateCommunityOptions::new(step.name.as_str())).await?;
            Ok(view(&created.metadata))
        }
        "link" => {
            let linked = client.community().link_subgroups(step.to()?, &[jid(&step.from)?]).await?;
            Ok(linked.linked_jids.iter().map(Jid::to_string).collect())
        }
        other => bail!("unknown step {other:?}"),
    }
}

fn new_group(step: &Step) -> Result<GroupCreateOptions> {
    let people = step.people()?.into_iter().map(GroupParticipantOptions::new).collect();
    Ok(GroupCreateOptions::builder()
        .subject(step.name.as_str())
        .participants(people)
        .membership_approval_mode(approval(step.on))
        .ephemeral_expiration(step.expiry)
        .build())
}

fn approval(on: bool) -> MembershipApprovalMode {
    if on { MembershipApprovalMode::On } else { MembershipApprovalMode::Off }
}

fn view(group: &GroupMetadata) -> Value {
    json!({
        "jid": group.id.to_string(),
        "subject": group.subject,
        "description": group.description,
        "locked": group.is_locked,
        "announce": group.is_announcement,
        "expiry": group.ephemeral.as_ref().map(|ephemeral| ephemeral.expiration),
        "approval": group.membership_approval,
        "parent": group.is_parent_group,
        "people": group.participants.iter().map(|person| person.jid.to_string()).collect::<Vec<_>>(),
    })
}

/// The network's code for each person: 200 when the change was made.
fn results(changes: &[ParticipantChangeResponse]) -> Value {
    changes
        .iter()
        .map(|change| change.error.clone().or(change.status.clone()).unwrap_or("200".to_owned()))
        .collect()
}
