import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agent, makeShop, runAndReport } from '../hostile/hostile-run.ts';
import { SANDBOX } from '../support/sandbox.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';

async function settings(shop: Scratch, text: string): Promise<void> {
  const folder = join(shop.root, '.config', 'manyhands');
  await mkdir(folder, { recursive: true });
  writeFileSync(join(folder, 'config.yaml'), text);
}

describe('without a sandbox', () => {
  test('auto continues and reports it, and require refuses with the reason, whatever the project says', async () => {
    await using shop = await makeShop({ limits: 'attempts: 1 }\nsandbox: off\n#' });
    const work = ['job', 'x', '--agent', agent('reach.sh', 'checkout', 'x', join(shop.root, 'project'))];
    const doctor = await shop.mh(['doctor']);
    expect(doctor.stdout).toMatch(/! sandbox .*agents run with your permissions/);
    const { code, run } = await runAndReport(shop, ...work);
    expect([code, run.status]).toEqual([0, 'done']);
    const report = await shop.mh(['report', run.run]);
    expect(report.stdout).toContain('not contained: MANYHANDS');

    await settings(shop, 'sandbox: require\n');
    const refused = await shop.mh([...work, '--json']);
    expect([refused.code, refused.json]).toEqual([
      3,
      { error: expect.objectContaining({ code: 'SANDBOX_UNAVAILABLE', message: expect.stringContaining('is empty') }) },
    ]);
    expect((await shop.mh(['doctor'])).stdout).toMatch(/✗ sandbox /);
  });
});

describe.skipIf(SANDBOX.missing)(SANDBOX.title, () => {
  test('an agent reaches the socket of its tools, also one that is not in its folder, and cannot replace it', async () => {
    const parent = join(mkdtempSync(join(tmpdir(), 'mh-long-')), 'x'.repeat(100));
    mkdirSync(parent);
    await using shop = await makeScratch({ parent, files: { 'README.md': '#\n' } });
    const program = join(shop.root, 'programs', 'agent.sh');
    const script = [
      '#!/bin/sh',
      `socket=$(grep -o '"socket": *"[^"]*' "$MANYHANDS_TOOLS" | cut -d '"' -f 4)`,
      `perl -e 'socket(S, 1, 1, 0); connect(S, pack("S a108", 1, $ARGV[0])) or die' "$socket" && echo "$socket" >reached.txt`,
      'rm -f "$socket"; touch "$(dirname "$socket")/planted" && echo x >planted.txt',
      'exit 0',
    ];
    await mkdir(join(shop.root, 'programs'));
    writeFileSync(program, `${script.join('\n')}\n`, { mode: 0o755 });
    await settings(shop, 'sandbox: require\n');
    const ended = await shop.mh(['job', 'x', '--check', 'true', '--agent', `command:${program}`, '--json'], {
      env: { MANYHANDS_BWRAP: SANDBOX.program },
    });
    expect(ended.code, ended.stderr).toBe(0);
    const branch = shop.git('branch', '--list', 'mh/*', '--format=%(refname:short)');
    expect(shop.git('ls-tree', '--name-only', branch).split('\n')).toEqual(['README.md', 'reached.txt']);
    expect(shop.git('show', `${branch}:reached.txt`)).not.toContain(parent);
    rmSync(dirname(parent), { recursive: true, force: true });
  });

  test('an agent outlives its engine, the next engine adopts it, and set-up and checks work', async () => {
    const limits =
      'attempts: 1 }\nworkspace: { setup: ["mkdir -p node_modules && touch node_modules/made"] }\nsandbox: require\n#';
    await using shop = await makeShop({ check: 'test -e node_modules/made && sh check.sh', limits });
    const program = join(shop.root, 'programs', 'slow.sh');
    await mkdir(join(shop.root, 'programs'));
    const script =
      "#!/bin/sh\nsleep 6\ntest -e node_modules/made && printf 'export const add = (a, b) => a + b;\\n' >sum.js\n";
    writeFileSync(program, script, { mode: 0o755 });
    const env = { MANYHANDS_BWRAP: SANDBOX.program };
    const first = shop.start(['job', 'x', '--agent', `command:${program}`], { env });
    await first.received('slow works');
    first.kill('SIGKILL');
    await first.done;
    const resumed = await shop.mh(['resume'], { env });
    const { code, run } = await runAndReport(shop, 'show');
    expect(resumed.code, resumed.stderr).toBe(0);
    expect([code, run.status, run.tasks[0]?.attempts]).toEqual([0, 'done', 1]);
    const report = await shop.mh(['report', run.run]);
    expect(report.stdout).toMatch(/fully contained|partly contained: not resources/);
    expect(await shop.leftovers()).toEqual([]);
  });
});
