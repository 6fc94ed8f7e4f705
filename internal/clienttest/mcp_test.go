//go:build clients

package clienttest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

// serveMCP makes this process an MCP server on standard input and output. Its one tool says how the server was started; the
// signals that it gets before it ends go to the file SIGNALS, in order.
func serveMCP() {
	received := make(chan os.Signal, 4)
	signal.Notify(received, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		for sig := range received {
			log, err := os.OpenFile(os.Getenv("SIGNALS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
			if err != nil {
				panic(err)
			}
			fmt.Fprintln(log, sig)
			log.Close()
			if sig == syscall.SIGTERM {
				os.Exit(0)
			}
		}
	}()

	comm, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", os.Getppid()))
	group, _ := syscall.Getpgid(os.Getppid())
	report := fmt.Sprintf("parent %s, same group %t, arguments %q", strings.TrimSpace(string(comm)), group == syscall.Getpgrp(), os.Args[1:])

	answers := map[string]object{
		"initialize": {"protocolVersion": "2024-11-05", "capabilities": object{"tools": object{}}, "serverInfo": object{"name": "probe", "version": "1"}},
		"tools/list": {"tools": []object{{"name": "look", "description": "says how the server was started", "inputSchema": object{"type": "object"}}}},
		"tools/call": {"content": []object{{"type": "text", "text": report}}},
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var request struct {
			ID     any
			Method string
		}
		json.Unmarshal(lines.Bytes(), &request)
		if request.ID == nil {
			continue // a notification
		}
		answer := object{"jsonrpc": "2.0", "id": request.ID, "result": answers[request.Method]}
		if answers[request.Method] == nil {
			delete(answer, "result")
			answer["error"] = object{"code": -32601, "message": "no such method"}
		}
		json.NewEncoder(os.Stdout).Encode(answer)
	}
	select {} // the end of the input is no reason to end: a signal must come
}
