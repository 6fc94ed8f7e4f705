package detect

import "strings"

// container judges docker, podman and their like. What they run belongs to a daemon's control group or to one of its own:
// a limit of ours would not hold it, so at most it may be heavy. With --memory it is limited already.
func (w *walker) container(name string, args []string) bool {
	sorted := optionsOf(name).sort(args)
	operands := sorted.operands
	if len(operands) > 0 && (operands[0] == "container" || operands[0] == "compose") {
		operands = operands[1:]
	}
	if len(operands) == 0 {
		return false
	}
	verb := operands[0]
	at := 0
	for i := range args {
		if args[i] == verb {
			at = i + 1
			break
		}
	}
	if verb != "run" && verb != "exec" && (verb != "create" || name == "compose") {
		return false
	}
	rest := args[at:]
	limited, entry, i := false, "", 0
	for ; i < len(rest) && len(rest[i]) > 1 && rest[i][0] == '-'; i++ {
		a := rest[i]
		if a == "--" {
			i++
			break
		}
		opt := option(rest[i:], &containerOptions)
		if opt.ends {
			return true
		}
		i += opt.next
		if opt.name == "--entrypoint" {
			entry = opt.value
		}
		if strings.HasPrefix(a, "--memory=") || a == "--memory" || strings.HasPrefix(a, "-m") {
			limited = finite(opt.value)
		}
	}
	compose := name == "compose" || len(sorted.operands) > 0 && sorted.operands[0] == "compose"
	if compose && verb == "run" {
		if r, sub := w.match(name, sorted.operands, args); r != nil {
			w.noteRule(r, name, sub)
		}
	}
	saved := w.surroundings
	w.elsewhere = true
	w.limited = w.limited || limited && verb == "run"
	w.via = "in a container"
	for rest = rest[min(i, len(rest)):]; len(rest) > 0; rest = rest[1:] { // rest[0] is the image, container or service
		inside := rest[1:]
		if len(inside) > 0 && inside[0] == "--" { // buildah run c -- make
			inside = inside[1:]
		}
		w.external(append(strings.Fields(entry), inside...))
		if !maybeNothing(rest[0]) || len(rest) > 1 && knownProgram(rest[1]) {
			break
		}
	}
	w.surroundings = saved
	return true
}

var containerOptions = wrapper{
	values: "-v -e -p -w -u -h -l -m -c -a --volume --env --env-file --publish --workdir --user --name --network --net --hostname --label --label-file --mount --memory --memory-swap --memory-reservation --memory-swappiness --cpus --cpu-shares --cpuset-cpus --entrypoint --add-host --cap-add --cap-drop --device --dns --gpus --ipc --pid --platform --pull --restart --security-opt --shm-size --stop-signal --sysctl --tmpfs --ulimit --userns --volumes-from --oom-score-adj --pids-limit --log-driver --log-opt --group-add --link --expose --health-cmd --cidfile --cgroup-parent --runtime --isolation --annotation --index --detach-keys --attach --domainname --ip --ip6 --network-alias --cgroupns --dns-search --dns-option --stop-timeout --cpu-quota --cpu-period --cpuset-mems --health-interval --health-retries --health-start-period --health-timeout --uts --pod --secret --tz --arch --os --umask --systemd --timeout --creds",
	ends:   "--help",
}
