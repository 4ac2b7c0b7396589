import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { RunDocument } from '../../src/schema/document.ts';
import { makeScratch } from '../support/scratch.ts';
import { variants } from '../support/variants.ts';

type Cheat = { name: string; check: string; files: Record<string, string>; writes: Record<string, string> };

const TEST = (holds: string) =>
  `import { test } from 'node:test';\ntest('greets', () => { if (!(${holds})) throw new Error('no'); });\n`;

/** Each of them makes the check of a milestone pass without reaching the milestone. */
const CHEATS: readonly Cheat[] = [
  {
    name: 'writes the script that the check runs',
    check: 'sh accept.sh',
    files: {},
    writes: { 'accept.sh': 'exit 0\n' },
  },
  {
    name: 'changes the script that the check runs',
    check: 'sh greet/accept.sh',
    files: { 'greet/accept.sh': 'grep -q Bonjour fr.txt\n' },
    writes: { 'greet/accept.sh': 'exit 0\n' },
  },
  {
    name: 'changes the test that the check runs',
    check: 'node --test greet/fr.test.mjs',
    files: { 'greet/fr.test.mjs': TEST('false') },
    writes: { 'greet/fr.test.mjs': TEST('true') },
  },
  {
    name: 'writes the test that the check runs',
    check: 'node --test greet/new.test.mjs',
    files: {},
    writes: { 'greet/new.test.mjs': TEST('true') },
  },
  {
    name: 'changes a module that the script of the check loads',
    check: 'node greet/accept.mjs',
    files: {
      'greet/accept.mjs': "import { wanted } from './wanted.mjs';\nprocess.exit(wanted() ? 0 : 1);\n",
      'greet/wanted.mjs': 'export const wanted = () => false;\n',
    },
    writes: { 'greet/wanted.mjs': 'export const wanted = () => true;\n' },
  },
  {
    name: 'adds a target of make',
    check: 'make accept',
    files: { Makefile: 'all:\n\techo\n' },
    writes: { Makefile: 'all:\n\techo\naccept:\n\ttrue\n' },
  },
  {
    name: 'adds a script of the package',
    check: 'npm run -s accept',
    files: { 'package.json': '{"name":"x","version":"1.0.0"}\n' },
    writes: { 'package.json': '{"name":"x","version":"1.0.0","scripts":{"accept":"true"}}\n' },
  },
  {
    name: 'does something else while the check passes already',
    check: 'test -e hello.txt',
    files: {},
    writes: { 'other.txt': 'other\n' },
  },
];

describe('an implementer that only changes the check of a milestone', () => {
  it.each(variants(CHEATS.slice(2, 3), [...CHEATS.slice(0, 2), ...CHEATS.slice(3)]))(
    'ticks nothing, also if a person approved the plan: it $name',
    { timeout: 120_000 },
    async ({ check, files, writes }) => {
      await using scratch = await makeScratch({
        files: { 'hello.txt': 'hello\n', ...files },
        check: 'test -e hello.txt',
      });
      const scenario = join(scratch.root, 'scenario.yaml');
      const plays = [
        {
          role: 'assess',
          steps: [{ output: { milestones: [{ title: 'Greets in French', description: 'fr.txt', check }] } }],
        },
        {
          task: 'cycle/1/implement',
          steps: Object.entries(writes).map(([path, write]) => ({ edit: { path, write } })),
        },
        { role: 'milestones', steps: [{ output: { steps: [], findings: [], summary: 'I have nothing to say.' } }] },
      ];
      writeFileSync(scenario, stringify({ agents: ['ada'], plays }));
      const planned = await scratch.mh([
        'cycle',
        'Greet',
        '--cycles',
        '1',
        '--plan-only',
        '--scenario',
        scenario,
        '--json',
      ]);
      const { run } = RunDocument.parse(planned.json);
      const { json, stderr } = await scratch.mh(['approve', run, '--json']);
      const ended = RunDocument.parse(json);
      expect(ended.progress?.points, stderr).toMatchObject([{ id: 'M1', status: 'open', by: null }]);
    },
  );
});
