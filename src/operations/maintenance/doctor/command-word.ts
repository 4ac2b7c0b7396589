/** The program that a configured command starts, and the folder it starts it in; undefined where only a shell could tell. */
export function commandWord(command: string | readonly string[]): { program: string; folder: string } | undefined {
  if (typeof command !== 'string') return command[0] === undefined ? undefined : { program: command[0], folder: '.' };
  const entered = /^\s*cd\s+([\w./-]+)\s*&&\s*(.*)$/s.exec(command);
  const text = entered?.[2] ?? command;
  const program = /^\s*(?:[A-Za-z_]\w*=[\w./:@%+,-]*\s+)*([\w./+@-]+)(?=\s|$)/.exec(text)?.[1];
  return program === undefined ? undefined : { program, folder: entered?.[1] ?? '.' };
}

/** The script of a package.json that a command runs, if it runs one. */
export function scriptWord(command: string | readonly string[]): string | undefined {
  const text = typeof command === 'string' ? command.replace(/^\s*cd\s+[\w./-]+\s*&&\s*/, '') : command.join(' ');
  const named = /^\s*(?:npm|pnpm|yarn|bun)\s+run\s+(?:-\S+\s+)*([\w:.-]+)/.exec(text)?.[1];
  return named ?? (/^\s*(?:npm|pnpm|yarn)\s+(?:t|test)(?=\s|$)/.test(text) ? 'test' : undefined);
}
