use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use whatsapp_rust::anyhow::{Context, Result, anyhow};
use whatsapp_rust::bot::BotHandle;
use whatsapp_rust::media::{DocumentOptions, ImageOptions, document_message, image_message};
use whatsapp_rust::pair_code::PairCodeOptions;
use whatsapp_rust::prelude::{
    Bot, Client, EventDelivery, Jid, MessageBuilderExt, MessageContext, SendResult, TokioRuntime, wa,
};
use whatsapp_rust::serde::Deserialize;
use whatsapp_rust::serde_json::{Value, json};
use whatsapp_rust::wacore::download::MediaType;
use whatsapp_rust::wacore::store::InMemoryBackend;
use whatsapp_rust::{RevokeType, UploadOptions};

use crate::events::report;
use crate::groups;
use crate::memory::Memory;
use crate::network::{SandboxHttp, transport};

/// Events that may wait to be printed.
const MAILBOX: usize = 10_000;
const READY: Duration = Duration::from_secs(10);

/// One line of the script. Each step uses the fields that it needs.
#[derive(Deserialize, Default)]
#[serde(crate = "whatsapp_rust::serde", default, rename_all = "camelCase")]
pub struct Step {
    pub step: String,
    pub to: String,
    pub from: String,
    pub id: String,
    pub ids: Vec<String>,
    pub text: String,
    pub name: String,
    pub options: Vec<String>,
    pub people: Vec<String>,
    /// Base64.
    file: String,
    pub on: bool,
    pub expiry: u32,
    pub at: i64,
}

/// One linked device, with the store that it keeps over restarts.
pub struct Witness {
    address: String,
    store: Arc<InMemoryBackend>,
    memory: Memory,
    running: Option<BotHandle>,
}

impl Witness {
    pub fn new(address: &str) -> Self {
        Self {
            address: address.to_owned(),
            store: Arc::new(InMemoryBackend::new()),
            memory: Memory::default(),
            running: None,
        }
    }

    pub async fn take(&mut self, step: Step) -> Result<Value> {
        match step.step.as_str() {
            "connect" => self.connect().await?,
            "disconnect" => self.disconnect().await,
            _ => {
                let client = self.running.as_ref().context("not connected")?.client();
                return step.take(&client, &self.memory).await;
            }
        }
        Ok(Value::Null)
    }

    /// Starts a client on the store: all that an earlier one had only in memory is gone.
    async fn connect(&mut self) -> Result<()> {
        self.disconnect().await;
        let memory = self.memory.clone();
        let bot = Bot::builder()
            .with_backend_arc(self.store.clone())
            .with_transport_factory(transport(&self.address))
            .with_http_client(SandboxHttp::new(&self.address))
            .with_runtime(TokioRuntime)
            .with_event_delivery(EventDelivery::Ordered { capacity: MAILBOX })
            .on_event(move |event, client| report(event, client, memory.clone()))
            .build()
            .await?;
        self.running = Some(bot.spawn());
        Ok(())
    }

    pub async fn disconnect(&mut self) {
        if let Some(bot) = self.running.take() {
            bot.shutdown().await;
        }
    }
}

