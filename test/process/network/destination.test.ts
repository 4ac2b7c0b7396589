import { describe, expect, test } from 'vitest';
import {
  type AllowedHost,
  isAddressAllowed,
  judgeDestination,
  normalHost,
  parseDestination,
} from '../../../src/process/network/destination.ts';

const RULES: AllowedHost[] = [
  { host: 'api.example.com' },
  { host: '*.registry.example.com' },
  { host: 'db.example.com', ports: [5432] },
  { host: '127.0.0.1', ports: [8080], isPrivate: true },
  { host: 'localhost', ports: [9090], isPrivate: true },
  { host: '::1', ports: [8080], isPrivate: true },
  { host: '10.1.2.3', ports: [80] },
];
const judge = (text: string) => {
  const destination = parseDestination(text);
  return destination === undefined ? 'invalid' : judgeDestination(destination, RULES).kind;
};

describe('a destination', () => {
  test.each([
    ['api.example.com:443', 'allowed'],
    ['API.Example.COM.:443', 'allowed'],
    ['api.example.com:80', 'allowed'],
    ['api.example.com:22', 'refused'],
    ['evil.example.com:443', 'refused'],
    ['api.example.com.evil.org:443', 'refused'],
    ['xapi.example.com:443', 'refused'],
    ['npm.registry.example.com:443', 'allowed'],
    ['registry.example.com:443', 'refused'],
    ['evilregistry.example.com:443', 'refused'],
    ['db.example.com:5432', 'allowed'],
    ['db.example.com:443', 'refused'],
    ['127.0.0.1:8080', 'allowed'],
    ['127.0.0.1:8081', 'refused'],
    ['127.1:8081', 'refused'],
    ['0x7f.1:8081', 'refused'],
    ['2130706433:8081', 'refused'],
    ['017700000001:80', 'refused'],
    ['localhost:9090', 'allowed'],
    ['localhost:8080', 'refused'],
    ['a.localhost:9090', 'refused'],
    ['[::1]:8080', 'allowed'],
    ['[0:0:0:0:0:0:0:1]:8080', 'allowed'],
    ['[::ffff:7f00:1]:8080', 'refused'],
    ['10.1.2.3:80', 'refused'],
    ['169.254.169.254:80', 'refused'],
    ['api.example.com', 'invalid'],
    ['api.example.com:0', 'invalid'],
    ['api.example.com:99999', 'invalid'],
    ['api.example.com@evil.org:443', 'invalid'],
    ['api.example.com/x:443', 'invalid'],
    ['api.example.com\\.evil.org:443', 'invalid'],
    ['api.example.com#.evil.org:443', 'invalid'],
    ['a b:443', 'invalid'],
    ['[fe80::1%25eth0]:80', 'invalid'],
    [':443', 'invalid'],
  ])('%s is %s', (text, verdict) => expect(judge(text)).toBe(verdict));

  test('is compared in one form, whatever its spelling', () => {
    expect(['BÜCHER.example', 'xn--bcher-kva.example', '0x7f.1', '127.0.0.1.'].map(normalHost)).toEqual([
      'xn--bcher-kva.example',
      'xn--bcher-kva.example',
      '127.0.0.1',
      '127.0.0.1',
    ]);
  });
});

describe('an address that a name resolves to', () => {
  test.each([
    ['93.184.216.34', true, true],
    ['2606:2800:220:1::1', true, true],
    ['127.0.0.1', false, true],
    ['10.0.0.1', false, true],
    ['172.31.0.1', false, true],
    ['192.168.1.1', false, true],
    ['100.64.0.1', false, true],
    ['::1', false, true],
    ['fd12::1', false, true],
    ['::ffff:127.0.0.1', false, true],
    ['::ffff:a9fe:a9fe', false, false],
    ['64:ff9b::7f00:1', false, true],
    ['2002:7f00:1::', false, true],
    ['169.254.169.254', false, false],
    ['100.100.100.200', false, false],
    ['fd00:ec2::254', false, false],
    ['fe80::1', false, false],
    ['0.0.0.0', false, false],
    ['::', false, false],
    ['224.0.0.1', false, false],
    ['255.255.255.255', false, false],
    ['2606:4700::1111', true, true],
    ['2001:4860:4860::8888', true, true],
    // Only 2000::/3 is public.
    ['::2', false, true],
    ['1::1', false, true],
    ['4000::1', false, true],
    ['5f00::1', false, true],
    ['3fff::1', false, true],
    ['::ffff:0:7f00:1', false, true],
    // A network that translates these would lead to a metadata service.
    ['::ffff:0:a9fe:a9fe', false, false],
    ['64:ff9b::a9fe:a9fe', false, false],
    ['64:ff9b:1::a9fe:a9fe', false, false],
    ['2002:a9fe:a9fe::1', false, false],
    ['2002:a00:1::1', false, true],
    ['fd00:ec2::23', false, false],
    ['not an address', false, false],
  ])('%s: public %s, named by the person %s', (address, isPublic, isNamed) => {
    expect([isAddressAllowed(address, false), isAddressAllowed(address, true)]).toEqual([isPublic, isNamed]);
  });
});
