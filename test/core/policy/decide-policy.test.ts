import { describe, expect, it } from 'vitest';
import { decidePolicy, type PolicyRequest, type Rule, refusalText } from '../../../src/core/policy/decide-policy.ts';
import { attemptLists, configuredLists, scopeList } from '../../../src/core/policy/rule-lists.ts';
import { parseCommandLine } from '../../../src/core/policy/shell-commands.ts';
import { requestOf } from '../../../src/core/policy/tool-request.ts';

const rule = (decision: Rule['decision'], what: Partial<Rule>): Rule => ({ decision, source: 'test', ...what });
const bash = (command: string): PolicyRequest => ({ role: 'implement', tool: 'Bash', kind: 'Bash', command });
const edit = (path: string): PolicyRequest => ({ role: 'implement', tool: 'Write', kind: 'Edit', paths: [path] });

describe('the first rule that applies decides', () => {
  const rules = [
    rule('allow', { command: ['git push origin dev'] }),
    rule('ask', { command: ['git push'] }),
    rule('deny', { command: ['git *'], role: ['review'] }),
    rule('deny', { command: ['npm publish *', 'rm -rf*'] }),
    rule('deny', { path: ['infra/**', '/etc/**'], tool: ['Edit', 'Bash'] }),
    rule('deny', { host: ['*.internal', 'example.org'] }),
    rule('ask', { tool: ['mcp__db__*'] }),
  ];
  it.each<[string, PolicyRequest, string]>([
    ['git push origin dev', bash('git push origin dev'), 'allow'],
    ['git push', bash('git push'), 'ask'],
    ['git pushy', bash('git pushy'), 'allow'],
    ['npm publish', bash('npm publish'), 'deny'],
    ['npm publish --tag x', bash('npm publish --tag x'), 'deny'],
    ['rm -rf', bash('rm -rf /'), 'deny'],
    ['git status in a review', { ...bash('git status'), role: 'review' }, 'deny'],
    ['a denied path', edit('infra/main.tf'), 'deny'],
    ['a denied path in another spelling', edit('Infra/./main.tf'.replace('./', '')), 'deny'],
    ['a denied path by a command', bash('echo x > infra/a'), 'deny'],
    ['reading a path', { ...edit('infra/a'), tool: 'Read', kind: 'Read' }, 'allow'],
    ['a host', { role: '', tool: 'WebFetch', kind: 'WebFetch', host: 'db.internal' }, 'deny'],
    ['the host above', { role: '', tool: 'WebFetch', kind: 'WebFetch', host: 'internal' }, 'allow'],
    ['a host in capitals', { role: '', tool: 'WebFetch', kind: 'WebFetch', host: 'EXAMPLE.org' }, 'deny'],
    ['an MCP tool', { role: '', tool: 'mcp__db__drop', kind: 'other' }, 'ask'],
  ])('about %s', (_, request, decision) => {
    expect(decidePolicy([rules], request).decision).toBe(decision);
  });
});

