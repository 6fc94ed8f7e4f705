package cgroup

import (
	"path"
	"strings"
)

// Controllers are those that are available to g: "memory", "pids" and so on. It is empty where g is not there.
func (g Group) Controllers() []string {
	data, _ := readFile(path.Join(g.dir, "cgroup.controllers"))
	return strings.Fields(string(data))
}
