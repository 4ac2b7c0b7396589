import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeScratch, type Scratch } from './scratch.ts';

/**
 * Makes the file that its feature names, or looks whether it is there. Every start is put down in $HOME/ledger; $HOME/implementer
 * and $HOME/verifier are shell lines that are carried out first.
 */
const AGENT = `#!/bin/sh
prompt=$(cat)
file=$(printf '%s' "$prompt" | grep -oE 'Create [a-z0-9]+[.]txt' | head -1 | cut -d' ' -f2)
echo "$MANYHANDS_ROLE $file" >> "$HOME/ledger"
if [ "$MANYHANDS_ROLE" = verify ]; then
  [ ! -e "$HOME/verifier" ] || . "$HOME/verifier"
  if [ -e "$file" ]; then echo "STEP 1: PASS it is there"; else echo "STEP 1: FAIL it is not there"; fi
  exit 0
fi
[ ! -e "$HOME/implementer" ] || . "$HOME/implementer"
echo more >> "$file"
`;

/** A repository whose features each ask for a file, and an agent that makes it. */
export async function makeFeatures(
  names: readonly string[],
  options: {
    settings?: string;
    limits?: string;
    files?: Record<string, string>;
    verifier?: string;
    implementer?: string;
  } = {},
): Promise<Scratch> {
  const settings = `agents: { hand: { kind: command, command: ../agent.sh } }
limits: { retryDelaySeconds: 0, ${options.limits ?? 'attempts: 2'} }
checks: ["test -e base.txt"]
${options.settings ?? ''}`;
  const project = await makeScratch({
    files: {
      'base.txt': 'base\n',
      'features.json': featuresText(names),
      '.manyhands/config.yaml': settings,
      ...options.files,
    },
  });
  writeFileSync(join(project.root, 'agent.sh'), AGENT, { mode: 0o755 });
  for (const who of ['verifier', 'implementer'] as const)
    if (options[who] !== undefined) writeFileSync(join(project.root, who), `${options[who]}\n`);
  return project;
}

/** A features file, one feature a line, with a key of the user's own. */
export function featuresText(names: readonly string[]): string {
  const lines = names.map((name, index) => {
    const about = `"id": ${index + 1}, "category": "core", "name": "Add ${name}", "description": "Create ${name}.txt"`;
    return `    { ${about}, "steps": ["${name}.txt exists"], "status": "open", "owner": "me" }`;
  });
  return `{\n  "features": [\n${lines.join(',\n')}\n  ]\n}\n`;
}

/** What the file says of each feature. */
export function statuses(project: Scratch): string[] {
  const text = readFileSync(join(project.repo, 'features.json'), 'utf8');
  return [...text.matchAll(/"status": "(\w+)"/g)].map(([, status = '']) => status);
}

/** Who was started for what, in the order of the starts. */
export function ledger(project: Scratch): string[] {
  const file = join(project.root, 'ledger');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}