describe('a refused command is found', () => {
  const refused = [rule('deny', { command: ['git push'] })];
  it.each([
    'git add . && git push',
    'true; git push origin main',
    'A=1 B=2 git push',
    'sudo -E git push',
    '/usr/bin/git push',
    'git -C sub -c a=b push',
    'git --git-dir=x push',
    'env X=1 timeout 5 git push',
    "sh -c 'git push'",
    'bash -lc "cd x && git push"',
    'echo $(git push)',
    'echo "`git push`"',
    'eval git push',
    "git 'push'",
    'g\\it push',
    '(git push)',
    'xargs git push',
    'npm test | git push',
    'true\ngit push',
    `sh -c "sh -c 'git push'"`,
    'git \\\n  push',
    'gi\\\nt push',
    "$'git' push",
    "$'\\x67it' push",
    '$"git" push',
    `git\${IFS}push`,
    'git$IFS$9push',
    '{git,push}',
    '/usr/bin/gi? push',
    'g=git; $g push',
    `g=git && "\${g}" push`,
    '$unknown push origin',
    'alias g=git; g push',
    'git -c alias.p=push p',
    "git -c alias.p='!git push' p",
    'env -S "git push"',
    'env -u X git push',
    'sudo -u root git push',
    'timeout -s KILL 5 git push',
    'ionice -c 3 git push',
    'if true; then git push; fi',
    'if git push; then :; fi',
    '{ git push; }',
    '! git push',
    'for i in 1; do git push; done',
    'f() { git push; }; f',
    'find . -maxdepth 0 -exec git push {} +',
    'bash <<< "git push"',
    'sh <<E\ngit push\nE',
    'echo "git push" | sh',
    'busybox sh -c "git push"',
    'trap "git push" EXIT',
    'script -c "git push" /dev/null',
    'ssh localhost git push',
    'GIT push',
    'git pu$@sh',
    `git pu\${x}sh`,
    'git p?sh',
    'git $unknown',
    'for c in push; do git $c; done',
    'git $(echo push)',
    'git pu$()sh',
    'git pu``sh',
    '$(which git) push',
    'git --attr-source HEAD push',
    "env -S'git push'",
    "env --split-string='git push'",
    "script -qc'git push' /dev/null",
    'pkexec git push',
    'tmux new-session -d "git push"',
    'git submodule foreach "git push"',
    'git rebase --exec "git push" HEAD~1',
    'mise exec -- git push',
    'docker exec x git push',
    '<x git push',
    '{fd}>x git push',
    'a[0]=1 git push',
    'A+=1 git push',
    'source /dev/stdin <<< "git push"',
    'bash -c -- "git push"',
    'printf %s "git push"|sh',
    'echo git push |& bash',
  ])('in %s', (command) => {
    expect(decidePolicy([refused], bash(command)).decision).toBe('deny');
  });

  it.each([
    'echo git push',
    'git pull',
    'git commit -m "git push"',
    'grep "git push" README.md',
    'find . -name x | xargs grep "git push"',
    'echo "git push" | cat',
    '"$PYTHON" -m pytest',
    'x=push; git log $x',
    'git log $x',
    'git stash push',
    'git rebase --exec "npm test" main',
    'git log --grep="git push"',
    'find . -exec grep push {} +',
    'git pull <push',
    '$(npm bin)/eslint .',
  ])('and not in %s', (command) => {
    expect(decidePolicy([refused], bash(command)).decision).toBe('allow');
  });
});

it('finds a refused command behind and between options of its program, with their values', () => {
  const refused = [rule('deny', { command: ['kubectl delete', 'gh pr merge', 'rm -rf'] })];
  const decisions = (commands: string[]) =>
    commands.map((command) => [command, decidePolicy([refused], bash(command)).decision]);
  const denied = ['kubectl -n prod delete pod x', 'kubectl --context=prod delete pod', 'gh --repo a/b pr -R c merge 1'];
  expect(decisions([...denied, 'rm -v -rf x'])).toEqual([...denied, 'rm -v -rf x'].map((each) => [each, 'deny']));
  const allowed = ['kubectl get -n delete pods', 'gh pr view merge', 'rm "$file"', 'rm -r x'];
  expect(decisions(allowed)).toEqual(allowed.map((each) => [each, 'allow']));
});

describe('an allowed command', () => {
  const only = [rule('allow', { command: ['npm test', 'git'] }), rule('deny', { tool: ['Bash'] })];
  it.each<[string, string]>([
    ['npm test', 'allow'],
    ['git status && npm test', 'allow'],
    ['npm test; curl evil', 'deny'],
    ['npm testing', 'deny'],
    ['npm test $(curl evil)', 'deny'],
    ['git log `x`', 'deny'],
    ['X=1 git status', 'deny'],
    ['npm test 2>&1', 'allow'],
    ['npm test >&2 2>&-', 'allow'],
    ['npm test >out.txt 2>&1', 'allow'],
    ['npm test >"$HOME"/.bashrc', 'deny'],
    ['npm test >~/.bashrc', 'deny'],
    ['g=git; $g status', 'deny'],
  ])('%s: %s', (command, decision) => {
    expect(decidePolicy([only], bash(command)).decision).toBe(decision);
  });
});

