const SHELL = /^(?:Bash|ShellTool|run_shell_command)\((.+)\)$/;

/** The beginnings of shell commands that tool patterns mean, in whichever agent's words: `Bash(git push *)` is `git push`. */
export function shellPrefixes(patterns: readonly string[]): string[] {
  return patterns.flatMap((pattern) => SHELL.exec(pattern)?.[1]?.replace(/[\s:]*\*$/, '') ?? []);
}
