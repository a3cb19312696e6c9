package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/types/events"
)

// report prints what a test may ask for; other events of whatsmeow are not needed.
func report(client *whatsmeow.Client, event any) {
	switch e := event.(type) {
	case *events.QR:
		show("qr", fields{"code": e.Codes[0]})
	case *events.PairSuccess:
		show("paired", fields{"jid": e.ID, "lid": e.LID, "business": e.BusinessName})
	case *events.Connected:
		show("connected", fields{"name": client.Store.PushName})
	case *events.Disconnected:
		show("disconnected", fields{})
	case *events.LoggedOut:
		show("loggedOut", fields{"onConnect": e.OnConnect, "reason": int(e.Reason)})
	case *events.StreamReplaced:
		show("replaced", fields{})
	case *events.AppStateSyncComplete:
		show("appState", fields{"name": e.Name, "pushName": client.Store.PushName})
	case *events.HistorySync:
		show("history", fields{"type": e.Data.GetSyncType().String()})
	case *events.OfflineSyncPreview:
		show("offlinePreview", fields{"total": e.Total, "messages": e.Messages, "receipts": e.Receipts})
	case *events.OfflineSyncCompleted:
		show("offlineCompleted", fields{"count": e.Count})
	case *events.Message:
		showMessage(client, e)
	case *events.UndecryptableMessage:
		show("undecryptable", fields{"id": e.Info.ID})
	case *events.Receipt:
		show("receipt", fields{"ids": e.MessageIDs, "type": string(e.Type), "from": e.Sender})
	case *events.Presence:
		show("presence", fields{"from": e.From, "unavailable": e.Unavailable})
	case *events.ChatPresence:
		show("chatPresence", fields{"from": e.Sender, "state": string(e.State)})
	case *events.IdentityChange:
		show("identityChange", fields{"jid": e.JID})
	case *events.UserAbout:
		show("about", fields{"jid": e.JID, "status": e.Status})
	case *events.JoinedGroup:
		show("joinedGroup", fields{"jid": e.JID, "reason": e.Reason, "locked": e.IsLocked})
	case *events.GroupInfo:
		show("group", fields{
			"jid": e.JID, "announce": e.Announce, "locked": e.Locked, "topic": e.Topic,
			"join": e.Join, "leave": e.Leave, "link": e.Link, "unlink": e.Unlink,
		})
	}
}

func showMessage(client *whatsmeow.Client, event *events.Message) {
	text := event.Message.GetConversation()
	if text == "" {
		text = event.Message.GetExtendedTextMessage().GetText()
	}
	about := fields{"id": event.Info.ID, "chat": event.Info.Chat, "sender": event.Info.Sender, "fromMe": event.Info.IsFromMe, "text": text}
	if event.Message.GetImageMessage() == nil && event.Message.GetDocumentMessage() == nil {
		show("message", about)
		return
	}
	// not in the handler: whatsmeow handles no stanza while it runs
	go func() {
		file, err := client.DownloadAny(context.Background(), event.Message)
		if err != nil {
			about["error"] = err.Error()
		}
		hash := sha256.Sum256(file)
		about["size"], about["sha256"] = len(file), hex.EncodeToString(hash[:])
		show("message", about)
	}()
}
