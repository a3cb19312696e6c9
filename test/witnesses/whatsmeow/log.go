package main

import (
	"fmt"
	"os"

	signalLog "go.mau.fi/libsignal/logger"
	waLog "go.mau.fi/whatsmeow/util/log"
)

// logger prints warnings and errors as events, and the rest to standard error if WITNESS_LOG is set.
type logger struct{ module string }

func (l logger) Warnf(text string, values ...any)  { l.event("warn", text, values) }
func (l logger) Errorf(text string, values ...any) { l.event("error", text, values) }
func (l logger) Infof(text string, values ...any)  { l.note(text, values) }
func (l logger) Debugf(text string, values ...any) { l.note(text, values) }

func (l logger) Sub(module string) waLog.Logger { return logger{l.module + "/" + module} }

func (l logger) event(level, text string, values []any) {
	show("log", fields{"level": level, "module": l.module, "text": fmt.Sprintf(text, values...)})
}

func (l logger) note(text string, values []any) {
	if os.Getenv("WITNESS_LOG") != "" {
		fmt.Fprintf(os.Stderr, "%s: %s\n", l.module, fmt.Sprintf(text, values...))
	}
}

// signal prints what the Signal library of whatsmeow complains of, which it would print to standard output.
type signal struct{ logger }

func init() {
	var loggable signalLog.Loggable = signal{logger{"Signal"}}
	signalLog.Setup(&loggable)
}

func (s signal) Debug(caller, text string)   { s.note("%s: %s", []any{caller, text}) }
func (s signal) Info(caller, text string)    { s.note("%s: %s", []any{caller, text}) }
func (s signal) Warning(caller, text string) { s.event("warn", "%s: %s", []any{caller, text}) }
func (s signal) Error(caller, text string)   { s.event("error", "%s: %s", []any{caller, text}) }
func (s signal) Configure(string)            {}
