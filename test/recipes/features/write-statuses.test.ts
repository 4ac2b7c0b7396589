import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeStatuses } from '../../../src/recipes/features/write-statuses.ts';
import type { FeatureStatus } from '../../../src/schema/work-file.ts';

const PROGRAM = join(import.meta.dirname, 'fixtures', 'write-status.ts');
/** The number of `openat`, by the processor. */
const OPENAT = process.arch === 'x64' ? '257' : '56';

let root = '';
let file = '';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mh-status-'));
  file = join(root, 'features.json');
});

afterEach(() => rm(root, { recursive: true, force: true }));

describe('writing the status of features back', () => {
  it.each([
    [
      'tabs and Windows line ends',
      '{\r\n\t"features": [\r\n\t\t{"id": 1, "status": @, "x": [1,2 , 3]}\r\n\t]\r\n}\r\n',
    ],
    ['a byte order mark and no newline at the end', '\uFEFF[{"status":@,"id":1}]'],
    ['comments and unknown keys', '// mine\n[ {"id" :1,"odd":{"status":"open"}, /* keep */ "status" : @ , } ]\n\n\n'],
    ['letters of all kinds', '[{"id": "1", "name": "Grüße 👋 \\u00e9", "status": @}, {"id": 2, "status": "open"}]'],
  ])('keeps every other byte of a file with %s', async (_, text) => {
    writeFileSync(file, text.replace('@', '"open"'));
    await writeStatuses(file, changes(['1', 'passed']), { root });
    expect(readFileSync(file, 'utf8')).toBe(text.replace('@', '"passed"'));
  });

  it('adds a status where there was none, in the style of the file', async () => {
    writeFileSync(file, '[\n  {\n    "id": 1,\n    "name": "N"\n  },\n  {"id":2,"name":"M"},\n  { "id": 3 }\n]\n');
    await writeStatuses(file, changes(['1', 'failed'], ['2', 'open'], ['3', 'passed']), { root });
    expect(readFileSync(file, 'utf8')).toBe(
      '[\n  {\n    "id": 1,\n    "name": "N",\n    "status": "failed"\n  },\n  {"id":2,"name":"M","status":"open"},\n  { "id": 3, "status": "passed" }\n]\n',
    );
  });

  it('touches nothing when nothing changes', async () => {
    writeFileSync(file, '[{"id": 1, "status": "open"}]');
    const before = statSync(file, { bigint: true });
    await writeStatuses(file, changes(['1', 'open']), { root });
    expect(statSync(file, { bigint: true })).toMatchObject({ ino: before.ino, mtimeNs: before.mtimeNs });
  });

  it('keeps the mode, and leaves no other file behind', async () => {
    writeFileSync(file, '[{"id": 1, "status": "open"}]');
    chmodSync(file, 0o640);
    writeFileSync(join(root, `.features.json.manyhands-${process.pid}`), 'left by a killed process');
    await writeStatuses(file, changes(['1', 'passed']), { root });
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(readdirSync(root)).toEqual(['features.json']);
  });

  it('loses no status of many written at the same time, and no edit of a person', async () => {
    const ids = Array.from({ length: 40 }, (_, index) => String(index));
    writeFileSync(
      file,
      JSON.stringify(
        ids.map((id) => ({ id, status: 'open' })),
        null,
        2,
      ),
    );
    const all = ids.map((id) => writeStatuses(file, changes([id, 'passed']), { root }));
    await all[5];
    writeFileSync(file, readFileSync(file, 'utf8').replace('[', '[\n  {"id": "mine", "status": "open"},'));
    await Promise.all(all);
    await Promise.all(ids.map((id) => writeStatuses(file, changes([id, 'passed']), { root })));
    const text = readFileSync(file, 'utf8');
    expect(text.match(/"passed"/g)).toHaveLength(40);
    expect(text).toContain('"mine"');
  });

  it.runIf(process.platform === 'linux')(
    'puts back what a person wrote between the comparison and the replacement, and writes the status into it',
    async () => {
      writeFileSync(file, '[{"id": 1, "status": "open"}]');
      const trace = join(root, 'trace');
      execFileSync('mkfifo', [trace]);
      const env = { ...process.env, MANYHANDS_CRASH_TRACE: trace };
      const child = spawn(process.execPath, [PROGRAM, file, root], { env, stdio: 'ignore' });
      const ended = once(child, 'exit');
      const isKept = () => readdirSync(root).some((name) => name.endsWith('-kept'));
      // It waits for a reader of the trace: right before it replaces the file.
      await expect.poll(() => isKept() && isOpening(child.pid)).toBe(true);
      writeFileSync(file, '[{"id": 1, "status": "open"}, {"id": "mine"}]');
      const reader = openSync(trace, 'r+');
      expect(await ended).toEqual([0, null]);
      closeSync(reader);
      expect(readFileSync(file, 'utf8')).toBe('[{"id": 1, "status": "passed"}, {"id": "mine"}]');
      expect(readdirSync(root).sort()).toEqual(['features.json', 'trace']);
    },
  );

  it('follows a link inside the project and keeps it a link', async () => {
    mkdirSync(join(root, 'plans'));
    writeFileSync(join(root, 'plans', 'f.json'), '[{"id": 1, "status": "open"}]');
    symlinkSync(join('plans', 'f.json'), file);
    await writeStatuses(file, changes(['1', 'passed']), { root });
    expect(readFileSync(join(root, 'plans', 'f.json'), 'utf8')).toContain('passed');
    expect(
      readdirSync(root, { withFileTypes: true })
        .find(({ name }) => name === 'features.json')
        ?.isSymbolicLink(),
    ).toBe(true);
  });

  it('refuses a link that leads out of the project', async () => {
    const project = join(root, 'project');
    mkdirSync(project);
    writeFileSync(file, '[{"id": 1, "status": "open"}]');
    symlinkSync(file, join(project, 'features.json'));
    const writing = writeStatuses(join(project, 'features.json'), changes(['1', 'passed']), { root: project });
    await expect(writing).rejects.toMatchObject({ code: 'CONFLICT', message: /leads out of the project/ });
    expect(readFileSync(file, 'utf8')).toContain('open');
  });

  it.each([
    ['is broken', '[{"id": 1, "status": "op', /no longer a list/],
    ['is something else', '{"name": "x"}', /no longer a list/],
    ['lost the feature', '[{"id": 2, "status": "open"}]', /feature 1 is gone/],
    ['has the feature twice', '[{"id": 1}, {"id": "1"}]', /feature 1 is duplicated/],
    ['has a status of another kind', '[{"id": 1, "status": {"is": "open"}}]', /not a text/],
  ])('refuses a file that %s, and leaves it as it is', async (_, text, says) => {
    writeFileSync(file, text);
    await expect(writeStatuses(file, changes(['1', 'passed']), { root })).rejects.toMatchObject({
      code: 'CONFLICT',
      message: says,
    });
    expect(readFileSync(file, 'utf8')).toBe(text);
  });
});

describe('a file of which a person removed a feature meanwhile', () => {
  it('gets the status of the others, and the one that is gone is named', async () => {
    writeFileSync(file, '[{"id": 1, "status": "open"}, {"id": 3, "status": "open"}]');
    const writing = writeStatuses(file, changes(['1', 'passed'], ['2', 'passed'], ['3', 'failed']), { root });
    await expect(writing).rejects.toMatchObject({
      code: 'CONFLICT',
      message: /: feature 2 is gone; the others were written$/,
    });
    expect(readFileSync(file, 'utf8')).toBe('[{"id": 1, "status": "passed"}, {"id": 3, "status": "failed"}]');
  });
});

function changes(...pairs: [string, FeatureStatus][]): Map<string, FeatureStatus> {
  return new Map(pairs);
}

/** Whether a process waits in a system call that opens a file. */
function isOpening(pid: number | undefined): boolean {
  return readFileSync(`/proc/${pid}/syscall`, 'utf8').startsWith(`${OPENAT} `);
}
