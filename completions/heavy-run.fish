# fish completion for heavy-run. Made from its options: go test ./cmd/heavy-run -run TestDocuments -update
complete -c heavy-run -l command -s c -x -d 'run STRING in the shell (bash or zsh from SHELL)'
complete -c heavy-run -l property -s p -x -a 'MemoryMax= MemorySwapMax= TasksMax= CPUWeight= CPUQuota= IOWeight= OOMPolicy= RuntimeMaxSec=' -d 'tighten a limit: NAME=VALUE, with systemd\'s names and values'
complete -c heavy-run -l slice -x -d 'put the scope into slice heavy-run-NAME, below heavy-run.slice'
complete -c heavy-run -l unit -x -d 'name the scope heavy-run-NAME'
complete -c heavy-run -l description -x -d 'describe the scope as TEXT in unit listings'
complete -c heavy-run -l wait -x -d 'wait at most TIME for a slot and for memory, as in 30s or 0'
complete -c heavy-run -l explain -d 'say what exec-prefix would do and why, and run nothing'
complete -c heavy-run -l json -d 'write JSON: with --explain, --list, --doctor or --show-config'
complete -c heavy-run -l batch -d 'with --explain --json: one verdict a line for JSON lines on stdin'
complete -c heavy-run -l list -d 'list the commands that run in scopes now'
complete -c heavy-run -l watch -d 'with --list: again every two seconds'
complete -c heavy-run -l stop -d 'stop the scopes that are named after the options'
complete -c heavy-run -l all -d 'with --stop: stop every one'
complete -c heavy-run -l doctor -d 'check what isolation needs on this host and try it; 1 where it is impossible'
complete -c heavy-run -l show-config -d 'print every setting with the file it comes from; 1 where a line is wrong'
complete -c heavy-run -l version -d 'print the version'
complete -c heavy-run -l help -s h -d 'print the options with an example'
complete -c heavy-run -n '__fish_seen_argument -l stop' -f -a "(heavy-run --list 2> /dev/null | string match -r '^heavy-run-\S+')"

# What stands after the options is completed as if it stood alone. (fish's own __fish_complete_subcommand loses count at a value
# that has an equals sign.)
function __heavy_run_complete_command
  set -l words (commandline -opc) (commandline -ct)
  set -e words[1]
  while set -q words[1]
    switch $words[1]
      case -c -p --command --property --slice --unit --description --wait
        set -e words[1..2]
      case --
        set -e words[1]
        break
      case '-*'
        set -e words[1]
      case '*'
        break
    end
  end
  set -q words[1]; and complete -C "$words"
end
complete -c heavy-run -n 'not __fish_seen_argument -l stop' -x -a '(__heavy_run_complete_command)'
