import { chmod, lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { setConfig, unsetConfig } from '../../src/config/edit.ts';
import { loadConfig } from '../../src/config/load.ts';
import { failureOf, scratch } from './scratch.ts';

const COMMENTED = `# how we work
limits:
  agents: 4 # this machine is small
  # checks: 1

checks:
- npm test   # the suite
`;

describe('setting a value', () => {
  it('makes the file when there is none', async () => {
    await using home = await scratch();
    const { file, value } = await setConfig({ key: 'limits.agents', scope: 'project', place: home.place }, '8');
    expect({ file, value }).toEqual({ file: home.projectFile, value: 8 });
    expect(await readFile(file, 'utf8')).toBe('limits:\n  agents: 8\n');
  });

  it('keeps comments, order and indentation', async () => {
    await using home = await scratch();
    await home.write('project', COMMENTED);
    await setConfig({ key: 'limits.agents', scope: 'project', place: home.place }, '8');
    const text = await readFile(home.projectFile, 'utf8');
    expect(text).toContain('# how we work\nlimits:\n  agents: 8 # this machine is small\n  # checks: 1\n');
    expect(text).toMatch(/checks:\n- npm test +# the suite/);
  });

  it('keeps an indentation of four', async () => {
    await using home = await scratch();
    await home.write('project', 'limits:\n    agents: 4\n');
    await setConfig({ key: 'limits.checks', scope: 'project', place: home.place }, '2');
    expect(await readFile(home.projectFile, 'utf8')).toBe('limits:\n    agents: 4\n    checks: 2\n');
  });

  it('reads the value as YAML, lists too', async () => {
    await using home = await scratch();
    await setConfig({ key: 'checks', scope: 'global', place: home.place }, '["npm test", { run: [make, lint] }]');
    expect((await loadConfig(home.place)).checks).toEqual(['npm test', { run: ['make', 'lint'], timeoutSeconds: 600 }]);
  });

  it.each([
    ['tools.allowedCli', 'gh,az, docker', ['gh', 'az', 'docker']],
    ['tools.allowedCli', 'gh', ['gh']],
    ['tools.allowedTools', 'Bash(git:*),Bash(rm -r, mv),Read', ['Bash(git:*)', 'Bash(rm -r, mv)', 'Read']],
    ['git.branch', 'a,{run}', 'a,{run}'],
  ])('takes words between commas where %s is set: %s', async (key, text, value) => {
    await using home = await scratch();
    expect(await setConfig({ key, scope: 'project', place: home.place }, text)).toMatchObject({ value });
  });

  it.each(['a sentence, with a comma', 'a,,b', ''])('does not part what are no words: "%s"', async (text) => {
    await using home = await scratch();
    const set = setConfig({ key: 'tools.allowedTools', scope: 'project', place: home.place }, JSON.stringify(text));
    expect((await failureOf(set)).message).toContain('allowed: list of text');
  });

  it('fills a key that has nothing behind it', async () => {
    await using home = await scratch();
    await home.write('project', 'limits:\nland: pr\n');
    await setConfig({ key: 'limits.checks', scope: 'project', place: home.place }, '3');
    expect((await loadConfig(home.place)).limits.checks).toBe(3);
  });

  it('repairs a value that was wrong', async () => {
    await using home = await scratch();
    await home.write('project', 'land: nowhere\n');
    await setConfig({ key: 'land', scope: 'project', place: home.place }, 'merge');
    expect((await loadConfig(home.place)).land).toBe('merge');
  });

  it('writes nothing when the value is not allowed', async () => {
    await using home = await scratch();
    await home.write('project', COMMENTED);
    const error = await failureOf(setConfig({ key: 'limits.agents', scope: 'project', place: home.place }, '"8"'));
    expect(error.code).toBe('CONFIG_INVALID');
    expect(error.message).toMatch(/found the text "8"; allowed: integer 1\.\.150 \(without quotes\)/);
    expect(await readFile(home.projectFile, 'utf8')).toBe(COMMENTED);
    expect(await readdir(dirname(home.projectFile))).toEqual(['config.yaml']);
  });

  it('refuses an unknown key with the nearest one', async () => {
    await using home = await scratch();
    const error = await failureOf(setConfig({ key: 'limits.agent', scope: 'project', place: home.place }, '8'));
    expect(error.code).toBe('CONFIG_KEY_UNKNOWN');
    expect(error.message).toContain('did you mean limits.agents?');
  });

  it('refuses a value that is no YAML', async () => {
    await using home = await scratch();
    const error = await failureOf(setConfig({ key: 'checks', scope: 'project', place: home.place }, '["npm'));
    expect(error.code).toBe('USAGE');
    expect(error.message).toContain('not YAML');
  });

  it('refuses the project scope outside of a repository', async () => {
    await using home = await scratch();
    const error = await failureOf(setConfig({ key: 'land', scope: 'project', place: { env: home.place.env } }, 'pr'));
    expect(error.code).toBe('NOT_A_REPOSITORY');
    expect(error.message).toContain('--global');
  });

  it('keeps the own settings of the user from others, and the file of a project as it is', async () => {
    await using home = await scratch();
    await setConfig({ key: 'land', scope: 'global', place: home.place }, 'merge');
    expect((await lstat(home.globalFile)).mode & 0o777).toBe(0o600);
    expect((await lstat(dirname(home.globalFile))).mode & 0o777).toBe(0o700);
    await chmod(home.globalFile, 0o644);
    await setConfig({ key: 'land', scope: 'global', place: home.place }, 'pr');
    expect((await lstat(home.globalFile)).mode & 0o777).toBe(0o600);
    await home.write('project', 'land: pr\n');
    await chmod(home.projectFile, 0o644);
    await setConfig({ key: 'land', scope: 'project', place: home.place }, 'merge');
    expect((await lstat(home.projectFile)).mode & 0o777).toBe(0o644);
  });

  it('writes through a symbolic link and leaves it a link', async () => {
    await using home = await scratch();
    const dotfile = join(home.root, 'dotfiles.yaml');
    await writeFile(dotfile, 'land: pr\n', { mode: 0o600 });
    await mkdir(dirname(home.globalFile), { recursive: true });
    await symlink(dotfile, home.globalFile);
    await setConfig({ key: 'land', scope: 'global', place: home.place }, 'merge');
    expect((await lstat(home.globalFile)).isSymbolicLink()).toBe(true);
    expect((await lstat(dotfile)).mode & 0o777).toBe(0o600);
    expect(await readFile(dotfile, 'utf8')).toBe('land: merge\n');
  });

  it('does not follow the link of a repository out of it', async () => {
    await using home = await scratch();
    const elsewhere = join(home.root, 'elsewhere.yaml');
    await writeFile(elsewhere, 'land: pr\n');
    await mkdir(dirname(home.projectFile), { recursive: true });
    await symlink(elsewhere, home.projectFile);
    const error = await failureOf(setConfig({ key: 'land', scope: 'project', place: home.place }, 'merge'));
    expect(error.message).toContain('leads out of the project');
    expect(await readFile(elsewhere, 'utf8')).toBe('land: pr\n');
  });
});

describe('unsetting a value', () => {
  it('removes it and the map it leaves empty', async () => {
    await using home = await scratch();
    await home.write('project', '# top\nland: pr\nlimits:\n  agents: 3\n');
    await unsetConfig({ key: 'limits.agents', scope: 'project', place: home.place });
    expect(await readFile(home.projectFile, 'utf8')).toBe('# top\nland: pr\n');
  });

  it('says so when it is not set there', async () => {
    await using home = await scratch();
    await home.write('global', 'land: pr\n');
    const error = await failureOf(unsetConfig({ key: 'land', scope: 'project', place: home.place }));
    expect(error.message).toContain(`land is not set in ${home.projectFile}`);
  });

  it('leaves a readable file when nothing remains', async () => {
    await using home = await scratch();
    await home.write('project', 'land: pr\n');
    await unsetConfig({ key: 'land', scope: 'project', place: home.place });
    expect((await loadConfig(home.place)).land).toBeUndefined();
  });
});
