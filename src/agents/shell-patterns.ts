const SHELL = /^(?:Bash|ShellTool|run_shell_command)\((.+)\)$/;

/** The shell command prefixes of tool patterns in any agent's syntax: `Bash(git push *)` is `git push`. */
export function shellPrefixes(patterns: readonly string[]): string[] {
  return patterns.flatMap((pattern) => SHELL.exec(pattern)?.[1]?.replace(/[\s:]*\*$/, '') ?? []);
}
