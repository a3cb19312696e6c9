package main

import (
	"context"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"google.golang.org/protobuf/proto"
)

// readChannel follows a channel, named by its jid and by the code of its link, and asks everything that whatsmeow can ask about it.
func (s step) readChannel(ctx context.Context, client *whatsmeow.Client) (any, error) {
	return s.with(func(jid types.JID) (any, error) {
		invited, err := client.GetNewsletterInfoWithInvite(ctx, s.Text)
		if err != nil {
			return nil, err
		}
		if err = client.FollowNewsletter(ctx, jid); err != nil {
			return nil, err
		}
		if err = client.NewsletterToggleMute(ctx, jid, true); err != nil {
			return nil, err
		}
		info, err := client.GetNewsletterInfo(ctx, jid)
		if err != nil {
			return nil, err
		}
		followed, err := client.GetSubscribedNewsletters(ctx)
		if err != nil {
			return nil, err
		}
		live, err := client.NewsletterSubscribeLiveUpdates(ctx, jid)
		if err != nil {
			return nil, err
		}
		posts, err := client.GetNewsletterMessages(ctx, jid, &whatsmeow.GetNewsletterMessagesParams{Count: 10})
		if err != nil {
			return nil, err
		}
		newest := posts[len(posts)-1].MessageServerID
		if err = client.NewsletterSendReaction(ctx, jid, newest, "👍", ""); err != nil {
			return nil, err
		}
		if err = client.NewsletterMarkViewed(ctx, jid, []types.MessageServerID{newest}); err != nil {
			return nil, err
		}
		updates, err := client.GetNewsletterMessageUpdates(ctx, jid, &whatsmeow.GetNewsletterUpdatesParams{Count: 10})
		if err != nil {
			return nil, err
		}
		return fields{
			"invited": invited.ThreadMeta.Name.Text, "role": info.ViewerMeta.Role, "mute": info.ViewerMeta.Mute,
			"followed": len(followed), "live": live.Seconds(), "text": posts[len(posts)-1].Message.GetConversation(),
			"views": updates[len(updates)-1].ViewsCount, "reactions": updates[len(updates)-1].ReactionCounts,
		}, nil
	})
}

// postInChannel creates a channel, posts a text and a picture in it, and deletes the text.
func (s step) postInChannel(ctx context.Context, client *whatsmeow.Client) (any, error) {
	channel, err := client.CreateNewsletter(ctx, whatsmeow.CreateNewsletterParams{Name: s.Name})
	if err != nil {
		return nil, err
	}
	text, err := client.SendMessage(ctx, channel.ID, &waE2E.Message{Conversation: proto.String(s.Text)})
	if err != nil {
		return nil, err
	}
	file, err := client.UploadNewsletter(ctx, s.File, whatsmeow.MediaImage)
	if err != nil {
		return nil, err
	}
	picture, err := client.SendMessage(ctx, channel.ID, &waE2E.Message{ImageMessage: &waE2E.ImageMessage{
		URL: &file.URL, DirectPath: &file.DirectPath, FileSHA256: file.FileSHA256, FileLength: &file.FileLength,
		Mimetype: proto.String("image/png"), Caption: &s.Text,
	}}, whatsmeow.SendRequestExtra{MediaHandle: file.Handle})
	if err != nil {
		return nil, err
	}
	_, err = client.SendMessage(ctx, channel.ID, client.BuildRevoke(channel.ID, types.EmptyJID, text.ID))
	return fields{"jid": channel.ID, "text": text.ServerID, "picture": picture.ServerID}, err
}
