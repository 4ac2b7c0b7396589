import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ledger, makeFeatures, statuses } from '../support/features-project.ts';
import { runForDocument } from '../support/run-for-document.ts';
import type { Scratch } from '../support/scratch.ts';
import { TESTS_ALL, variants } from '../support/variants.ts';

const LONG = { timeout: 300_000 };
/** An application that answers, and leaves children behind that outlive a simple kill. */
const SERVER = `import { createServer } from 'node:http';
createServer((_, response) => response.end('hello')).listen(Number(process.env.PORT) + Number(process.argv[2] ?? 0), '127.0.0.1');
`;

function withApplication(
  start: string,
  more: { verifier?: string; implementer?: string; seconds?: number } = {},
): Promise<Scratch> {
  const verify = `verify: { start: ${JSON.stringify(start)}, startSeconds: ${more.seconds ?? 30}, maxAttempts: 1 }\n`;
  return makeFeatures(['alpha'], {
    settings: verify,
    files: { 'server.mjs': SERVER },
    ...(more.verifier === undefined ? {} : { verifier: more.verifier }),
    ...(more.implementer === undefined ? {} : { implementer: more.implementer }),
  });
}

/** Whether somebody listens there. */
function listens(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ port, host: '127.0.0.1' });
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}

describe('a verifier', () => {
  it.each(
    variants(
      [
        ['contradicts itself at the end', 'echo "STEP 1: PASS"; echo "VERDICT: FAIL"; exit 0'],
        ['ends with an error after its pass', 'echo "STEP 1: PASS"; exit 7'],
      ],
      [
        ['says nothing at all', 'exit 0'],
        ['tells a story', 'echo "I have looked at it and everything passes."; exit 0'],
        ['passes steps that do not exist', 'echo "STEP 2: PASS"; echo "STEP 7: PASS"; exit 0'],
        ['falls over', 'echo "STEP 1: PASS"; kill -9 $$'],
      ],
    ),
  )('that %s lets nothing land', LONG, async (_, verifier) => {
    await using project = await makeFeatures(['alpha'], { settings: 'verify: { maxAttempts: 1 }\n', verifier });
    const ended = await runForDocument(project, 'run', 'features.json');
    expect(['failed', 'blocked']).toContain(ended.status);
    expect(statuses(project)[0]).not.toBe('passed');
    expect(project.git('branch', '--list', 'ai-develop')).toBe('');
    expect(await project.leftovers()).toEqual([]);
  });

  it.runIf(TESTS_ALL)('that hangs is ended, and the work waits for another verification', LONG, async () => {
    await using project = await makeFeatures(['alpha'], {
      limits: 'attempts: 1, inactivitySeconds: 3',
      verifier: '[ -e "$HOME/awake" ] || sleep 1000',
    });
    const blocked = await runForDocument(project, 'run', 'features.json');
    expect([blocked.code, blocked.status]).toEqual([4, 'blocked']);
    expect(blocked.attention[0]?.reason).toMatch(/could not be verified/);
    expect(await project.leftovers()).toEqual([]);
    writeFileSync(join(project.root, 'awake'), '');
    const done = await runForDocument(project, 'retry');
    expect([done.code, done.status], done.reason ?? '').toEqual([0, 'done']);
    expect(ledger(project).filter((entry) => entry.startsWith('implement'))).toHaveLength(1);
  });

  it('that edits, commits and moves the branch changes nothing that lands', LONG, async () => {
    await using project = await makeFeatures(['alpha'], {
      verifier:
        'echo bad > alpha.txt; echo bad > extra.txt; git add -A; git commit -qm bad; git branch -f ai-develop HEAD',
    });
    const done = await runForDocument(project, 'run', 'features.json');
    expect([done.code, done.status], done.reason ?? '').toEqual([0, 'done']);
    expect(project.git('show', 'ai-develop:alpha.txt')).toBe('more');
    expect(project.git('ls-tree', '--name-only', 'ai-develop').split('\n')).not.toContain('extra.txt');
  });
});

describe('an implementer', () => {
  it('that marks itself and others as passed in the file is rejected, and that never lands', LONG, async () => {
    await using project = await makeFeatures(['alpha', 'beta'], {
      implementer:
        'if [ -e "$HOME/once" ]; then sed -i s/passed/open/ features.json; else touch "$HOME/once"; sed -i s/open/passed/ features.json; fi',
      settings: 'tracks: { all: { default: true } }\n',
    });
    project.git('checkout', '--quiet', '-b', 'ai-develop');
    const done = await runForDocument(project, 'run', 'features.json');
    expect([done.code, done.status], done.reason ?? '').toEqual([0, 'done']);
    expect(done.tasks.find(({ key }) => key === 'feature/1')?.attempts).toBe(2);
    expect(project.git('show', 'ai-develop:features.json')).not.toContain('passed');
    expect(statuses(project)).toEqual(['passed', 'passed']);
  });
});

