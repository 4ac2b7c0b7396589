import { describe, expect, test } from 'vitest';
import { loopbackPorts, networkFor } from '../../../src/core/attempt/network.ts';
import { Config } from '../../../src/schema/config.ts';

const derived = { trusted: ['trusted.example:8443'], named: ['127.0.0.1:11434'], ignored: [], hash: '' };
const network = (settings: object) => Config.parse({ network: settings }).network;
const hostsOf = (purpose: 'agent' | 'setup' | 'check' | 'application', settings: object, applicationPort?: number) => {
  const agent = { vendor: ['api.vendor.example'], variables: ['http://127.0.0.1:7000/v1', 'text'], applicationPort };
  const access = networkFor({
    purpose,
    network: network(settings),
    project: ['registry.example', '127.0.0.1:4873'],
    ...(purpose === 'agent' ? { agent } : {}),
  });
  if (access.kind === 'shared') return 'shared';
  return access.hosts.map(({ host, ports = [], isPrivate }) => `${host} ${ports} ${isPrivate ? 'private' : ''}`.trim());
};

describe('what a program may reach', () => {
  test('an agent: its vendor, the registries and the forge of its project, and what the person names', () => {
    expect(hostsOf('agent', { allow: ['own.example', '10.0.0.1:80'], derived }, 3000)).toEqual([
      'trusted.example 8443',
      'registry.example',
      '127.0.0.1 4873',
      'api.vendor.example',
      'own.example',
      '10.0.0.1 80 private',
      '127.0.0.1 11434 private',
      '127.0.0.1 3000 private',
      'localhost 3000 private',
      '127.0.0.1 7000 private',
    ]);
  });

  test('a set-up command: the registries and the forge, and what the person names for all', () => {
    expect(hostsOf('setup', { allow: ['own.example'], derived })).toEqual([
      'trusted.example 8443',
      'registry.example',
      '127.0.0.1 4873',
      'own.example',
    ]);
  });

  test('a check: only its own loopback, unless hosts are named', () => {
    expect(hostsOf('check', {})).toEqual([]);
    expect(hostsOf('check', { allow: ['127.0.0.1:5432'], derived })).toEqual([
      'trusted.example 8443',
      '127.0.0.1 5432 private',
    ]);
  });

  test('nothing with mode none, except the application that an agent inspects; everything with mode open', () => {
    expect(hostsOf('agent', { mode: 'none', allow: ['own.example'], derived })).toEqual([]);
    expect(hostsOf('agent', { mode: 'none' }, 3000)).toEqual(['127.0.0.1 3000 private', 'localhost 3000 private']);
    expect(hostsOf('check', { mode: 'open' })).toBe('shared');
    expect(hostsOf('application', {})).toEqual([]);
    expect(hostsOf('application', { mode: 'open' })).toBe('shared');
  });

  test('the ports of this machine are those that the person named', () => {
    const request = { purpose: 'check', project: ['127.0.0.1:4873'] } as const;
    const allow = ['127.0.0.1:5432', 'localhost:5432', 'db.example:1'];
    expect(loopbackPorts(networkFor({ ...request, network: network({ allow }) }))).toEqual([5432]);
  });
});

test.each(['127.0.0.1', 'localhost', '[::1]', 'a b', 'https://x.example', 'x.example/path', 'x.example:0', '*.', ''])(
  'network.allow refuses %j',
  (host) => expect(Config.safeParse({ network: { allow: [host] } }).success).toBe(false),
);
