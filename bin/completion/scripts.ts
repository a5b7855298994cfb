/** `onair completion <shell>` prints what the shell loads. The candidates come from the program itself, so the script never ages. */

/** Names hold spaces, so bash gets each candidate quoted; what follows the tab is for shells that show it. */
const BASH = `# Load it with: source <(onair completion bash)
_onair() {
  local line
  local current="\${COMP_WORDS[COMP_CWORD]}"
  # A word that is begun with a quotation mark is looked up without it, and completed within it.
  local quote=""
  case "$current" in [\\"\\']*) quote=1; current="\${current:1}" ;; esac
  COMPREPLY=()
  while IFS=$'\\t' read -r line _; do
    [ -n "$quote" ] || line="$(printf '%q' "$line")"
    COMPREPLY+=("$line")
  done < <(onair __complete "\${COMP_WORDS[@]:1:COMP_CWORD-1}" "$current" 2>/dev/null)
}
complete -o default -F _onair onair
`;

const ZSH = `#compdef onair
# Load it with: source <(onair completion zsh)
_onair() {
  local -a words_found abouts
  local word about
  while IFS=$'\\t' read -r word about; do
    words_found+=("$word")
    abouts+=("$word\${about:+  -- $about}")
  done < <(onair __complete "\${(@Q)words[2,CURRENT-1]}" "\${(Q)words[CURRENT]}" 2>/dev/null)
  if (( \${#words_found} )); then
    compadd -d abouts -l -a words_found
  else
    _files
  fi
}
if [ "$funcstack[1]" = "_onair" ]; then
  _onair "$@"
else
  compdef _onair onair
fi
`;

const FISH = `# Load it with: onair completion fish | source
function __onair_complete
  set -l words (commandline -opc) (commandline -ct | string unescape)
  set -l found (onair __complete $words[2..-1] 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c onair -f -a '(__onair_complete)'
`;

export const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH } as const;
export type Shell = keyof typeof SCRIPTS;

export function printScript(shell: Shell): void {
  process.stdout.write(SCRIPTS[shell]);
}
