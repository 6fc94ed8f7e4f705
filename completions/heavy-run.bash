# bash completion for heavy-run. Made from its options: go test ./cmd/heavy-run -run TestDocuments -update
_heavy_run() {
  local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} stop= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
    -c | -p | --command | --property | --slice | --unit | --description | --wait) ((++i)) ;;
    --stop) stop=yes ;;
    -?*) [ "${COMP_WORDS[i]}" != -- ] || break ;;
    *) break ;;
    esac
  done
  if [ -n "$stop" ] && [[ $cur != -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(heavy-run --list 2> /dev/null | sed -n 's/^\(heavy-run-[^ ]*\) .*/\1/p')" -- "$cur")
  elif ((i < COMP_CWORD)); then # a command and its arguments
    [ "${COMP_WORDS[i]}" != -- ] || ((++i))
    if declare -F _command_offset > /dev/null; then
      _command_offset "$i"
    elif ((i == COMP_CWORD)); then
      mapfile -t COMPREPLY < <(compgen -c -- "$cur")
    else
      mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    fi
  elif [ "$previous" = -p ] || [ "$previous" = --property ]; then
    mapfile -t COMPREPLY < <(compgen -W "MemoryMax= MemorySwapMax= TasksMax= CPUWeight= CPUQuota= IOWeight= OOMPolicy= RuntimeMaxSec=" -- "$cur")
    compopt -o nospace 2> /dev/null
  elif [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "-c -p -h --command --property --slice --unit --description --wait --explain --json --batch --list --watch --stop --all --doctor --show-config --version --help" -- "$cur")
  elif ((i == COMP_CWORD)); then
    mapfile -t COMPREPLY < <(compgen -c -- "$cur")
  fi
}
complete -o default -F _heavy_run heavy-run
