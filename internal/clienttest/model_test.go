//go:build clients

package clienttest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// object is a JSON object.
type object = map[string]any

// A step is one tool call of a scripted model.
type step struct {
	call  func(read []result) (tool string, input object) // sees what the model has read so far and may wait for something to happen
	until *regexp.Regexp                                  // the call is made again until it returns this; nil: once
}

// result is what the model reads after a call.
type result struct {
	Text  string
	Error bool // as the client flags it; OpenClaw has no such flag
}

// call is a step that needs to know nothing.
func call(tool string, input object) step {
	return step{call: func([]result) (string, object) { return tool, input }}
}

// model stands in for a language model: it makes the calls of its script, one an answer, keeps what the client says they
// returned, and ends by repeating the last thing that it read. It speaks as much of Anthropic's messages API and of OpenAI's chat completions as the two
// clients use, on a port of the loopback interface.
type model struct {
	*httptest.Server
	tool   string // requests without this tool are the client's own business, such as a title for the session
	script []step

	mu   sync.Mutex
	read []result
}

func newModel(t *testing.T, tool string, script ...step) *model {
	m := &model{tool: tool, script: script}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/messages", m.messages)
	mux.HandleFunc("POST /v1/chat/completions", m.completions)
	m.Server = httptest.NewServer(mux)
	t.Cleanup(m.Close)
	return m
}

// results is what the model has read so far, one for each step of the script that was answered: of a call that was made
// again, the last.
func (m *model) results() []result {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.read)
}

// answer takes the results that a request carries, in order, and gives the next call, or a text when the script is over.
func (m *model) answer(tools []string, results []result) (text, id, tool string, input object) {
	if !slices.Contains(tools, m.tool) {
		return "ok", "", "", nil
	}
	// By the results in this very request: a client that asks again gets the same answer again.
	read, n := []result{}, 0 // n is the next step
	for _, r := range results {
		if n == len(read) {
			read = append(read, r)
		} else {
			read[n] = r
		}
		if n < len(m.script) && m.script[n].until != nil && !m.script[n].until.MatchString(r.Text) {
			continue
		}
		n++
	}
	m.mu.Lock()
	if len(read) >= len(m.read) {
		m.read = read
	}
	m.mu.Unlock()
	if n >= len(m.script) {
		if n == 0 {
			return "ok", "", "", nil
		}
		return read[n-1].Text, "", "", nil
	}
	tool, input = m.script[n].call(read)
	return "", fmt.Sprintf("call_%d", len(results)), tool, input
}

// content is a message's text, which both APIs allow as a string and as a list of parts.
type content []part

type part struct {
	Type    string  `json:"type"`
	Text    string  `json:"text"`
	Content content `json:"content"`  // of a tool_result
	IsError bool    `json:"is_error"` // of a tool_result
}

func (c *content) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		*c = content{{}}
		return json.Unmarshal(data, &(*c)[0].Text)
	}
	return json.Unmarshal(data, (*[]part)(c))
}

func (c content) String() string {
	var texts []string
	for _, p := range c {
		texts = append(texts, p.Text)
	}
	return strings.Join(texts, "\n")
}

// messages is Anthropic's API.
func (m *model) messages(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Model    string
		Tools    []struct{ Name string }
		Messages []struct{ Content content }
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var tools []string
	for _, t := range request.Tools {
		tools = append(tools, t.Name)
	}
	var results []result
	for _, message := range request.Messages {
		for _, p := range message.Content {
			if p.Type == "tool_result" {
				results = append(results, result{p.Content.String(), p.IsError})
			}
		}
	}
	text, id, tool, input := m.answer(tools, results)

	block, delta, reason := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": text}, "end_turn"
	if tool != "" {
		words, _ := json.Marshal(input)
		block, delta = object{"type": "tool_use", "id": id, "name": tool, "input": object{}}, object{"type": "input_json_delta", "partial_json": string(words)}
		reason = "tool_use"
	}
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(kind string, event object) {
		event["type"] = kind
		data, _ := json.Marshal(event)
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, data)
	}
	send("message_start", object{"message": object{"id": "msg_" + id, "type": "message", "role": "assistant", "model": request.Model,
		"content": []any{}, "usage": object{"input_tokens": 1, "output_tokens": 1}}})
	send("content_block_start", object{"index": 0, "content_block": block})
	send("content_block_delta", object{"index": 0, "delta": delta})
	send("content_block_stop", object{"index": 0})
	send("message_delta", object{"delta": object{"stop_reason": reason}, "usage": object{"output_tokens": 1}})
	send("message_stop", object{})
}

// completions is OpenAI's API.
func (m *model) completions(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Tools    []struct{ Function struct{ Name string } }
		Messages []struct {
			Role    string
			Content content
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var tools []string
	for _, t := range request.Tools {
		tools = append(tools, t.Function.Name)
	}
	var results []result
	for _, message := range request.Messages {
		if message.Role == "tool" {
			results = append(results, result{Text: message.Content.String()})
		}
	}
	text, id, tool, input := m.answer(tools, results)

	delta, reason := object{"role": "assistant", "content": text}, "stop"
	if tool != "" {
		words, _ := json.Marshal(input)
		delta = object{"role": "assistant", "content": nil, "tool_calls": []any{object{"index": 0, "id": id, "type": "function",
			"function": object{"name": tool, "arguments": string(words)}}}}
		reason = "tool_calls"
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, choice := range []object{{"delta": delta, "finish_reason": nil}, {"delta": object{}, "finish_reason": reason}} {
		choice["index"] = 0
		data, _ := json.Marshal(object{"id": "chatcmpl-" + id, "object": "chat.completion.chunk", "created": 1, "model": "scripted", "choices": []any{choice}})
		fmt.Fprintf(w, "data: %s\n\n", data)
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}
