/** Runs of these programs read `scripts` of a package.json. */
export const SCRIPT_RUNNERS =
  /(^|[\s;&|("'])(npm|pnpm|yarn|bun|npx|corepack|turbo|nx|lerna|wireit|run-s|run-p|npm-run-all)(?=$|[\s;&|)"'])|--run\b/;
/** Scripts that an installation runs by itself. */
const LIFECYCLE =
  /^(pre|post)?(install|prepare|pack|publish|version|dependencies)$|^prepublishOnly$|^(pre|post)?uninstall$/;
/** Names of scripts that these commands can come to, through each other, through pre and post, and through an installation. */
export function reachableScripts(scripts: ReadonlyMap<string, string>, texts: readonly string[]): Set<string> {
  const reached = new Set<string>();
  const queue = [...scripts.keys()].filter((name) => LIFECYCLE.test(name));
  const read = (text: string) => queue.push(...namedScripts(text, scripts));
  for (const text of texts) read(text);
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (reached.has(name)) continue;
    reached.add(name);
    for (const around of [`pre${name}`, `post${name}`]) if (scripts.has(around)) queue.push(around);
    read(scripts.get(name) ?? '');
  }
  return reached;
}

/** Scripts that a text of commands names. */
export function namedScripts(text: string, scripts: ReadonlyMap<string, string>): string[] {
  return words(text).flatMap((word) => {
    if (/^(t|tst|it|cit|install-test)$/.test(word)) return scripts.has('test') ? ['test'] : [];
    if (scripts.has(word)) return [word];
    // A pattern with a slash or a dot is one of files, not of scripts.
    if (/[./]/.test(word)) return [];
    const start = /^[^*?{[(!+@]*(?=[*?{[(!+@])/.exec(word)?.[0];
    return start === undefined ? [] : [...scripts.keys()].filter((name) => name.startsWith(start));
  });
}

function words(text: string): string[] {
  return text.split(/[\s;&|()<>"'`=,]+/).filter((word) => word !== '');
}
