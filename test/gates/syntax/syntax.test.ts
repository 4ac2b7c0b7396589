import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GateInput } from '../../../src/gates/gate.ts';
import { syntaxGate } from '../../../src/gates/syntax/syntax.ts';
import type { GateSpec } from '../../../src/schema/gate.ts';
import { gateContract } from '../../contracts/gate.ts';
import { InspectedWork } from '../inspected-work.ts';

type SyntaxSpec = Extract<GateSpec, { gate: 'syntax' }>;

let work: InspectedWork;

beforeAll(async () => {
  work = await InspectedWork.make({ 'old.json': '{ broken before' });
});
afterAll(() => work[Symbol.asyncDispose]());

function syntax(given: Partial<SyntaxSpec> = {}): SyntaxSpec {
  return { gate: 'syntax', name: 'syntax', files: [], unchecked: 'pass', checkers: {}, ...given };
}

function files(contents: Record<string, string>) {
  return async (path: string) => {
    for (const [name, text] of Object.entries(contents)) {
      await mkdir(join(path, name, '..'), { recursive: true });
      await writeFile(join(path, name), text);
    }
  };
}

gateContract('syntax', {
  gate: syntaxGate,
  spec: syntax(),
  passing: () => work.input(files({ 'a.json': '{}' })),
  failing: () => work.input(files({ 'a.json': '{' })),
});

describe('the gate syntax', () => {
  it.each<[string, string, string]>([
    ['JSON', 'a/b.json', '{\n  "a": 1,\n}\n'],
    ['JSON with comments', 'tsconfig.json', '// ok\n{ "a": [1, }\n'],
    ['JSON lines', 'a.jsonl', '{"a":1}\n{"a":\n'],
    ['YAML', 'a.yaml', 'a: 1\n b: [\n'],
    ['TOML', 'a.toml', 'a = 1\nb = \n'],
    ['JavaScript', 'a.mjs', 'const a = 1;\nconst = 2;\n'],
    ['TypeScript', 'a.ts', 'const a: number = 1;\ninterface { x }\n'],
    ['TSX', 'a.tsx', 'const a = <div>\n</span>;\n'],
    ['Python', 'a.py', 'a = 1\ndef f(:\n  pass\n'],
    ['shell', 'a.sh', 'if true; then\n  echo a\n'],
    ['a script without an ending', 'run', '#!/usr/bin/env python3\nprint(\n'],
    ['nesting without end', 'deep.ts', '('.repeat(50_000)],
  ])('finds a mistake in %s', async (_, name, text) => {
    const { verdict, summary } = await work.inspect(syntax(), files({ [name]: text }));
    expect(verdict).toBe('fail');
    expect(summary).toMatch(new RegExp(`^${name.replaceAll('.', '\\.')}(:\\d+)?: \\S`));
  });

  it('passes what is correct, in every language, and reads only what was changed', async () => {
    const correct = {
      'a.json': '\ufeff{"a":1}',
      'tsconfig.json': '// c\n{ "a": [1,], }\n',
      '.vscode/settings.json': '{ /* c */ }',
      'a.yaml': 'a: !Ref x\nb: *a\n---\nc: &a 1\n'.replace('b: *a\n', ''),
      'a.toml': '[a]\nb = 1979-05-27T07:32:00Z\n',
      'a.cjs': '#!/usr/bin/env node\nreturn require("x");\n',
      'a.jsx': 'export const A = () => <a href="x">{1}</a>;\n',
      'a.ts': 'class A { constructor(@Inject() private x: string) {} accessor y = 1 }\nawait using z = x!;\n',
      'a.d.ts': 'declare const x: number;\nexport = x;\n',
      'a.py': 'match x:\n  case 1: pass\n',
      'b.py': 'print("never run")\nraise SystemExit(3)\n',
      'a.sh': 'touch ran; if true; then echo a; fi\n',
      'README.md': '# {{{ not a language',
    };
    const found = await work.inspect(syntax(), files(correct));
    expect(found).toMatchObject({ verdict: 'pass', summary: '12 files correct' });
  });

  it('names each wrong file of many with its line, asking one checker for all of them', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [`m${at}.py`, at % 10 === 0 ? 'x = = 1\n' : 'x = 1\n']),
    );
    const { output } = await work.inspect(syntax(), files(many));
    expect(output?.split('\n').map((line) => line.split(': ')[0])).toEqual(['m0.py:1', 'm10.py:1', 'm20.py:1']);
  });

  it('says what nothing here can check, and leaves it to a person if told so', async () => {
    const edit = files({ 'a.unheard': 'x', 'a.yaml': '{{- if .x }}\na: b\n{{- end }}\n' });
    const passed = await work.inspect(syntax(), edit);
    expect(passed).toMatchObject({ verdict: 'pass', summary: '0 files correct, 2 not checked' });
    expect(passed.output).toContain('a.unheard: not checked, nothing here can check it');
    expect(await work.inspect(syntax({ unchecked: 'hold' }), edit)).toMatchObject({ verdict: 'held' });
  });

  it.each(['go', 'rb', 'php'])('says of .%s that its checker is missing, where it is', async (ending) => {
    const input = await work.input(files({ [`a.${ending}`]: 'x' }));
    const found = await syntaxGate.check(syntax(), { ...input, env: { PATH: '/nowhere' } });
    expect(found).toMatchObject({ verdict: 'pass', output: expect.stringMatching(/is not installed$/) });
  });

  it("understands the languages' own checkers", async () => {
    const bin = join(work.project.folder, 'bin');
    await mkdir(bin, { recursive: true });
    await program(
      join(bin, 'gofmt'),
      'code=0; for f; do case "$f" in *bad.go) echo "$f:3:5: expected operand" >&2; code=2;; esac; done; exit $code',
    );
    await program(join(bin, 'ruby'), 'echo "$2:4: syntax error, unexpected end" >&2; exit 1');
    await program(join(bin, 'php'), 'echo "Parse error: unexpected token in $6 on line 7"; exit 255');
    const input: GateInput = await work.input(files({ 'bad.go': 'x', 'good.go': 'x', 'a.rb': 'x', 'a.php': 'x' }));
    const env = { ...input.env, PATH: `${bin}:${input.env.PATH}` };
    const { output } = await syntaxGate.check(syntax(), { ...input, env });
    expect(output).toContain('bad.go:3: expected operand');
    expect(output).not.toContain('good.go');
    expect(output).toContain('a.rb:4: ');
    expect(output).toMatch(/a\.php:7: Parse error/);
  });

  it('uses a checker of the settings, whose command gets a hostile name as one word', async () => {
    const checkers = { '.lua': 'grep -q ok {file}' };
    const edit = files({ 'good.lua': 'ok', "x'; touch ran; '.lua": 'no' });
    const { verdict, output } = await work.inspect(syntax({ checkers }), edit);
    expect(verdict).toBe('fail');
    expect(output).toMatch(/^x'; touch ran; '\.lua: its checker ended with 1$/);
  });
});

async function program(path: string, text: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${text}\n`);
  await chmod(path, 0o755);
}
