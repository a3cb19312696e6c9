// Command witness drives whatsmeow, as it is published, on a sandbox network.
//
// It reads one step a line from standard input, as JSON ({"step": "SendPresence", "args": ["available"]}), and prints one JSON
// object a line: what whatsmeow reports, its warnings and errors, and the end of each step.
package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/store/sqlstore"
	_ "modernc.org/sqlite"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: witness <address of the sandbox, http://host:port> <root key in hex> <folder that keeps the keys>")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(address, rootKey, folder string) error {
	sandbox, err := url.Parse(address)
	if err != nil {
		return err
	}
	if err = trust(rootKey); err != nil {
		return err
	}
	client, err := newClient(context.Background(), filepath.Join(folder, "keys.db"))
	if err != nil {
		return err
	}
	http := dialOnly(sandbox.Host)
	client.SetWebsocketHTTPClient(http)
	client.SetPreLoginHTTPClient(http)
	client.SetMediaHTTPClient(http)
	client.AddEventHandler(func(event any) { report(client, event) })
	defer client.Disconnect()
	return takeSteps(client)
}

// trust replaces the root key that whatsmeow pins by the sandbox's.
func trust(hexKey string) error {
	var key []byte
	if _, err := fmt.Sscanf(hexKey, "%x", &key); err != nil || len(key) != len(whatsmeow.WACertPubKey) {
		return fmt.Errorf("the root key is not %d bytes in hex", len(whatsmeow.WACertPubKey))
	}
	copy(whatsmeow.WACertPubKey[:], key)
	return nil
}

func newClient(ctx context.Context, file string) (*whatsmeow.Client, error) {
	db, err := sql.Open("sqlite", "file:"+file+"?_pragma=foreign_keys(1)&_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(0)")
	if err != nil {
		return nil, err
	}
	// one connection: SQLite lets only one write at a time
	db.SetMaxOpenConns(1)
	container := sqlstore.NewWithDB(db, "sqlite3", logger{"Database"})
	if err = container.Upgrade(ctx); err != nil {
		return nil, err
	}
	device, err := container.GetFirstDevice(ctx)
	if err != nil {
		return nil, err
	}
	whatsmeow.KeepAliveIntervalMin, whatsmeow.KeepAliveIntervalMax = 2*time.Second, 3*time.Second
	whatsmeow.KeepAliveResponseDeadline, whatsmeow.KeepAliveMaxFailTime = time.Second, 2*time.Second
	client := whatsmeow.NewClient(device, logger{"Client"})
	client.EmitAppStateEventsOnFullSync = true
	client.AutomaticMessageRerequestFromPhone = true
	return client, nil
}

// dialOnly makes an HTTP client that reaches one host, whatever the name in the URL: the sandbox plays all hosts of WhatsApp, without TLS.
func dialOnly(host string) *http.Client {
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, host)
	}
	return &http.Client{Transport: &http.Transport{DialContext: dial, DialTLSContext: dial}}
}

func takeSteps(client *whatsmeow.Client) error {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var step step
		if err := json.Unmarshal(lines.Bytes(), &step); err != nil {
			return err
		}
		result, err := step.take(context.Background(), client)
		if err != nil {
			show("failed", fields{"step": step.Step, "error": err.Error()})
		} else {
			show("done", fields{"step": step.Step, "result": result})
		}
	}
	return lines.Err()
}

type fields map[string]any

var output sync.Mutex

func show(event string, what fields) {
	what["event"] = event
	line, err := json.Marshal(what)
	if err != nil {
		panic(err)
	}
	output.Lock()
	defer output.Unlock()
	fmt.Println(string(line))
}
