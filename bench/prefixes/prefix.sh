#!/bin/dash
# The least that a prefix can do, as a script: raise oom_score_adj and become the shell.
echo 1000 > /proc/self/oom_score_adj
exec bash "$@"
