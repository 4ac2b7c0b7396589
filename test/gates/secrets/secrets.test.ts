import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { secretsGate } from '../../../src/gates/secrets/secrets.ts';
import type { GateSpec } from '../../../src/schema/gate.ts';
import { gateContract } from '../../contracts/gate.ts';
import { InspectedWork } from '../inspected-work.ts';

const reversed = (text: string) => text.split('').reverse().join('');

/** Made up, and put together here so that this file holds none. */
const AWS = `AKIA${'QYLPMN5HHHFPZAM2'}`;
const GITHUB = `ghp_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6'}`;
const KNOWN = `ghp_${'zY9xW8vU7tS6rQ5pO4nM3lK2jI1hG0fE9dC8'}`;
const spec: Extract<GateSpec, { gate: 'secrets' }> = { gate: 'secrets', name: 'secrets', allow: [] };
let work: InspectedWork;

beforeAll(async () => {
  work = await InspectedWork.make({ 'a.txt': 'one\n', 'old.env': `TOKEN=${KNOWN}\n` });
});
afterAll(() => work[Symbol.asyncDispose]());

gateContract('secrets', {
  gate: secretsGate,
  spec,
  passing: () => work.input('echo two >> a.txt'),
  failing: () => work.input(`echo ${AWS} > key.txt`),
});

describe('the gate secrets finds a secret', () => {
  it.each([
    ['in a new file', `echo 'key = "${AWS}"' > new.txt`, 'new.txt:1'],
    ['on a new line of a known file', `printf 'two\\nthree ${GITHUB}\\n' >> a.txt`, 'a.txt:3'],
    ['in a commit whose change a later one takes back', `echo ${AWS} > k; commit -m 1; rm k; commit -m 2`, 'k:1'],
    [
      'in a merge of another branch',
      `git checkout -qb x; echo ${AWS} > k; commit -m 1; git checkout -q -; echo b > b; commit -m 2; git -c user.name=a -c user.email=a@x merge -q x; git rm -q k; commit -m 3`,
      'k:1',
    ],
    ['in the message of a commit', `echo x > x; commit -m 'use ${GITHUB}'`, 'a commit message'],
    ['in a binary file', `printf 'a\\0b ${AWS} \\0c' > data.bin`, 'data.bin:1'],
    ['in wide characters', `printf '%s' ${AWS} | sed 's/./&\\x00/g' > wide.txt`, 'wide.txt:1'],
    ['in base64', `printf '%s' 'token ${GITHUB}' | base64 > data.txt`, 'github-token in base64 in data.txt:1'],
    [
      'in base64 on short lines',
      `printf '%s' 'the token ${GITHUB} of me' | base64 -w 20 > data.txt`,
      'in base64 in data.txt:1',
    ],
    [
      'in base64 that is indented, with the alphabet of URLs',
      `printf '%s' 'the~~~?? token ${GITHUB} of me' | base64 -w 40 | tr '+/' '-_' | sed 's/^/    /' > data.yaml`,
      'in base64 in data.yaml:1',
    ],
    [
      'in compressed text',
      `printf '%s' 'token ${GITHUB}' | gzip -9 | base64 > data.txt`,
      'in compressed text in data.txt:1',
    ],
    ['backwards', `echo 'key = "${reversed(GITHUB)}"' > data.txt`, 'github-token backwards in data.txt:1'],
    ['as a password', `echo 'db.password=kJ8mP2vL9qR4x' > db.properties`, 'assigned-secret in db.properties:1'],
    ['in a file that attributes call binary', `echo '* -diff binary' > .gitattributes; echo ${AWS} > b.txt`, 'b.txt:1'],
    [
      'behind a comment that tells the scanner to look away',
      `printf '// secretlint-disable\\n${GITHUB}\\n' > c.js`,
      'c.js:2',
    ],
    ['in a file with a hostile name', `echo ${AWS} > "$(printf 'a\\nb"\\033[31m -x')"`, 'a?b"?[31m -x:1'],
  ])('%s', async (_, edit, place) => {
    const { verdict, summary, output } = await work.inspect(spec, edit);
    expect(verdict).toBe('fail');
    expect(`${summary}\n${output}`).toContain(place);
    expect(`${summary}${output}`).not.toMatch(new RegExp(`${AWS.slice(6)}|${GITHUB.slice(6)}`));
  });

  it("in a file's name, which it does not repeat", async () => {
    const { verdict, summary, output } = await work.inspect(spec, `echo x > "backup-${AWS}.txt"`);
    expect(verdict).toBe('fail');
    expect(summary).toContain('the name of backup-****.txt');
    expect(`${summary}${output}`).not.toContain(AWS);
  });

  it('in a commit that was amended, which does not land and so stops nothing', async () => {
    const found = await work.inspect(spec, `echo ${AWS} > k; commit -m 1; echo clean > k; commit --amend -m 2`);
    expect(found).toMatchObject({ verdict: 'pass', exposed: 1 });
    expect(found.output).toContain('commits that do not land:\n- aws-access-key-id in k:1');
  });

  it('in what the attempt printed, on either channel, which stops nothing', async () => {
    const found = await work.inspect(spec, 'echo b > b', { stdout: `x ${AWS}\n`, stderr: `${GITHUB}\n` });
    expect(found).toMatchObject({ verdict: 'pass', exposed: 2, summary: expect.stringContaining('2 in its output') });
  });

  it('across the border of what is read at once, on one endless line', async () => {
    const found = await work.inspect(spec, async (path) => {
      await writeFile(join(path, 'long.js'), `${'ab '.repeat(43_688)}${AWS}${' cd'.repeat(50_000)}`);
    });
    expect(found).toMatchObject({ verdict: 'fail', summary: expect.stringContaining('long.js:1') });
  });
});

describe('the gate secrets lets pass', () => {
  it('what stands for a secret, names one, or is a word of the program', async () => {
    const lines = [
      `AWS_ACCESS_KEY_ID=${'AKIAIOSFODNN7'}EXAMPLE`,
      'api_key: your-api-key',
      'password=changeme',
      'TOKEN=xxxxxxxxxxxxxxxx',
      `secret: \${SECRET}`,
      'const token = process.env.API_TOKEN;',
      'secretName: API_SECRET_KEY',
      'password: string;',
      'const token = nextToken(source);',
      'postgres://postgres:postgres@localhost:5432/test',
      '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----',
    ];
    const { verdict, output } = await work.inspect(spec, (path) =>
      writeFile(join(path, 'sample.txt'), lines.join('\n')),
    );
    expect(verdict).toBe('pass');
    expect(output).toMatch(/no secret: placeholder: [5-9], name of a key: 1, identifier: [23]/);
  });

  it('a secret that was in the repository before, moved to another file', async () => {
    expect(await work.inspect(spec, 'mkdir conf && git mv old.env conf/new.env')).toMatchObject({ verdict: 'pass' });
  });

  it('what a person allowed by its fingerprint', async () => {
    const edit = `echo ${AWS} > key.txt`;
    const { output = '' } = await work.inspect(spec, edit);
    const [, fingerprint = ''] = /fingerprint ([0-9a-f]{16})/.exec(output) ?? [];
    expect(await work.inspect({ ...spec, allow: [fingerprint] }, edit)).toMatchObject({ verdict: 'pass' });
  });
});

it('keeps nothing about a text that it has scanned', async () => {
  await work.inspect(spec, 'echo four >> a.txt');
  expect(performance.getEntries().filter(({ name }) => name.startsWith('@core'))).toEqual([]);
});
