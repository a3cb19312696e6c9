import { CliError } from '../errors.js';

/** Printed by the hidden command `complete` if a file name is expected. */
export const FILES = ':files';

/**
 * Completion script of a shell; it calls the hidden command `complete`.
 * @throws CliError `usage` for an unsupported shell
 */
export function completionScript(shell: string, bin: string): string {
  const script = SCRIPTS[shell];
  if (script === undefined) throw new CliError('usage', `there is no script for ${shell}`);
  return script.replaceAll('@bin@', bin).replaceAll('@files@', FILES);
}

const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `# completion of @bin@ for bash
_@bin@() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == '@files@' ]]; then
      compopt -o default 2>/dev/null
    else
      COMPREPLY+=("\${line%%$'\\t'*}")
    fi
  done < <(@bin@ complete --escape -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _@bin@ @bin@
`,
  zsh: `#compdef @bin@
# completion of @bin@ for zsh
_@bin@() {
  local line name
  local -a candidates
  for line in "\${(@f)$(@bin@ complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == '@files@' ]]; then
      _files
    elif [[ -n $line ]]; then
      name=\${line%%$'\\t'*}
      candidates+=("\${name//:/\\\\:}:\${line#*$'\\t'}")
    fi
  done
  (( $#candidates )) && _describe -t commands @bin@ candidates
}
if [[ $funcstack[1] == _@bin@ ]]; then
  _@bin@ "$@"
else
  compdef _@bin@ @bin@
fi
`,
  fish: `# completion of @bin@ for fish
function __@bin@_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (@bin@ complete -- $words[2..-1] "$current" 2>/dev/null)
    if contains -- '@files@' $lines
        __fish_complete_path "$current"
    else
        string join \\n -- $lines
    end
end
complete -c @bin@ -f -a '(__@bin@_complete)'
`,
};

export const SHELLS = Object.keys(SCRIPTS);
