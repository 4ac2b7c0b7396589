import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { makeScratch, writeFiles } from '../support/scratch.ts';

const SECRET = 'correct-horse-battery-staple';
/** Uses its secret, and tells it to everybody. */
const AGENT = `#!/bin/sh
cat > /dev/null
[ -n "$MY_API_KEY" ] || exit 3
echo "my key is $MY_API_KEY" | tee out.txt
`;

function everything(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.db(-wal)?$/.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

it("keeps the values of an agent's variables out of the database, and passes them again when the run is resumed", async () => {
  const settings = `agents:\n  hand: { kind: command, command: ./agent.sh, env: { MY_API_KEY: ${SECRET} } }\nlimits: { attempts: 1, retryDelaySeconds: 0 }\n`;
  await using project = await makeScratch({
    files: { 'base.txt': 'x\n', 'agent.sh': AGENT, '.manyhands/config.yaml': settings },
  });
  const failed = RunDocument.parse(
    (await project.mh(['job', 'Use it', '--check', 'cat out.txt 2>/dev/null; test -e mended.txt', '--json'])).json,
  );
  expect(failed.status).toBe('failed');
  const logs = await project.mh(['logs']);
  expect(logs.stdout).toContain('my key is [redacted]');
  const outputs = readdirSync(join(project.home, 'attempts'), { recursive: true }).map(String);
  const kept = outputs.filter((name) => name.endsWith('output.txt'));
  const texts = kept.map((name) => readFileSync(join(project.home, 'attempts', name), 'utf8'));
  expect([...new Set(texts.filter((text) => text !== ''))]).toEqual(['my key is [redacted]\n']);
  const again = RunDocument.parse((await project.mh(['retry', '--json'])).json);
  expect(again.tasks[0]?.attempts).toBe(2);
  expect(again.reason).not.toMatch(/exit code 3/);
  expect(everything(project.home)).not.toContain(SECRET);
});

it("keeps the server's tokens out of transcripts, where a viewer could read them", async () => {
  await using project = await makeScratch({
    files: { 'base.txt': 'x\n', 'agent.sh': '#!/bin/sh\ncat "$FILE" | tee out.txt\n' },
  });
  const operator = '0f'.repeat(32);
  const file = join(project.home, 'server', 'tokens.json');
  writeFiles(project.home, { 'server/tokens.json': JSON.stringify({ id: 'a', operator, viewer: '1e'.repeat(32) }) });
  writeFiles(project.repo, {
    '.manyhands/config.yaml': `agents:\n  hand: { kind: command, command: ./agent.sh, env: { FILE: ${JSON.stringify(file)} } }\n`,
  });
  await project.mh(['job', 'Print it', '--check', 'true']);
  const { stdout } = await project.mh(['logs']);
  expect(stdout).toContain('"operator":"[redacted]"');
  expect(everything(project.home)).not.toContain(operator);
});

it('keeps a token in the text of a job out of lists, documents, commits and raw output; the agent gets it', async () => {
  const token = `ghp_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6'}`;
  const program =
    '#!/bin/sh\ntoken=$(grep -o "ghp_[A-Za-z0-9]*" | head -n 1 | tee -a /dev/stderr)\necho "$token" | wc -c > got.txt\ngit switch -q -c "fix/$token"\necho "password=Sommer2024" >&2\n';
  const settings = 'agents:\n  hand: { kind: command, command: ./agent.sh }\n';
  await using project = await makeScratch({
    files: { 'base.txt': 'x\n', 'agent.sh': program, '.manyhands/config.yaml': settings },
  });
  const work = ['job', `Push with ${token} to the server`, '--json'];
  const { json } = await project.mh([...work, '--check', `: ${token}`, '--land', 'merge', '--collection', token]);
  expect(JSON.stringify(json)).not.toContain(token);
  expect(RunDocument.parse(json)).toMatchObject({ status: 'done', title: 'Push with [redacted] to the server' });
  expect(readFileSync(join(project.repo, 'got.txt'), 'utf8').trim()).toBe(String(token.length + 1));
  await project.mh(['flag', RunDocument.parse(json).run, '--note', `see ${token}`]);
  const shown: string[] = [project.git('log', '--format=%B', '--all')];
  for (const args of [
    ['ls'],
    ['ls', '--json'],
    ['show'],
    ['show', '--json'],
    ['show', '--task', 'job/1', '--json'],
    ['collection', 'ls', '--json'],
    ['salvage', '--json'],
    ['logs'],
    ['report'],
  ])
    shown.push((await project.mh(args)).stdout);
  for (const text of shown) expect(text).not.toMatch(/ghp_aB3|Sommer2024/);
  expect(shown[0]).toContain('Push with [redacted] to the server');
  expect(shown.at(-2)).toContain('password=[redacted]');
  const raw = readdirSync(join(project.home, 'attempts'), { recursive: true }).map(String);
  expect(raw.filter((name) => /std(out|err)$/.test(name))).toEqual([]);
});