impl Step {
    async fn take(&self, client: &Arc<Client>, memory: &Memory) -> Result<Value> {
        match self.step.as_str() {
            "pairCode" => {
                client.wait_for_socket(READY).await?;
                let options = PairCodeOptions {
                    phone_number: self.to.clone(),
                    // the library's own name for the system, `rust`, is one that it warns of
                    display_os: Some("Linux".to_owned()),
                    ..Default::default()
                };
                Ok(client.pair_with_code(options).await?.into())
            }
            "logout" => {
                client.logout().await;
                Ok(Value::Null)
            }
            "text" => sent(client.send_text(self.to()?, self.text.as_str()).await?),
            "file" => self.send_file(client).await,
            "reply" => sent(self.context(client, memory)?.reply_quoting(self.text.as_str()).await?),
            "react" => sent(self.context(client, memory)?.react(&self.text).await?),
            "edit" => Ok(client
                .edit_message(self.to()?, self.id.as_str(), wa::Message::text(self.text.as_str()))
                .await?
                .into()),
            "revoke" => none(client.revoke_message(self.to()?, self.id.as_str(), RevokeType::Sender).await?),
            "poll" => self.send_poll(client, memory).await,
            "vote" => {
                let (creator, secret) = memory.poll(&self.id).context("no such poll")?;
                sent(client.polls().vote(self.to()?, &self.id, &creator, &secret, &self.options).await?)
            }
            "read" => {
                let ids: Vec<&str> = self.ids.iter().map(String::as_str).collect();
                none(client.mark_as_read(&self.to()?, self.sender()?.as_ref(), &ids).await?)
            }
            "history" => {
                let chat = self.to()?;
                Ok(client.fetch_message_history(&chat, &self.id, self.on, self.at, 50).await?.into())
            }
            "presence" if self.on => none(client.presence().set_available().await?),
            "presence" => none(client.presence().set_unavailable().await?),
            "subscribe" => none(client.presence().subscribe(self.to()?).await?),
            "typing" => none(client.chatstate().send_composing(&self.to()?).await?),
            "lookUp" => self.look_up(client).await,
            "person" => self.person(client).await,
            "picture" => {
                let picture = client.contacts().get_profile_picture(&self.to()?, false).await?;
                Ok(picture.map_or(Value::Null, |picture| json!({"id": picture.id, "url": picture.url})))
            }
            "setPicture" => {
                Ok(client.profile().set_profile_picture(STANDARD.decode(&self.file)?).await?.id.into())
            }
            "setStatus" => none(client.profile().set_status_text(&self.text).await?),
            "setName" => none(client.profile().set_push_name(&self.text).await?),
            "block" if self.on => none(client.blocking().block(&self.to()?).await?),
            "block" => none(client.blocking().unblock(&self.to()?).await?),
            "blocked" => {
                let blocked = client.blocking().get_blocklist().await?;
                Ok(blocked.iter().map(|entry| entry.jid.to_string()).collect())
            }
            "privacy" => Ok(format!("{:?}", client.fetch_privacy_settings().await?).into()),
            "archive" if self.on => none(client.chat_actions().archive_chat(&self.to()?, None).await?),
            "archive" => none(client.chat_actions().unarchive_chat(&self.to()?, None).await?),
            "pin" => none(client.chat_actions().pin_chat(&self.to()?).await?),
            "mute" => none(client.chat_actions().mute_chat(&self.to()?).await?),
            "markRead" => none(client.chat_actions().mark_chat_as_read(&self.to()?, self.on, None).await?),
            "star" => none(client.chat_actions().star_message(&self.to()?, None, &self.id, self.on).await?),
            "saveContact" => {
                let first = self.text.split(' ').next().map(str::to_owned);
                none(
                    client
                        .chat_actions()
                        .save_contact(&self.to()?, Some(self.text.clone()), first, true)
                        .await?,
                )
            }
            _ => groups::take(self, client).await,
        }
    }

    pub fn to(&self) -> Result<Jid> {
        jid(&self.to)
    }

    pub fn people(&self) -> Result<Vec<Jid>> {
        self.people.iter().map(|person| jid(person)).collect()
    }

    fn sender(&self) -> Result<Option<Jid>> {
        if self.from.is_empty() { Ok(None) } else { jid(&self.from).map(Some) }
    }

    /// The message that a step answers.
    fn context(&self, client: &Arc<Client>, memory: &Memory) -> Result<MessageContext> {
        let message = memory.message(&self.id).with_context(|| format!("no message {}", self.id))?;
        Ok(MessageContext::from_inbound(&message, client.clone()))
    }

    async fn send_file(&self, client: &Arc<Client>) -> Result<Value> {
        let bytes = STANDARD.decode(&self.file)?;
        let (kind, is_image) =
            if self.name.is_empty() { (MediaType::Image, true) } else { (MediaType::Document, false) };
        let file = client.upload(bytes, kind, UploadOptions::new()).await?;
        let message = if is_image {
            image_message(file, ImageOptions { caption: Some(self.text.clone()), ..Default::default() })
        } else {
            document_message(
                file,
                DocumentOptions { file_name: Some(self.name.clone()), ..Default::default() },
            )
        };
        sent(client.send_message(self.to()?, message).await?)
    }

    async fn send_poll(&self, client: &Arc<Client>, memory: &Memory) -> Result<Value> {
        let (poll, secret) = client.polls().create(self.to()?, &self.text, &self.options, 1).await?;
        let own = client.lid().or(client.pn()).context("no identity")?;
        memory.keep_poll(&poll.message_id, &own, secret, self.options.clone());
        sent(poll)
    }

    async fn look_up(&self, client: &Arc<Client>) -> Result<Value> {
        let found = client.contacts().is_on_whatsapp(&self.people()?).await?;
        let text = |jid: &Option<Jid>| jid.as_ref().map(Jid::to_string);
        Ok(found
            .iter()
            .map(|one| json!({"jid": one.jid.to_string(), "lid": text(&one.lid), "registered": one.is_registered, "business": one.is_business}))
            .collect())
    }

    async fn person(&self, client: &Arc<Client>) -> Result<Value> {
        let found = client.contacts().get_user_info(&self.people()?).await?;
        Ok(found
            .values()
            .map(|one| json!({"jid": one.jid.to_string(), "status": one.status, "picture": one.picture_id, "devices": one.devices}))
            .collect())
    }
}

pub fn jid(text: &str) -> Result<Jid> {
    Jid::from_str(text).map_err(|error| anyhow!("{text}: {error}"))
}

pub fn none(_: ()) -> Result<Value> {
    Ok(Value::Null)
}

fn sent(result: SendResult) -> Result<Value> {
    Ok(json!({"id": result.message_id, "to": result.to.to_string()}))
}
