#!/bin/sh
# svg.sh < TRANSCRIPT > SVG - the demo's transcript as a picture that plays itself: colours for a light and a dark page, the
#   reader's own fixed-width font, no motion for who wants none. The same transcript always gives the same picture.
set -eu
exec awk '
function escaped(text) { gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text); return text }
function span(class, text) { return "<tspan class=\"" class "\">" text "</tspan>" }
{
  text = escaped($0)
  pause = 0.2
  if ($0 ~ /^[0-9]+\. /) {
    pause = 1.2
    match(text, /   \(.*/)
    text = span("b", substr(text, 1, RSTART - 1)) span("d", substr(text, RSTART))
  } else if ($0 ~ /^  agent> /) {
    text = span("b", text)
    pause = 0.8
  } else if ($0 ~ /^  \| exec-prefix: /) {
    text = span("d", "  |") span("y", substr(text, 4))
    pause = 0.9
  } else if ($0 ~ /^  \| /) {
    text = span("d", "  |") substr(text, 4)
    pause = 0.5
  } else if ($0 ~ /^  systemd: /) {
    sub(/oom-kill/, span("r", "&"), text)
    pause = 0.9
  } else if ($0 ~ /^  Gateway .* is dead/) {
    sub(/Gateway[^.]*\./, span("r", "&"), text)
  } else if ($0 ~ /^  Gateway .* is still there/) {
    sub(/Gateway.*still there/, span("g", "&"), text)
  }
  if (length($0) > columns) columns = length($0)
  begin += pause
  if ($0 != "") lines = lines sprintf("<text x=\"16\" y=\"%d\" style=\"animation-delay:%.1fs\">%s</text>\n", 32 + 19 * (NR - 1), begin, text)
}
END {
  width = 32 + int(columns * 7.9)
  height = 28 + 19 * NR
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\" xml:space=\"preserve\">\n", width, height, width
  print "<title>heavy-run: the same command kills a gateway, and behind exec-prefix only itself</title>"
  print "<style>"
  print "  rect { fill: #f6f8fa; stroke: #d0d7de }"
  print "  text { fill: #1f2328; font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre }"
  print "  .b { font-weight: bold } .d { fill: #6e7781 } .r { fill: #cf222e } .g { fill: #1a7f37 } .y { fill: #7d4e00 }"
  print "  @media (prefers-color-scheme: dark) {"
  print "    rect { fill: #0d1117; stroke: #30363d } text { fill: #e6edf3 }"
  print "    .d { fill: #8b949e } .r { fill: #ff7b72 } .g { fill: #3fb950 } .y { fill: #e3b341 }"
  print "  }"
  print "  @media (prefers-reduced-motion: no-preference) { text { opacity: 0; animation: shown 0.1s forwards } }"
  print "  @keyframes shown { to { opacity: 1 } }"
  print "</style>"
  printf "<rect x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"6\"/>\n", width - 1, height - 1
  printf "%s</svg>\n", lines
}'
