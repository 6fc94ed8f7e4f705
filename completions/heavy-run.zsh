#compdef heavy-run
# Made from the options: go test ./cmd/heavy-run -run TestDocuments -update

_heavy_run_units() {
  local -a units
  units=(${(f)"$(heavy-run --list 2> /dev/null | sed -n 's/^\(heavy-run-[^ ]*\) .*/\1/p')"})
  compadd -a units
}

_heavy_run_operands() {
  if (( ${+opt_args[--stop]} )); then
    _heavy_run_units
  else
    _normal
  fi
}

local -A opt_args
_arguments -S -A '-*' \
  '(-c --command)'{-c,--command}'[run STRING in the shell (bash or zsh from SHELL)]:STRING: ' \
  '*'{-p,--property}'[tighten a limit\: NAME=VALUE, with systemd'\''s names and values]:NAME=VALUE:(MemoryMax= MemorySwapMax= TasksMax= CPUWeight= CPUQuota= IOWeight= OOMPolicy= RuntimeMaxSec=)' \
  '--slice[put the scope into slice heavy-run-NAME, below heavy-run.slice]:NAME: ' \
  '--unit[name the scope heavy-run-NAME]:NAME: ' \
  '--description[describe the scope as TEXT in unit listings]:TEXT: ' \
  '--wait[wait at most TIME for a slot and for memory, as in 30s or 0]:TIME: ' \
  '--explain[say what exec-prefix would do and why, and run nothing]' \
  '--json[write JSON\: with --explain, --list, --doctor or --show-config]' \
  '--batch[with --explain --json\: one verdict a line for JSON lines on stdin]' \
  '--list[list the commands that run in scopes now]' \
  '--watch[with --list\: again every two seconds]' \
  '--stop[stop the scopes that are named after the options]' \
  '--all[with --stop\: stop every one]' \
  '--doctor[check what isolation needs on this host and try it; 1 where it is impossible]' \
  '--show-config[print every setting with the file it comes from; 1 where a line is wrong]' \
  '--version[print the version]' \
  '(-h --help)'{-h,--help}'[print the options with an example]' \
  '*:: :_heavy_run_operands'
