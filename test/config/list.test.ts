import { describe, expect, it } from 'vitest';
import { allowedAt, describeConfig } from '../../src/config/describe.ts';
import { listConfig } from '../../src/config/list.ts';
import { loadLayers } from '../../src/config/load.ts';
import { scratch } from './scratch.ts';

describe('the list of settings', () => {
  it('says value and origin of each', async () => {
    await using home = await scratch();
    await home.write('global', 'limits: { agents: 4 }\nagents: { ada: { kind: rehearsal } }\n');
    await home.write('project', 'land: pr\n');
    const entries = new Map(listConfig(await loadLayers(home.place)).map((entry) => [entry.key, entry]));
    expect(entries.get('limits.agents')).toMatchObject({ value: 4, from: 'global' });
    expect(entries.get('land')).toMatchObject({ value: 'pr', from: 'project' });
    expect(entries.get('limits.checks')).toMatchObject({ value: 2, from: 'default' });
    expect(entries.get('agents.ada.kind')).toMatchObject({ value: 'rehearsal', from: 'global' });
  });

  it('names no project for what its file cannot loosen, and the reason is known for each', async () => {
    await using home = await scratch();
    await home.write('global', 'approve: { confirm: terminal }\nsandbox: require\n');
    const loosening = [
      'approve: { confirm: "off" }',
      'sandbox: "off"',
      'notify: [{ kind: webhook, url: "https://example.org/x" }]',
      'network: { mode: open, allow: [x.example.org, "127.0.0.1:80"] }',
    ];
    await home.write('project', `${loosening.join('\n')}\n`);
    const loaded = await loadLayers(home.place);
    const entries = new Map(listConfig(loaded).map(({ key, value, from }) => [key, [value, from]]));
    expect(entries.get('approve.confirm')).toEqual(['terminal', 'global']);
    expect(entries.get('sandbox')).toEqual(['require', 'global']);
    expect(entries.get('notify')).toEqual([[], 'default']);
    expect(entries.get('network.mode')).toEqual(['listed', 'default']);
    expect(entries.get('network.allow')).toEqual([[], 'default']);
    const ignored = loaded.ignored.map(({ key }) => key).sort();
    expect(ignored).toEqual(['approve', 'network.allow', 'network.mode', 'notify', 'sandbox']);
    await home.write('project', 'network: { mode: none }\n');
    const tighter = await loadLayers(home.place);
    expect([tighter.ignored, tighter.config.network.mode]).toEqual([[], 'none']);
  });
});

describe('the description of settings', () => {
  it('gives type, default and a meaning for each key', () => {
    const keys = new Map(describeConfig().map((setting) => [setting.key, setting]));
    expect(keys.get('limits.agents')).toEqual({
      key: 'limits.agents',
      type: 'integer 1..150',
      default: 20,
      description: expect.stringMatching(/^Maximum number of concurrent attempts\. .*4 per processor core/),
    });
    expect(keys.get('agents.<name>.kind')?.type).toBe('acp | claude | codex | command | gemini | rehearsal');
    expect(keys.get('budget.run')?.type).toBe('number above 0');
    expect(allowedAt(['limits', 'nothing'])).toBeUndefined();
  });
});
