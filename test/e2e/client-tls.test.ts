import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeScratch, type Scratch } from '../support/scratch.ts';

const WITHOUT_OPENSSL = spawnSync('openssl', ['version']).status !== 0;

describe.skipIf(WITHOUT_OPENSSL)('login to a server by TLS', () => {
  let laptop: Scratch;
  let folder: string;
  const servers: Server[] = [];
  let requests = 0;

  beforeAll(async () => {
    laptop = await makeScratch({ files: { 'a.txt': 'a\n' } });
    folder = join(laptop.root, 'certificates');
    mkdirSync(folder);
    openssl('req', '-x509', '-nodes', ...newKey('ca'), '-subj', '/CN=Test authority', '-days', '2', '-out', 'ca.pem');
  });

  afterAll(async () => {
    for (const server of servers) server.close();
    await laptop[Symbol.asyncDispose]();
  });

  function openssl(...args: string[]): void {
    execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  }

  function newKey(name: string): string[] {
    return ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-keyout', `${name}.key`];
  }

  /** A certificate of the test's authority for a name, valid between two days of the authority's calendar. */
  function certify(name: string, host: string, [from, to]: [string, string]): void {
    openssl('req', '-nodes', ...newKey(name), '-subj', `/CN=${host}`, '-out', `${name}.csr`);
    writeFileSync(join(folder, 'extensions'), `subjectAltName=DNS:${host}\n`);
    writeFileSync(join(folder, 'index'), '');
    const settings =
      '[ca]\ndefault_ca=own\n[own]\ndatabase=index\nnew_certs_dir=.\nrand_serial=yes\npolicy=any\n[any]\n';
    writeFileSync(join(folder, 'ca.conf'), `${settings}commonName=supplied\n`);
    const how = ['-config', 'ca.conf', '-batch', '-notext', '-md', 'sha256', '-extfile', 'extensions'];
    const dates = ['-startdate', from, '-enddate', to];
    openssl(
      'ca',
      ...how,
      ...dates,
      '-cert',
      'ca.pem',
      '-keyfile',
      'ca.key',
      '-in',
      `${name}.csr`,
      '-out',
      `${name}.pem`,
    );
  }

  async function login(name: string, env: Record<string, string> = {}): Promise<string> {
    const [key, cert] = ['key', 'pem'].map((end) => readFileSync(join(folder, `${name}.${end}`)));
    const server = createServer({ key, cert }, (_request, response) => {
      requests += 1;
      response.writeHead(404).end();
    });
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const secret = { MANYHANDS_TOKEN: 'mht_0123456789abcdef0123' };
    const ended = await laptop.mh(['login', `https://localhost:${port}`], { env: { ...secret, ...env } });
    expect([ended.code, ended.stdout]).toEqual([3, '']);
    return ended.stderr;
  }

  it('says what is wrong with its certificate, and sends nothing', async () => {
    const trusted = { NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') };
    const past: [string, string] = ['20200101000000Z', '20200201000000Z'];
    const always: [string, string] = ['20200101000000Z', '20900101000000Z'];
    certify('other', 'other.example', always);
    certify('expired', 'localhost', past);
    certify('good', 'localhost', always);
    expect(await login('ca')).toContain('is not accepted: it is self-signed or issued by an authority');
    expect(await login('good')).toContain('set NODE_EXTRA_CA_CERTS to its certificate file');
    expect(await login('expired', trusted)).toContain('is not accepted: it has expired. Renew it on the server');
    expect(await login('other', trusted)).toMatch(/is not accepted: .*localhost.*not in.*DNS:other\.example/);
    expect(requests).toBe(0);
    expect(await login('good', trusted)).toContain('is not a Manyhands server');
    expect(requests).toBe(1);
  });
});
