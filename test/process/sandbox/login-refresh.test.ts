import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ending } from '../../../src/process/launch.ts';
import { bubblewrapCommand } from '../../../src/process/sandbox/bubblewrap.ts';
import { terminate } from '../../../src/process/terminate.ts';
import { SANDBOX } from '../../support/sandbox.ts';
import { launchIn, PATH, temporaryFolder, waitForOutput } from '../launching.ts';

/** A home with a login whose token a vendor refreshes, and a launch of a program that sees it. */
async function launchWithLogin(script: string) {
  const [home, work] = [temporaryFolder(), temporaryFolder()];
  const folder = join(home, '.vendor');
  mkdirSync(folder);
  writeFileSync(join(folder, 'token'), 'a token that is longer than later ones', { mode: 0o600 });
  writeFileSync(join(folder, 'settings.json'), 'original');
  const copied = [{ path: folder, refreshed: ['token', 'missing'], sessions: [], read: [] }];
  const program = {
    command: ['sh', '-c', `cd "$HOME/.vendor" || exit 99; ${script}`],
    cwd: work,
    env: { PATH, HOME: home },
  };
  const command = bubblewrapCommand(SANDBOX.program, program, { read: [], write: [work], hidden: [], copied });
  const { go, target } = await launchIn(command, { cwd: work, env: { HOME: home } });
  go();
  const end = () => ending(target.folder, target.identity);
  const received = (text: RegExp) => waitForOutput(join(target.folder, 'stdout'), text);
  return { target, folder, end, received, token: () => readFileSync(join(folder, 'token'), 'utf8') };
}

describe.skipIf(SANDBOX.missing)(`the login of a program ${SANDBOX.title}`, () => {
  test('that is replaced by a new file reaches the person while the program runs, again and again, and nothing else does', async () => {
    const replace = (text: string) => `printf ${text} >token.tmp; mv token.tmp token`;
    const settle = 'while ! [ -L token ]; do sleep 0.05; done';
    const script = [
      ...[replace('first'), settle, 'cat token; echo', replace('second'), settle, 'cat token; echo'],
      ...['printf third >token; cat token; echo; echo planted >planted; echo planted >settings.json; sleep 60'],
    ];
    const { received, folder, token, target, end } = await launchWithLogin(script.join('; '));
    await received(/first\nsecond\nthird\n/);
    expect(token()).toBe('third');
    expect(readdirSync(folder)).toEqual(['settings.json', 'token']);
    expect(readFileSync(join(folder, 'settings.json'), 'utf8')).toBe('original');
    await terminate(target, { graceMs: 0 });
    expect(await end()).toEqual({ kind: 'interrupted' });
  });

  test('that is replaced as the last thing before its end reaches the person, with its exit code', async () => {
    const { end, token } = await launchWithLogin('printf last >.token; mv .token token; exit 9');
    expect(await end()).toEqual({ kind: 'exited', code: 9 });
    expect(token()).toBe('last');
  });

  test('that becomes a link, a folder or empty leaves the file of the person as it is', async () => {
    const script =
      'ln -sfn /etc/passwd token; sleep 0.5; rm token; mkdir token; sleep 0.5; rmdir token; : >token; sleep 0.5';
    const { end, token } = await launchWithLogin(script);
    expect(await end()).toEqual({ kind: 'exited', code: 0 });
    expect(token()).toBe('a token that is longer than later ones');
  });

  test('can be written until a request to end, which only the program gets', async () => {
    const script = `trap 'printf bye >t; mv t token; exit 7' TERM; echo ready; while :; do sleep 0.05; done`;
    const { received, target, end, token } = await launchWithLogin(script);
    await received(/ready/);
    await terminate(target, { graceMs: 20_000 });
    expect(await end()).toEqual({ kind: 'exited', code: 7 });
    expect(token()).toBe('bye');
  });

  test('does not change how a program that was killed by a signal is reported', async () => {
    expect(await (await launchWithLogin('kill -TERM $$')).end()).toEqual({ kind: 'exited', code: 143 });
  });
});
