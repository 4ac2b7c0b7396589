/** Names carry their units; a form shows them beside the number instead. */
const UNITS: readonly [RegExp, string][] = [
  [/Seconds$/, 'seconds'],
  [/Ms$/, ''],
  [/Bytes$/, 'bytes'],
  [/Mb$/, 'MB'],
  [/Usd$/, 'US dollars'],
];
const WORDS: Readonly<Record<string, string>> = {
  cli: 'CLI',
  mcp: 'MCP',
  pr: 'Pull requests',
  env: 'Environment',
  args: 'Arguments',
  dir: 'Folder',
  dirs: 'folders',
  openai: 'OpenAI',
  ccswitch: 'CC Switch',
};

/** A name of a setting in words: `maxParallel` becomes "Max parallel". */
export function titleOf(key: string): string {
  const bare = UNITS.reduce((name, [unit]) => name.replace(unit, ''), key) || key;
  const words = bare
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[-_.]/g, ' ')
    .toLowerCase()
    .split(' ')
    .map((word) => WORDS[word] ?? word);
  const text = words.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What a number counts, as its name says. */
export function unitOf(key: string): string | undefined {
  if (key === 'budget' || key === 'spend') return 'US dollars';
  if (key === 'seconds') return 'seconds';
  return UNITS.find(([unit]) => unit.test(key))?.[1];
}
