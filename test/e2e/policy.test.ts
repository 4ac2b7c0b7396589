import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';

/** Prints the call of a tool as agents do, and works. */
const AGENT = `#!/bin/sh
cat > prompt.txt
cat prompt.txt >> "$HOME/prompts.txt"
rm prompt.txt
echo '{"type":"tool_call","id":"1","name":"Bash","input":{"command":"git push origin main"}}'
echo made > made.txt
echo "I made it"
`;
const AGENTS = 'agents:\n  hand: { kind: command, command: ./agent.sh }\nchecks: ["true"]\n';

async function scratch(own: string, project = '', agent = AGENT): Promise<Scratch> {
  const made = await makeScratch({ files: { 'agent.sh': agent, '.manyhands/config.yaml': `${AGENTS}${project}` } });
  const folder = join(made.root, '.config', 'manyhands');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.yaml'), own);
  return made;
}

describe('what a rule wants a person to approve', () => {
  it('holds the task, is granted to the same task by the approval, and is recorded with who approved it', async () => {
    await using project = await scratch('policy:\n  - { decision: ask, command: git push, reason: it publishes }\n');
    const first = await project.mh(['job', 'add a file', '--json']);
    const run = RunDocument.parse(first.json);
    expect([first.code, run.status]).toEqual([4, 'held']);
    expect(run.attention[0]?.reason).toContain('git push origin main');
    expect(run.attention[0]?.reason).toMatch(/policy\[0\] in .*config\.yaml:2/);
    const approved = await project.mh(['approve', run.run, '--json']);
    expect([approved.code, RunDocument.parse(approved.json).status]).toEqual([0, 'done']);
    expect(RunDocument.parse(approved.json).tasks[0]?.attempts).toBe(2);
    expect(readFileSync(join(project.root, 'prompts.txt'), 'utf8')).toContain(
      'A person approved this: Bash git push origin main',
    );
    const { stdout } = await project.mh(['report', run.run]);
    expect(stdout).toMatch(/\(cli\) \| \S+ \| approved/);
  });

  it('is not done after a rejection, of which the agent is told the reason', async () => {
    await using project = await scratch('policy:\n  - { decision: ask, command: git push }\n');
    const run = RunDocument.parse((await project.mh(['job', 'add a file', '--json'])).json);
    const rejected = await project.mh(['reject', run.run, '--reason', 'never publish', '--json']);
    expect(RunDocument.parse(rejected.json).status).toBe('done');
    expect(readFileSync(join(project.root, 'prompts.txt'), 'utf8')).toMatch(
      /refused this: Bash git push[\s\S]*never publish/,
    );
  });
});

describe('what a rule denies', () => {
  it('and an agent did that cannot be stopped, holds its work', async () => {
    await using project = await scratch('policy:\n  - { decision: deny, command: git push }\n');
    const { code, json } = await project.mh(['job', 'add a file', '--json']);
    const run = RunDocument.parse(json);
    expect([code, run.status, run.attention[0]?.reason]).toEqual([
      4,
      'held',
      expect.stringContaining('although policy[0]'),
    ]);
    const approved = RunDocument.parse((await project.mh(['approve', run.run, '--json'])).json);
    expect([approved.status, approved.tasks[0]?.attempts]).toEqual(['done', 1]);
  });

  it('is found in the changed files, whoever changed them, also by a rule of the project', async () => {
    const rule = 'policy:\n  - { decision: deny, path: made.txt, reason: it is generated }\nlimits: { attempts: 1 }\n';
    await using project = await scratch('', rule, AGENT.replace(/echo '.*\n/, ''));
    const { json } = await project.mh(['job', 'add a file', '--json']);
    const run = RunDocument.parse(json);
    expect(run.tasks[0]?.reason).toContain('It changed made.txt, which policy[0]');
  });

  it('stays denied where a file in the workspace says otherwise', async () => {
    const loosening = AGENT.replace(
      'echo made',
      `printf 'policy:\\n  - { decision: allow, command: git }\\n' >> .manyhands/config.yaml\necho made`,
    );
    await using project = await scratch('policy:\n  - { decision: ask, command: git push }\n', '', loosening);
    const run = RunDocument.parse((await project.mh(['job', 'add a file', '--json'])).json);
    expect([run.status, run.attention[0]?.reason]).toEqual(['held', expect.stringContaining('git push origin main')]);
  });
});

describe('manyhands policy', () => {
  it('says what would happen and which rule decides, with file and line', async () => {
    await using project = await scratch(
      'tools: { allowedCli: [docker] }\npolicy:\n  - decision: deny\n    command: [git push, npm publish]\n    role: [implement]\n',
      'policy:\n  - { decision: allow, command: git push }\n  - { decision: ask, path: infra/** }\nscope: { deny: [secret] }\nsandbox: "off"\nerrors: { report: "https://key@example.org/1" }\n',
    );
    const check = async (...args: string[]) => {
      const { code, json } = await project.mh(['policy', 'check', ...args, '--json']);
      return [code, json];
    };
    expect(await check('--role', 'implement', '--tool', 'Bash', '--command', 'git push')).toEqual([
      1,
      expect.objectContaining({
        decision: 'deny',
        rule: expect.stringMatching(/^policy\[0\] in .*\/\.config\/manyhands\/config\.yaml:3$/),
      }),
    ]);
    expect(await check('--command', 'docker ps')).toMatchObject([0, { decision: 'allow', rule: 'tools.allowedCli' }]);
    expect(await check('--command', 'curl x')).toMatchObject([1, { decision: 'deny', rule: 'tools' }]);
    expect(await check('--path', 'infra/a')).toMatchObject([
      4,
      { decision: 'ask', rule: expect.stringContaining('.manyhands/config.yaml:6') },
    ]);
    expect(await check('--path', 'secret/a')).toMatchObject([1, { rule: 'scope.deny' }]);
    expect(await check('--role', 'review', '--path', 'a')).toMatchObject([1, { reason: 'the role is read-only' }]);
    const listed = await project.mh(['policy', 'ls']);
    expect(listed.stdout).toContain('git push, npm publish');
    expect(listed.stderr).toContain('sandbox of the project has no effect');
    expect(listed.stderr).toContain('errors of the project has no effect');
    const shown = await project.mh(['policy', 'check', '--command', 'git push']);
    expect(shown.stdout).toMatch(/^deny {2}Bash git push\n {2}rule: policy\[0\] in /);
  });

  it('refuses a bad rule with its file and line', async () => {
    await using project = await scratch(
      'policy:\n  - { decision: maybe, command: git push }\n  - { decision: deny }\n',
    );
    const { code, stderr } = await project.mh(['policy', 'ls']);
    expect(code).toBe(3);
    expect(stderr).toMatch(/config\.yaml:2:\d+: policy\[0\]\.decision: found the text "maybe"/);
    expect(stderr).toMatch(/config\.yaml:3:\d+: policy\[1\]: .*must name a tool, path, command, host or role/);
    expect(existsSync(join(project.root, 'prompts.txt'))).toBe(false);
  });
});
