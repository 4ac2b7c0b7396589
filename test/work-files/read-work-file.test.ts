import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readWorkFile } from '../../src/work-files/read-work-file.ts';

const TASKS = 'tasks:\n  - id: a\n    title: Grüße\n    description: D\n';
let folder = '';

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mh-inputs-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('reading a work file', () => {
  it('refuses a folder', async () => {
    await expect(readWorkFile(folder)).rejects.toMatchObject({ code: 'WORK_FILE_UNREADABLE', message: /is a folder/ });
  });

  it('refuses what is not there', async () => {
    const missing = readWorkFile(join(folder, 'none.yaml'));
    await expect(missing).rejects.toMatchObject({ code: 'WORK_FILE_UNREADABLE', message: /does not exist/ });
  });

  it('refuses a pipe at once instead of waiting for it', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    await expect(readWorkFile(pipe)).rejects.toMatchObject({ message: /not an ordinary file/ });
  });

  it.skipIf(process.getuid?.() === 0)('refuses what may not be read', async () => {
    const file = write('secret.yaml', TASKS);
    chmodSync(file, 0o000);
    await expect(readWorkFile(file)).rejects.toMatchObject({ message: /no permission/ });
  });

  it('refuses a file of 100 MB without reading it', async () => {
    const file = write('huge.yaml', TASKS);
    truncateSync(file, 100 * 1024 * 1024);
    await expect(readWorkFile(file)).rejects.toMatchObject({ message: /at most 33554432/ });
  });

  it.each([
    ['with a byte order mark', Buffer.from(`\uFEFF${TASKS}`)],
    ['with Windows line ends', Buffer.from(TASKS.replaceAll('\n', '\r\n'))],
    ['with old Mac line ends', Buffer.from(TASKS.replaceAll('\n', '\r'))],
    ['in UTF-16', Buffer.from(`\uFEFF${TASKS}`, 'utf16le')],
    ['in UTF-16, the other way round', Buffer.from(`\uFEFF${TASKS}`, 'utf16le').swap16()],
  ])('reads a file %s', async (_, bytes) => {
    const work = await readWorkFile(write('tasks.yaml', bytes));
    expect(work).toMatchObject({ format: 'tasks', input: { tasks: [{ id: 'a', title: 'Grüße' }] } });
  });

  it.each(['tasks.jsonl', 'tasks.csv', 'dag.toml', 'task_config.yaml', 'todo.md'])(
    'understands the same in %s of another tool, however it was saved and whatever it is called',
    async (name) => {
      const text = readFileSync(join(import.meta.dirname, '../fixtures/tools', name), 'utf8');
      const { input } = await readWorkFile(write(`as it is ${name}`, text));
      const saved = {
        [`-${name}`]: Buffer.from(text),
        [`it's "${name}" (1)`]: Buffer.from(text.replaceAll('\n', '\r\n')),
        [`ü ${name.toUpperCase()}`]: Buffer.from(`\uFEFF${text.replaceAll('\n', '\r\n')}`),
        [`${name}.bak`]: Buffer.from(`\uFEFF${text}`, 'utf16le'),
      };
      for (const [odd, bytes] of Object.entries(saved)) {
        const again = (await readWorkFile(write(odd, bytes))).input;
        expect(plain(again), odd).toEqual(plain(input));
      }
    },
  );

  it('tells where a file is not UTF-8', async () => {
    const file = write('latin.yaml', Buffer.from('tasks:\n  - id: \xe9\n', 'latin1'));
    await expect(readWorkFile(file)).rejects.toMatchObject({ message: /latin\.yaml:2:9: not valid UTF-8/ });
  });

  it('tells where a file is no text', async () => {
    const file = write('binary.yaml', 'tasks:\n  \0\n');
    await expect(readWorkFile(file)).rejects.toMatchObject({ message: /binary\.yaml:2:3: holds a NUL/ });
  });

  it('knows where status can be written back: only inside the project, links followed', async () => {
    const project = join(folder, 'project');
    mkdirSync(join(project, 'plans'), { recursive: true });
    const text = '[{"id": 1, "name": "N"}]';
    writeFileSync(join(project, 'plans', 'features.json'), text);
    symlinkSync(join('plans', 'features.json'), join(project, 'features.json'));
    symlinkSync(write('outside.json', text), join(project, 'away.json'));
    const fileOf = async (name: string) => (await readWorkFile(join(project, name), { root: project })).input;
    expect(await fileOf('features.json')).toMatchObject({ file: 'plans/features.json' });
    expect(await fileOf('away.json')).toMatchObject({ file: null });
  });
});

function write(name: string, content: string | Buffer): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

/** Without what only the text of a to-do list keeps: its line ends. */
function plain(input: unknown): string {
  return JSON.stringify(input).replaceAll('\\r\\n', '\\n');
}
