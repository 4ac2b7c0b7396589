import { existsSync, readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { containment } from '../../src/process/terminate.ts';
import { runStream } from '../../src/schema/ids.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import { realWorld } from '../../src/world.ts';
import { agent, job, makeShop } from './hostile-run.ts';

const LAUNCHER = fileURLToPath(new URL('../../bin/manyhands.mjs', import.meta.url));
const PLAIN = ['cancel', 'link', 'setting', 'token', 'serve', 'socket', 'http', 'passed-on'];
/** What only a cgroup shows. */
const EVASIVE = ['orphan'];
/** Connections that no process seems to hold, and one to the repository of the server. */
const HIDDEN = existsSync('/usr/bin/python3') ? ['in-flight', 'thread', 'zombie', 'git'] : [];
/** A connection of another user, which only root can make. */
const OF_OTHERS = HIDDEN.length > 0 && process.getuid?.() === 0 ? ['other-user'] : [];
/** Connects from another address of this machine, if it has one. */
const isAddressed = HIDDEN.length > 0 && hasOtherAddress();

test.runIf(process.platform === 'linux')(
  'an agent cannot control runs, whatever its environment says, and every try is recorded with its attempt',
  async () => {
    await using shop = await makeShop();
    const out = join(shop.root, 'out');
    await shop.mh(['token']);
    expect((await shop.mh(['serve', '--detach', '--port', '0'])).code).toBe(0);
    const evasive = containment().kind === 'cgroup' ? EVASIVE : [];
    const { code, run } = await job(shop, agent('operator.sh', out, LAUNCHER, shop.home, ...evasive));
    const answerOf = (name: string) => readFileSync(join(out, name), 'utf8');
    const hidden = [...HIDDEN, ...OF_OTHERS, ...(isAddressed ? ['address'] : [])];
    for (const name of [...PLAIN, ...hidden, ...evasive]) {
      const answer = answerOf(name);
      expect(answer, name).toMatch(/CALLED_BY_AGENT|not for programs of an attempt/);
      expect(answer, name).not.toMatch(/unset|env -i|MANYHANDS_|own terminal/);
    }
    expect(answerOf('http')).toMatch(/^read 200, cancel 403:/);
    expect([code, run.status]).toEqual([0, 'done']);

    await using store = await openSqliteStore({ file: join(shop.home, 'manyhands.db'), world: realWorld });
    const events = store.read(runStream(run.run), 0);
    const refused = events.filter(({ type }) => type === 'run.call-refused');
    expect(refused.map(({ data }) => data)).toContainEqual({ operation: 'cancel-run' });
    expect(refused.length).toBeGreaterThanOrEqual(3);
    expect(new Set(refused.map(({ origin }) => origin?.via))).toEqual(new Set(['cli', 'http']));
    for (const { origin } of refused) {
      expect(origin).toMatchObject({ actor: { kind: 'agent', attempt: `${run.run}-1-1` } });
    }
  },
);

function hasOtherAddress(): boolean {
  return Object.values(networkInterfaces()).some((each) =>
    each?.some(({ internal, family }) => !internal && family === 'IPv4'),
  );
}
