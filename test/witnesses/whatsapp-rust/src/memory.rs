use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use whatsapp_rust::prelude::{Client, InboundMessage, Jid, MessageExt, wa};
use whatsapp_rust::wacore::poll::{PollVoteCiphertext, compute_option_hash};

struct Poll {
    creator: Jid,
    secret: Vec<u8>,
    options: Vec<String>,
}

#[derive(Default)]
struct Held {
    messages: HashMap<String, InboundMessage>,
    polls: HashMap<String, Arc<Poll>>,
}

/// Messages that a later step answers, and polls.
#[derive(Clone, Default)]
pub struct Memory(Arc<Mutex<Held>>);

impl Memory {
    pub fn keep(&self, message: &InboundMessage) {
        if let Some((options, secret)) = poll_in(&message.message) {
            self.keep_poll(&message.info.id, &message.info.source.sender, secret, options);
        }
        self.held(|held| held.messages.insert(message.info.id.clone(), message.clone()));
    }

    pub fn keep_poll(&self, id: &str, creator: &Jid, secret: Vec<u8>, options: Vec<String>) {
        let poll = Arc::new(Poll { creator: creator.clone(), secret, options });
        self.held(|held| held.polls.insert(id.to_owned(), poll));
    }

    pub fn message(&self, id: &str) -> Option<InboundMessage> {
        self.held(|held| held.messages.get(id).cloned())
    }

    /// The author and the secret of a poll.
    pub fn poll(&self, id: &str) -> Option<(Jid, Vec<u8>)> {
        self.held(|held| held.polls.get(id).map(|poll| (poll.creator.clone(), poll.secret.clone())))
    }

    /// The options that a vote chooses; none when it cannot be read.
    pub async fn vote(
        &self,
        client: &Client,
        update: &wa::message::PollUpdateMessage,
        voter: &Jid,
    ) -> Option<Vec<String>> {
        let id = update.poll_creation_message_key.as_option()?.id.clone()?;
        let poll = self.held(|held| held.polls.get(&id).cloned())?;
        let vote = update.vote.as_option()?;
        let cipher =
            PollVoteCiphertext { enc_payload: vote.enc_payload.as_deref()?, enc_iv: vote.enc_iv.as_deref()? };
        let chosen =
            client.polls().decrypt_vote(cipher, &poll.secret, &id, &poll.creator, voter).await.ok()?;
        let is_chosen =
            |option: &&String| chosen.iter().any(|hash| hash[..] == compute_option_hash(option)[..]);
        Some(poll.options.iter().filter(is_chosen).cloned().collect())
    }

    fn held<T>(&self, work: impl FnOnce(&mut Held) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn poll_in(message: &wa::Message) -> Option<(Vec<String>, Vec<u8>)> {
    let base = message.get_base_message();
    let creation =
        [&base.poll_creation_message, &base.poll_creation_message_v2, &base.poll_creation_message_v3]
            .into_iter()
            .find_map(|field| field.as_option())?;
    let secret = base.message_context_info.as_option()?.message_secret.clone()?;
    Some((creation.options.iter().filter_map(|option| option.option_name.clone()).collect(), secret))
}
