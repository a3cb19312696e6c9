use std::sync::Arc;

use sha2::{Digest, Sha256};
use whatsapp_rust::prelude::{Client, Event, InboundMessage, MessageExt, wa};
use whatsapp_rust::serde_json::{Value, json, to_value};
use whatsapp_rust::wacore::download::Downloadable;

use crate::memory::Memory;
use crate::output::show;

/// Prints an event of the library under its name there, with its fields.
pub async fn report(event: Arc<Event>, client: Arc<Client>, memory: Memory) {
    match &*event {
        Event::Messages(batch) => {
            for message in batch {
                memory.keep(message);
                show_message(message, &client, &memory).await;
            }
        }
        Event::Connected(_) => show("Connected", json!({"name": client.push_name()})),
        Event::HistorySync(sync) => {
            let messages: Option<usize> =
                sync.get().map(|history| history.conversations.iter().map(|chat| chat.messages.len()).sum());
            show(
                "HistorySync",
                json!({"type": sync.sync_type(), "messages": messages, "request": sync.peer_data_request_session_id()}),
            );
        }
        // these cannot be serialized, and are copies of what other events say
        Event::Notification(_) | Event::RawNode(_) => {}
        other => match to_value(other) {
            Ok(Value::Object(named)) => {
                for (name, fields) in named {
                    show(&name, fields);
                }
            }
            Ok(other) => show("unnamed", other),
            Err(error) => {
                show("unserializable", json!({"kind": format!("{other:?}"), "error": error.to_string()}))
            }
        },
    }
}

async fn show_message(inbound: &InboundMessage, client: &Arc<Client>, memory: &Memory) {
    let (message, info) = (&inbound.message, &inbound.info);
    let mut fields = json!({
        "id": info.id,
        "chat": info.source.chat.to_string(),
        "sender": info.source.sender.to_string(),
        "fromMe": info.source.is_from_me,
        "offline": info.is_offline,
        "text": message.text_content(),
        "content": to_value(&**message).unwrap_or_default(),
    });
    if let Some(file) = file_of(message.get_base_message()) {
        match client.download(file).await {
            Ok(bytes) => {
                fields["size"] = bytes.len().into();
                fields["sha256"] = hex(&Sha256::digest(&bytes)).into();
            }
            Err(error) => fields["error"] = format!("{error:#}").into(),
        }
    }
    if let Some(update) = message.poll_update_message.as_option() {
        fields["vote"] = memory.vote(client, update, &info.source.sender).await.unwrap_or_default().into();
    }
    show("message", fields);
}

fn file_of(message: &wa::Message) -> Option<&dyn Downloadable> {
    if let Some(file) = message.image_message.as_option() {
        return Some(file);
    }
    if let Some(file) = message.video_message.as_option() {
        return Some(file);
    }
    if let Some(file) = message.audio_message.as_option() {
        return Some(file);
    }
    if let Some(file) = message.sticker_message.as_option() {
        return Some(file);
    }
    message.document_message.as_option().map(|file| file as &dyn Downloadable)
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