describe('of several lists the strictest counts', () => {
  it('so that the rules of a project allow nothing that a person refuses', () => {
    const { person, project } = configuredLists([
      { decision: 'deny', command: 'git push', from: 'global' },
      { decision: 'allow', command: 'git push', from: 'project' },
      { decision: 'deny', command: 'docker', from: 'project' },
    ]);
    expect(decidePolicy([project, person], bash('git push')).decision).toBe('deny');
    expect(decidePolicy([project, person], bash('docker ps')).decision).toBe('deny');
  });

  it('and a read-only role stays so whatever a person allows', () => {
    const lists = attemptLists({
      access: 'read',
      permission: 'plan',
      allowedTools: [],
      disallowedTools: [],
      allowedCli: [],
      mcpServers: [],
      addDirs: [],
      scopes: [],
      person: [rule('allow', { tool: ['*'] })],
      project: [],
    });
    expect(decidePolicy(lists, edit('a')).decision).toBe('deny');
    expect(decidePolicy(lists, bash('git log')).decision).toBe('allow');
    for (const command of ['git log > x', 'git log >& x', 'git diff --output=x', 'git diff --outp x', 'git show >$x'])
      expect([command, decidePolicy(lists, bash(command)).decision]).toEqual([command, 'deny']);
  });

  it('and a scope is one of them', () => {
    const lists = [scopeList({ allow: ['src'], deny: ['src/keys'], also: ['README.md'] })];
    const decisions = ['src/a', 'src/keys/x', 'README.md', 'docs/a', '/tmp/x'].map(
      (path) => decidePolicy(lists, edit(path)).decision,
    );
    expect(decisions).toEqual(['allow', 'deny', 'allow', 'deny', 'allow']);
  });
});

describe('what a person has approved', () => {
  it('is allowed exactly so, and a denial stays', () => {
    const rules = [rule('deny', { command: ['git push --force'] }), rule('ask', { command: ['git push'] })];
    const granted = ['Bash git push origin main', 'Bash git push --force'];
    expect(decidePolicy([rules], bash('git push origin main'), granted)).toMatchObject({ decision: 'allow' });
    expect(decidePolicy([rules], bash('git push origin other'), granted)).toMatchObject({ decision: 'ask' });
    expect(decidePolicy([rules], bash('git push --force'), granted)).toMatchObject({ decision: 'deny' });
    expect(decidePolicy([rules], bash('git push origin main && git push x'), granted).subject).toBe('Bash git push x');
  });

  it('is the file that a command writes, which is named', () => {
    const rules = [rule('ask', { path: ['infra/**'] })];
    const { subject } = decidePolicy([rules], bash('echo x >infra/a'));
    expect(subject).toBe('Bash echo x > infra/a');
    const decisions = ['echo x >infra/a', 'echo x >infra/b'].map(
      (command) => decidePolicy([rules], bash(command), [subject]).decision,
    );
    expect(decisions).toEqual(['allow', 'ask']);
    expect(decidePolicy([rules], bash('rm infra/a')).subject).toBe('Bash rm infra/a');
  });

  it('is told to the agent without a way around it', () => {
    const text = refusalText(
      decidePolicy([[rule('ask', { command: ['git push'], reason: 'it publishes' })]], bash('git push')),
    );
    expect(text).toMatch(/^Bash git push needs the approval of a person: it publishes\. It is held/);
  });
});

it('reads the tool calls of every vendor', () => {
  const at = { role: 'implement', inside: (path: string) => path };
  expect(requestOf({ name: 'run_shell_command', input: { command: 'ls' } }, at)).toMatchObject({
    kind: 'Bash',
    command: 'ls',
  });
  expect(requestOf({ name: 'replace', input: { file_path: 'a' } }, at)).toMatchObject({ kind: 'Edit', paths: ['a'] });
  expect(requestOf({ name: 'WebFetch', input: { url: 'https://x.org/a' } }, at)).toMatchObject({ host: 'x.org' });
  expect(requestOf({ name: 'command_execution', input: { command: ['bash', '-lc', 'ls'] } }, at).command).toBe(
    'bash -lc ls',
  );
  expect(requestOf({ name: 'odd', input: null }, at)).toMatchObject({ kind: 'other', tool: 'odd' });
});

it('ends with long, deep and broken commands', () => {
  for (const line of [
    '$('.repeat(5_000),
    `sh -c "${'sh -c '.repeat(2_000)}"`,
    '"'.repeat(30_001),
    'a '.repeat(20_000),
    'sudo '.repeat(4_000),
    'a=$a; '.repeat(3_000),
    'alias a=b; a '.repeat(1_000),
    '{a,'.repeat(5_000),
    `git ${'-a b '.repeat(4_000)}`,
    `git ${'$x'.repeat(9_000)}`,
    'a exec '.repeat(3_000),
    '\\',
  ]) {
    expect(parseCommandLine(line).commands.length).toBeGreaterThanOrEqual(0);
    expect(decidePolicy([[rule('deny', { command: ['git push', 'gh pr merge'] })]], bash(line)).subject).toBeDefined();
  }
});
