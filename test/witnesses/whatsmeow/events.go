package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/types/events"
	"google.golang.org/protobuf/encoding/protojson"
)

// report prints an event under the name of its type, with its fields.
func report(client *whatsmeow.Client, event any) {
	switch e := event.(type) {
	case *events.QR:
		show("qr", fields{"code": e.Codes[0]})
	case *events.HistorySync:
		showHistory(e)
	case *events.Message:
		showMessage(client, e)
	case *events.AppState:
		// the same as an event of its kind
	default:
		name := reflect.TypeOf(event).Elem().Name()
		show(strings.ToLower(name[:1])+name[1:], fieldsOf(event))
	}
}

func fieldsOf(event any) fields {
	text, err := json.Marshal(event)
	if err != nil {
		panic(err)
	}
	what := fields{}
	if err = json.Unmarshal(text, &what); err != nil {
		panic(err)
	}
	return what
}

func showHistory(event *events.HistorySync) {
	ids := []string{}
	for _, conversation := range event.Data.GetConversations() {
		for _, message := range conversation.GetMessages() {
			ids = append(ids, message.GetMessage().GetKey().GetID())
		}
	}
	show("history", fields{
		"type": event.Data.GetSyncType().String(), "part": event.Data.GetChunkOrder(),
		"conversations": len(event.Data.GetConversations()), "ids": ids,
	})
}

func showMessage(client *whatsmeow.Client, event *events.Message) {
	content, err := protojson.Marshal(event.Message)
	if err != nil {
		panic(err)
	}
	text := event.Message.GetConversation()
	if text == "" {
		text = event.Message.GetExtendedTextMessage().GetText()
	}
	about := fields{
		"id": event.Info.ID, "info": event.Info, "text": text, "content": json.RawMessage(content),
		"retries": event.RetryCount, "isEdit": event.IsEdit, "isViewOnce": event.IsViewOnce, "isEphemeral": event.IsEphemeral,
		"fromPhone": event.UnavailableRequestID != "",
	}
	// not in the handler: whatsmeow handles no stanza while it runs
	go func() {
		open(client, event, about)
		show("message", about)
	}()
}

// open adds what only the library can read: the file, the vote, the edit.
func open(client *whatsmeow.Client, event *events.Message, about fields) {
	ctx := context.Background()
	var err error
	if event.Message.GetPollUpdateMessage() != nil {
		vote, failure := client.DecryptPollVote(ctx, event)
		about["vote"], err = vote.GetSelectedOptions(), failure
	} else if event.Message.GetSecretEncryptedMessage() != nil {
		edit, failure := client.DecryptSecretEncryptedMessage(ctx, event)
		about["text"], err = edit.GetProtocolMessage().GetEditedMessage().GetConversation(), failure
	} else if file, failure := client.DownloadAny(ctx, event.Message); !errors.Is(failure, whatsmeow.ErrNothingDownloadableFound) {
		hash := sha256.Sum256(file)
		about["size"], about["sha256"], err = len(file), hex.EncodeToString(hash[:]), failure
	}
	if err != nil {
		about["error"] = err.Error()
	}
}
