import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../../src/core/policy/shell-commands.ts';
import { refusal, type ScopeHookInput } from '../../../src/gates/scope/scope-hook.ts';

const PROGRAM = fileURLToPath(new URL('../../../src/agents/tool-hook-program.ts', import.meta.url));
let folder: string;
let order: ScopeHookInput;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'hook-')));
  const workspace = join(folder, 'work');
  await mkdir(join(workspace, 'src'), { recursive: true });
  await mkdir(join(workspace, 'docs'));
  await symlink('../docs', join(workspace, 'src', 'link'));
  order = { workspace, scopes: [{ allow: ['src'], deny: ['src/keys/**'], also: ['README.md'] }] };
});
afterAll(() => rm(folder, { recursive: true }));

function refusalOf(tool: string, input: Record<string, string>): string | undefined {
  return refusal(order, JSON.stringify({ tool_name: tool, cwd: order.workspace, tool_input: input }));
}

describe('the hook at the moment of writing', () => {
  it('lets through what is in the scope, and what is no file of the repository', () => {
    expect(refusalOf('Write', { file_path: 'src/a.ts' })).toBeUndefined();
    expect(refusalOf('Edit', { file_path: join(order.workspace, 'README.md') })).toBeUndefined();
    expect(refusalOf('Write', { file_path: '/tmp/note.txt' })).toBeUndefined();
    expect(refusalOf('Read', { file_path: 'src/a.ts' })).toBeUndefined();
    expect(refusalOf('Bash', { command: 'npm test > /dev/null 2>&1 && cat docs/a | grep x' })).toBeUndefined();
  });

  it.each([
    ['Write', { file_path: 'docs/a.md' }],
    ['Edit', { file_path: 'src/../package.json' }],
    ['NotebookEdit', { notebook_path: 'a.ipynb' }],
    ['Write', { file_path: 'src/link/deep/a.md' }],
    ['Write', { file_path: 'src/Keys/id.pem' }],
    ['Bash', { command: 'echo x > docs/a.md' }],
    ['Bash', { command: "cat x | tee -a 'docs/a b.md'" }],
    ['Bash', { command: 'cp src/a.ts package.json; true' }],
    ['Bash', { command: 'sed -i "s/a/b/" docs/a.md' }],
  ])('refuses %s of %j and names the rule', (tool, input) => {
    expect(refusalOf(tool, input)).toMatch(/ in this task\. Allowed: src, README\.md\. Denied: src\/keys/);
  });

  it('refuses what it cannot read', () => {
    for (const text of ['', '{', 'null', '[]', '{"tool_name":1}', `${'['.repeat(100_000)}`])
      expect(refusal(order, text)).toBe('What the tool is to do could not be read');
  });

  it('answers as a program by its exit code, with the reason on standard error', async () => {
    const file = join(folder, 'order.json');
    await writeFile(file, JSON.stringify(order));
    const text = { tool_name: 'Write', tool_input: { file_path: join(order.workspace, 'docs/a.md') } };
    const refused = await ask(file, JSON.stringify(text));
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('docs/a.md is outside'), stdout: '' });
    expect(await ask(join(folder, 'gone.json'), '{}')).toMatchObject({ code: 2 });
  });
});

describe('the paths that a command writes to', () => {
  it.each<[string, string[]]>([
    ['echo a >x >>y; ls', ['x', 'y']],
    ['rm -rf a "b c" && FOO=1 touch d', ['a', 'b c', 'd']],
    ['cd sub && rm x && rm /abs', ['/abs']],
    ['echo $HOME > "$OUT" ; rm *.txt ~/x', []],
    ['mv a b | cp c d e', ['a', 'b', 'e']],
    ['sed s/a/b/ file', []],
    ['echo "a > b"', []],
  ])('of %s', (command, paths) => {
    expect(parseCommandLine(command).commands.flatMap(({ writes }) => writes)).toEqual(paths);
  });
});

function ask(file: string, text: string): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [PROGRAM, file, 'rules'], (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
    });
    child.stdin?.end(text);
  });
}