describe('an application that is to be verified', () => {
  it.each(
    variants(
      [['ends at once', 'echo "cannot find module x" >&2; exit 1', /ended before it answered: cannot find module x/]],
      [
        ['never listens', 'sleep 1000', /did not answer on port \d+ within 3 s/],
        ['listens on another port', 'node server.mjs 1', /did not answer on port \d+ within 3 s/],
      ],
    ),
  )('and %s is a verdict on the work, with the reason', LONG, async (_, start, reason) => {
    await using project = await withApplication(start, { seconds: 3 });
    const failed = await runForDocument(project, 'run', 'features.json');
    expect(failed.status).toBe('failed');
    const report = failed.tasks.find(({ key }) => key === 'feature/1')?.evidence.find(({ gate }) => gate === 'verify');
    expect(report?.output).toMatch(reason);
    expect(ledger(project)).toEqual(['implement alpha.txt']);
    expect(await project.leftovers()).toEqual([]);
  });

  it('runs during verification, and is ended afterwards with all its processes', LONG, async () => {
    const start =
      '(trap "" TERM HUP; setsid sleep 1000 & sleep 1000) & echo $PORT > "$HOME/port"; exec node server.mjs';
    await using project = await withApplication(start, {
      implementer: 'echo "$PORT $MANYHANDS_PORTS" > "$HOME/leased"',
      verifier:
        'echo "$APP_URL" > "$HOME/url"; node -e "fetch(process.env.APP_URL).then(r=>r.text()).then(t=>fs.writeFileSync(process.env.HOME+\'/seen\',t))"',
    });
    const done = await runForDocument(project, 'run', 'features.json');
    expect([done.code, done.status], done.reason ?? '').toEqual([0, 'done']);
    expect(readFileSync(join(project.root, 'seen'), 'utf8')).toBe('hello');
    const port = Number(new URL(readFileSync(join(project.root, 'url'), 'utf8').trim()).port);
    expect(await listens(port)).toBe(false);
    expect(readFileSync(join(project.root, 'leased'), 'utf8')).toMatch(/^(\d+) \1\n$/);

    const preview = project.start(['preview', 'feature/1']);
    await preview.received('Ctrl-C ends it');
    const url = `http://127.0.0.1:${readFileSync(join(project.root, 'port'), 'utf8').trim()}`;
    expect(await (await fetch(url)).text()).toBe('hello');
    preview.kill('SIGINT');
    const ended = await preview.done;
    expect([ended.code, ended.stdout], ended.stderr).toEqual([0, `${url}\n`]);
    expect(await listens(Number(new URL(url).port))).toBe(false);
    expect(await project.leftovers()).toEqual([]);
  });

  it('may exit during verification: the verifier decides, and no process is left', LONG, async () => {
    await using project = await withApplication('echo $$ > "$HOME/pid"; exec node server.mjs', {
      verifier: 'kill -9 "$(cat "$HOME/pid")"; echo "STEP 1: FAIL the application is gone"; exit 0',
    });
    const failed = await runForDocument(project, 'run', 'features.json');
    expect(failed.status).toBe('failed');
    expect(await project.leftovers()).toEqual([]);
  });

  it.each(variants(['attempt.going:2'], ['application.started:1']))(
    'does not outlive an engine that was killed at %s',
    LONG,
    async (point) => {
      await using project = await withApplication('exec node server.mjs', {
        verifier: '[ -e "$HOME/second" ] || { touch "$HOME/second"; sleep 3; }',
      });
      const died = await project.mh(['run', 'features.json', '--json'], { env: { MANYHANDS_CRASH: point } });
      expect(died.signal, died.stderr).toBe('SIGKILL');
      const resumed = await project.mh(['resume', '--json']);
      expect(resumed.code, resumed.stderr + resumed.stdout).toBe(0);
      expect(statuses(project)).toEqual(['passed']);
      expect(ledger(project).filter((entry) => entry.startsWith('implement'))).toHaveLength(1);
      expect(await project.leftovers()).toEqual([]);
    },
  );
});

describe('verification in the checkout', () => {
  const settings = 'verify: { in: checkout, delayMs: 0, maxAttempts: 2 }\n';

  it('verifies what has landed there, and has it fixed and verified again', LONG, async () => {
    await using project = await makeFeatures(['alpha'], {
      settings,
      verifier: '[ "$(wc -l < alpha.txt)" -gt 1 ] || { pwd > "$HOME/where"; echo "STEP 1: FAIL too short"; exit 0; }',
    });
    project.git('checkout', '--quiet', '-b', 'ai-develop');
    const done = await runForDocument(project, 'run', 'features.json');
    expect([done.code, done.status], done.reason ?? '').toEqual([0, 'done']);
    expect(project.git('show', 'ai-develop:alpha.txt')).toBe('more\nmore');
    expect(statuses(project)).toEqual(['passed']);
    expect(existsSync(join(project.root, 'where'))).toBe(true);
  });

  it('does not change a checkout with uncommitted changes, and waits for the user', LONG, async () => {
    await using project = await makeFeatures(['alpha'], { settings });
    project.git('checkout', '--quiet', '-b', 'ai-develop');
    writeFileSync(join(project.repo, 'base.txt'), 'mine\n');
    const held = await runForDocument(project, 'run', 'features.json');
    expect([held.code, held.status]).toEqual([4, 'held']);
    expect(ledger(project)).toEqual(['implement alpha.txt']);
    expect(readFileSync(join(project.repo, 'base.txt'), 'utf8')).toBe('mine\n');
  });
});
