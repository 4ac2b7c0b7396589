type Rule = { needs: string[]; recipe: string };
type Makefile = { rules: Map<string, Rule>; first: string | undefined; rest: string; includes: string[] };

/** The commands that a Makefile runs for these words of a command line, through the targets that they need, and the files it includes. */
export function makeCommands(text: string, words: readonly string[]): { recipes: string; includes: string[] } {
  const file = readMakefile(text);
  return {
    recipes: reached(file, words)
      .map((name) => file.rules.get(name)?.recipe ?? '')
      .join('\n'),
    includes: file.includes,
  };
}

/** Whether a Makefile does the same for these words: the same variables and the same reached targets. */
export function runsTheSame(base: string, candidate: string, words: readonly string[]): boolean {
  const [before, after] = [readMakefile(base), readMakefile(candidate)];
  const shown = (file: Makefile) =>
    JSON.stringify([
      file.rest,
      ...reached(file, words)
        .sort()
        .map((name) => [name, file.rules.get(name)]),
    ]);
  return shown(before) === shown(after);
}

function reached(file: Makefile, words: readonly string[]): string[] {
  const named = words.filter((word) => file.rules.has(word));
  const queue = named.length > 0 ? named : file.first === undefined ? [] : [file.first];
  const found = new Set<string>();
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    const rule = file.rules.get(name);
    if (rule === undefined) continue;
    const called = [...rule.recipe.matchAll(/(?:\$\(MAKE\)|\$\{MAKE\}|\bmake)([^\n;&|]*)/g)].flatMap(([, rest = '']) =>
      rest.split(/\s+/),
    );
    queue.push(...[...rule.needs, ...called].filter((need) => file.rules.has(need)));
  }
  return [...found];
}

/** The files that an include names, as globs: what a variable stands for is not known. */
function includedNames(text: string): string[] {
  return text
    .replace(/#.*$/, '')
    .replace(/\$[({]wildcard\s+([^)}]*)[)}]/g, '$1')
    .replace(/\$(?:\([^)]*\)|\{[^}]*\}|\w)\/?/g, '**/')
    .split(/\s+/)
    .filter((name) => name !== '' && name !== '**/');
}

function readMakefile(text: string): Makefile {
  const rules = new Map<string, Rule>();
  const rest: string[] = [];
  const includes: string[] = [];
  let first: string | undefined;
  let open: string[] = [];
  for (const line of text
    .slice(0, 200_000)
    .replace(/\\\r?\n/g, ' ')
    .split(/\r?\n/)) {
    if (/^\t/.test(line)) {
      for (const name of open) {
        const rule = rules.get(name);
        if (rule !== undefined) rule.recipe += `${line.replace(/^\t[@+-]*/, '')}\n`;
      }
      if (open.length === 0) rest.push(line);
      continue;
    }
    if (line.trim() === '' || /^\s*#/.test(line)) continue;
    const [, targets, after = ''] = /^([^\s:=#][^:=#]*?)\s*::?(?!=)\s*([^=]*)$/.exec(line) ?? [];
    open = [];
    if (targets === undefined) {
      rest.push(line);
      includes.push(...includedNames(/^\s*-?s?include\s+(.+)$/.exec(line)?.[1] ?? ''));
      continue;
    }
    if (targets === '.PHONY') continue;
    const [needs = '', ...recipe] = after.split(';');
    open = targets.split(/\s+/);
    for (const name of open) {
      const known = rules.get(name) ?? { needs: [], recipe: '' };
      rules.set(name, {
        needs: [...known.needs, ...needs.split(/\s+/).filter((need) => need !== '' && need !== '|')],
        recipe: known.recipe + recipe.join(';'),
      });
      if (!name.startsWith('.')) first ??= name;
      // A pattern rule or a special target can take part in any other.
      if (/[%$]|^\./.test(name)) rest.push(line);
    }
  }
  return { rules, first, rest: rest.join('\n'), includes };
}
