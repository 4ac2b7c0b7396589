import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../src/forges/address.ts';
import { findForge } from '../../src/forges/registry.ts';
import { GitConfig } from '../../src/schema/config/git.ts';
import { forgeContract } from '../contracts/forge.ts';
import { standIn } from './stand-ins.ts';

forgeContract('github', () => standIn('github'));
forgeContract('gitlab', () => standIn('gitlab'));
forgeContract('bitbucket', () => standIn('bitbucket'));

const { signal } = new AbortController();

function found(address: string | undefined, config: Partial<GitConfig> = {}, env: NodeJS.ProcessEnv = {}) {
  const answer = findForge({ config: GitConfig.parse(config), address, env });
  return answer.kind === 'found' ? `${answer.forge.name} ${answer.forge.repo}` : answer.nextStep;
}

describe('the detection of the forge', () => {
  it.each([
    ['https://github.com/ann/shop.git', 'github ann/shop'],
    ['git@github.com:ann/shop.git', 'github ann/shop'],
    ['ssh://git@ssh.github.com:443/ann/shop.git', 'github ann/shop'],
    ['https://company.ghe.com/ann/shop', 'github ann/shop'],
    ['https://gitlab.com/group/sub/shop.git', 'gitlab group/sub/shop'],
    ['git@gitlab.example.org:group/shop.git', 'gitlab group/shop'],
    ['https://ann@bitbucket.org/ann/shop.git', 'bitbucket ann/shop'],
  ])('is derived from %s', (address, expected) => {
    expect(found(address)).toBe(expected);
  });

  it.each(['https://github.com.evil.example/ann/shop', 'https://example.org/github.com/shop', '/srv/git/shop.git'])(
    'is not guessed from %s, and the settings can say it',
    (address) => {
      expect(found(address)).toContain('git.provider');
      expect(found(address, { provider: 'github', repo: 'ann/shop' })).toBe('github ann/shop');
    },
  );

  it('treats a host without a dot in an SSH address as an alias of the configured forge', () => {
    const config = GitConfig.parse({ provider: 'github' });
    const answer = findForge({ config, address: 'git@work:ann/shop.git', env: {} });
    expect(answer).toMatchObject({ kind: 'found', forge: { repo: 'ann/shop' } });
    expect(parseAddress('git@work:ann/shop.git')?.isAlias).toBe(true);
    expect(parseAddress('https://gitlab/ann/shop.git')?.isAlias).toBe(false);
  });

  it('uses the Bitbucket workspace from the environment when only a name is set', () => {
    const env = { BITBUCKET_WORKSPACE: 'ann' };
    expect(found('/srv/shop.git', { provider: 'bitbucket', repo: 'shop' }, env)).toBe('bitbucket ann/shop');
    expect(found('https://github.com/ann/old.git', { repo: 'shop' })).toBe('github ann/shop');
    expect(found('/srv/shop.git', { provider: 'github', repo: 'shop' })).toContain('git.repo');
  });

  it.each([
    ['no remote', undefined, {}, 'git remote add'],
    ['none by choice', 'https://github.com/ann/shop', { provider: 'none' }, 'git.provider'],
    ['a path that leaves the repository', 'https://github.com/../shop', {}, 'git.repo'],
  ] as const)('says what to do with %s', (_, address, config, expected) => {
    expect(found(address, config)).toContain(expected);
  });

  it('finds no host in a local path', () => {
    expect([parseAddress('/a/b.git'), parseAddress('../b.git'), parseAddress('file:///a/b')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('the login of a forge', () => {
  it.each(['github', 'gitlab', 'bitbucket'] as const)('is reported for %s', async (name) => {
    await using fake = await standIn(name);
    expect((await fake.forge().login(signal)).ok).toBe(true);
  });

  it('reports how to log in, and how to install the program', async () => {
    await using fake = await standIn('github');
    fake.change((state) => {
      state.user = null;
    });
    expect(await fake.forge().login(signal)).toMatchObject({ ok: false, nextStep: 'gh auth login' });
    const config = GitConfig.parse({});
    const nowhere = findForge({ config, address: 'git@gitlab.com:ann/shop', env: { PATH: '/nonexistent' } });
    expect(nowhere.kind === 'found' && (await nowhere.forge.login(signal))).toMatchObject({
      ok: false,
      nextStep: expect.stringContaining('install glab'),
    });
  });

  it('sends the Bitbucket login only over https', () => {
    const env = { BITBUCKET_TOKEN: 'secret-token', BITBUCKET_API_URL: 'http://example.org' };
    expect(() => found('https://bitbucket.org/ann/shop', {}, env)).toThrow(/not an https address/);
  });

  it('sends no request to Bitbucket without a login', async () => {
    const config = GitConfig.parse({});
    const forge = findForge({ config, address: 'https://bitbucket.org/ann/shop', env: {} });
    expect(forge.kind === 'found' && (await forge.forge.list(signal))).toMatchObject({
      ok: false,
      failure: { kind: 'auth', nextStep: expect.stringContaining('BITBUCKET_TOKEN') },
    });
  });
});
