package main

import (
	"context"
	"fmt"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"google.golang.org/protobuf/proto"
)

// step is one line of the script. Each step uses the fields that it needs.
type step struct {
	Step   string
	To     string
	From   string
	Text   string
	Name   string
	Ids    []string
	Phones []string
	People []types.JID
	// File is base64 in JSON.
	File      []byte
	Available bool
	Locked    bool
	Announce  bool
	Approval  bool
	Expiry    uint32
}

func (s step) take(ctx context.Context, client *whatsmeow.Client) (any, error) {
	switch s.Step {
	case "connect":
		return nil, client.ConnectContext(ctx)
	case "disconnect":
		client.Disconnect()
		return nil, nil
	case "text":
		return s.send(ctx, client, &waE2E.Message{Conversation: proto.String(s.Text)})
	case "file":
		return s.sendFile(ctx, client)
	case "read":
		return nil, s.markRead(ctx, client)
	case "presence":
		if s.Available {
			return nil, client.SendPresence(ctx, types.PresenceAvailable)
		}
		return nil, client.SendPresence(ctx, types.PresenceUnavailable)
	case "subscribe":
		return s.with(func(jid types.JID) (any, error) { return nil, client.SubscribePresence(ctx, jid) })
	case "typing":
		return s.with(func(jid types.JID) (any, error) {
			return nil, client.SendChatPresence(ctx, jid, types.ChatPresenceComposing, types.ChatPresenceMediaText)
		})
	case "lookUp":
		return client.IsOnWhatsApp(ctx, s.Phones)
	case "createGroup":
		return client.CreateGroup(ctx, s.newGroup())
	case "readChannel":
		return s.readChannel(ctx, client)
	case "postInChannel":
		return s.postInChannel(ctx, client)
	case "join":
		return client.JoinGroupWithLink(ctx, s.Text)
	case "group":
		return s.with(func(jid types.JID) (any, error) { return client.GetGroupInfo(ctx, jid) })
	}
	return nil, fmt.Errorf("unknown step %q", s.Step)
}

func (s step) with(work func(types.JID) (any, error)) (any, error) {
	jid, err := types.ParseJID(s.To)
	if err != nil {
		return nil, err
	}
	return work(jid)
}

func (s step) send(ctx context.Context, client *whatsmeow.Client, message *waE2E.Message) (any, error) {
	return s.with(func(jid types.JID) (any, error) {
		sent, err := client.SendMessage(ctx, jid, message)
		return fields{"id": sent.ID}, err
	})
}

func (s step) sendFile(ctx context.Context, client *whatsmeow.Client) (any, error) {
	file, err := client.Upload(ctx, s.File, whatsmeow.MediaDocument)
	if err != nil {
		return nil, err
	}
	return s.send(ctx, client, &waE2E.Message{DocumentMessage: &waE2E.DocumentMessage{
		URL: &file.URL, DirectPath: &file.DirectPath, MediaKey: file.MediaKey,
		FileEncSHA256: file.FileEncSHA256, FileSHA256: file.FileSHA256, FileLength: &file.FileLength,
		Mimetype: proto.String("application/octet-stream"), FileName: &s.Name,
	}})
}

func (s step) markRead(ctx context.Context, client *whatsmeow.Client) error {
	sender, err := types.ParseJID(s.From)
	if err != nil {
		return err
	}
	return client.MarkRead(ctx, s.Ids, time.Now(), sender.ToNonAD(), sender)
}

func (s step) newGroup() whatsmeow.ReqCreateGroup {
	return whatsmeow.ReqCreateGroup{
		Name:                        s.Name,
		Participants:                s.People,
		GroupLocked:                 types.GroupLocked{IsLocked: s.Locked},
		GroupAnnounce:               types.GroupAnnounce{IsAnnounce: s.Announce},
		GroupEphemeral:              types.GroupEphemeral{IsEphemeral: s.Expiry > 0, DisappearingTimer: s.Expiry},
		GroupMembershipApprovalMode: types.GroupMembershipApprovalMode{IsJoinApprovalRequired: s.Approval},
	}
}
