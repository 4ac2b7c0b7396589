import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { makeShop } from '../hostile/hostile-run.ts';
import { SANDBOX } from '../support/sandbox.ts';
import { variants } from '../support/variants.ts';
import { put } from './attack.ts';

/** A program of that name that does not work hides the real one: it is as if there were none. */
const NO_TMUX = '#!/bin/sh\nexit 127\n';
/** Asks the server that holds its terminal to run a command outside of the sandbox, and types into its terminal as a person would. */
const ATTACK = `#!/bin/sh
folder=$(dirname "$MANYHANDS_PROMPT_FILE")
for socket in $(find / -xdev -name tmux.sock 2>/dev/null) "$folder/tmux.sock" "$folder/terminal/tmux.sock"; do
  /usr/bin/tmux -N -S "$socket" run-shell "echo escaped >>'$HOME/by-tmux'"
  /usr/bin/tmux -N -S "$socket" new-window "echo escaped >>'$HOME/by-tmux'"
done
for control in $(find / -xdev -name control 2>/dev/null) "$folder/control" "$folder/terminal/control"; do
  if [ -p "$control" ]; then echo "$control" >>found.txt; fi
done
sleep 1
echo end >>found.txt
`;

describe.skipIf(SANDBOX.missing)(`an agent in a terminal ${SANDBOX.title}`, () => {
  test.each(variants(['tmux'], ['pty']))('does not reach what controls its terminal (%s)', async (kind) => {
    await using shop = await makeShop({ check: 'true' });
    put(join(shop.root, '.config', 'manyhands', 'config.yaml'), 'sandbox: require\n');
    const program = join(shop.root, 'programs', 'agent.sh');
    put(program, ATTACK);
    const none = join(shop.root, 'none', 'tmux');
    put(none, NO_TMUX);
    for (const file of [program, none]) chmodSync(file, 0o755);
    const PATH = process.env.PATH ?? '';
    const env = {
      MANYHANDS_BWRAP: SANDBOX.program,
      PATH: kind === 'tmux' ? PATH : `${join(shop.root, 'none')}:${PATH}`,
    };
    const work = ['job', '--interactive', 'x', '--agent', `command:${program}`, '--json'];
    const ended = await shop.mh(work, { env });
    const run = RunDocument.parse(ended.json);
    expect([ended.code, run.status], ended.stderr).toEqual([0, 'done']);
    expect(existsSync(join(shop.root, 'by-tmux'))).toBe(false);
    expect(shop.git('show', `mh/${run.run}:found.txt`)).toBe('end');
    expect(run.tasks[0]?.containment?.[0]?.parts?.files?.contained).toBe(true);
    expect(await shop.leftovers()).toEqual([]);
  });
});
