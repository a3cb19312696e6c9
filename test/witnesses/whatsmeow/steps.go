package main

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/appstate"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"google.golang.org/protobuf/encoding/protojson"
)

// step is one line of the script. A step that is none of the four below is the name of a method of whatsmeow's client.
type step struct {
	Step string
	// Args are the arguments of the method or the builder, without the context.
	Args []json.RawMessage
	// Build names the method that builds the message or the patch.
	Build string
	To    types.JID
	// Message is a message of the protocol as JSON.
	Message json.RawMessage
	Peer    bool
	// Handle names the uploaded file of a post in a channel.
	Handle string
	// File is base64 in JSON.
	File []byte
	Kind string
	// ForChannel uploads the file as it is, not encrypted.
	ForChannel bool
}

// builders make the changes of app state.
var builders = map[string]any{
	"mute":     appstate.BuildMute,
	"pin":      appstate.BuildPin,
	"archive":  appstate.BuildArchive,
	"markRead": appstate.BuildMarkChatAsRead,
	"star":     appstate.BuildStar,
	"pushName": appstate.BuildSettingPushName,
	"label":    appstate.BuildLabelEdit,
	"delete":   appstate.BuildDeleteChat,
}

// media holds the keys of the kinds of files.
var media = map[string]whatsmeow.MediaType{
	"image":    whatsmeow.MediaImage,
	"video":    whatsmeow.MediaVideo,
	"audio":    whatsmeow.MediaAudio,
	"document": whatsmeow.MediaDocument,
	"sticker":  whatsmeow.MediaImage,
}

func (s step) take(ctx context.Context, client *whatsmeow.Client) (any, error) {
	switch s.Step {
	case "send":
		return s.send(ctx, client)
	case "upload":
		return s.upload(ctx, client)
	case "patch":
		patch, err := s.call(ctx, reflect.ValueOf(builders[s.Build]))
		if err != nil {
			return nil, err
		}
		return nil, client.SendAppState(ctx, patch.(appstate.PatchInfo))
	case "state":
		return fields{"id": client.Store.ID, "lid": client.Store.LID, "name": client.Store.PushName, "loggedIn": client.IsLoggedIn()}, nil
	}
	return s.method(ctx, client, s.Step)
}

func (s step) method(ctx context.Context, client *whatsmeow.Client, name string) (any, error) {
	method := reflect.ValueOf(client).MethodByName(name)
	if !method.IsValid() {
		return nil, fmt.Errorf("unknown step %q", name)
	}
	return s.call(ctx, method)
}

// call calls a function with the arguments of the step. What it returns beside its error is the result.
func (s step) call(ctx context.Context, function reflect.Value) (any, error) {
	var values []reflect.Value
	given := s.Args
	for at := 0; at < function.Type().NumIn(); at++ {
		kind := function.Type().In(at)
		if kind == reflect.TypeFor[context.Context]() {
			values = append(values, reflect.ValueOf(ctx))
			continue
		}
		isLast := function.Type().IsVariadic() && at == function.Type().NumIn()-1
		if isLast && len(given) == 0 {
			break
		}
		if isLast {
			kind = kind.Elem()
		}
		value := reflect.New(kind)
		if len(given) == 0 {
			return nil, fmt.Errorf("%s: argument %d is missing", s.Step, at)
		}
		if err := json.Unmarshal(given[0], value.Interface()); err != nil {
			return nil, err
		}
		given = given[1:]
		values = append(values, value.Elem())
	}
	var results []any
	for _, result := range function.Call(values) {
		if result.Type() != reflect.TypeFor[error]() {
			results = append(results, result.Interface())
		} else if !result.IsNil() {
			return nil, result.Interface().(error)
		}
	}
	if len(results) == 1 {
		return results[0], nil
	}
	return results, nil
}

func (s step) send(ctx context.Context, client *whatsmeow.Client) (any, error) {
	message := &waE2E.Message{}
	if s.Build != "" {
		built, err := s.method(ctx, client, s.Build)
		if err != nil {
			return nil, err
		}
		message = built.(*waE2E.Message)
	} else if err := protojson.Unmarshal(s.Message, message); err != nil {
		return nil, err
	}
	return client.SendMessage(ctx, s.To, message, whatsmeow.SendRequestExtra{Peer: s.Peer, MediaHandle: s.Handle})
}

// upload uploads a file. @returns the fields of the message that refer to it, and for a channel the handle of the upload
func (s step) upload(ctx context.Context, client *whatsmeow.Client) (any, error) {
	if s.ForChannel {
		file, err := client.UploadNewsletter(ctx, s.File, media[s.Kind])
		return fields{
			"handle": file.Handle,
			"file": fields{
				"URL": file.URL, "directPath": file.DirectPath, "fileSHA256": file.FileSHA256, "fileLength": file.FileLength,
			},
		}, err
	}
	file, err := client.Upload(ctx, s.File, media[s.Kind])
	return fields{
		"URL": file.URL, "directPath": file.DirectPath, "mediaKey": file.MediaKey,
		"fileEncSHA256": file.FileEncSHA256, "fileSHA256": file.FileSHA256, "fileLength": file.FileLength,
	}, err
}
