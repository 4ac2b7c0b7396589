import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digitsPicture } from '../../src/bench/digits-picture.ts';
import { BENCH_TASKS, unsupported } from '../../src/bench/registry.ts';
import { createBenchRepository } from '../../src/bench/repository.ts';
import { BenchKind } from '../../src/schema/model.ts';
import { INTERVALS, VISITORS } from './solutions.ts';

/** For each kind an honest answer, and one that looks like it. */
const ANSWERS: Record<BenchKind, { file: string; right: string; wrong: string }> = {
  code: { file: 'intervals.mjs', right: INTERVALS, wrong: INTERVALS.replace('Math.max(last[1], to)', 'to') },
  review: { file: 'findings.json', right: '[15, 18, 30]', wrong: '[15, 18, 22]' },
  security: { file: 'visitors.mjs', right: VISITORS, wrong: VISITORS.replace("inside.startsWith('../')", 'false') },
  'long-context': { file: 'answer.json', right: journalAnswer(), wrong: '{"order": "O-1733", "cents": 1}' },
  multimodal: { file: 'reading.json', right: '{"digits": "4071862"}', wrong: '{"digits": "4071863"}' },
};

let folder: string;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'mh-bench-')));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the task of each benchmark', () => {
  it.each(BenchKind.options)('is open at first, done by an honest answer, and not by another one: %s', async (kind) => {
    const { repository, check } = await createBenchRepository(folder, BENCH_TASKS[kind]);
    const judge = () => spawnSync(process.execPath, [check], { cwd: repository, encoding: 'utf8' });
    const { file, right, wrong } = ANSWERS[kind];
    expect(judge().status).not.toBe(0);
    writeFileSync(join(repository, file), wrong);
    expect(judge().status).not.toBe(0);
    writeFileSync(join(repository, file), right);
    expect(judge()).toMatchObject({ status: 0, stderr: '' });
  });

  it('has one repository, also with concurrent requests', async () => {
    const places = await Promise.all(
      [1, 2, 3].map(() => createBenchRepository(join(folder, 'at-once'), BENCH_TASKS.code)),
    );
    expect(new Set(places.map(({ repository }) => repository)).size).toBe(1);
    const log = spawnSync('git', ['-C', places[0]?.repository ?? '', 'log', '--oneline'], { encoding: 'utf8' });
    expect(log.stdout.trim().split('\n')).toHaveLength(1);
  });

  it('is not supported by an agent without the capability', () => {
    expect(unsupported('multimodal', { scripted: false, pictures: true })).toBeUndefined();
    expect(unsupported('multimodal', { scripted: false, pictures: false })).toMatch(/^not supported/);
    expect(unsupported('code', { scripted: true, pictures: false })).toMatch(/^not supported/);
  });
});

it('draws an image without any text in it', () => {
  const picture = digitsPicture('80');
  expect(picture.subarray(1, 4).toString('latin1')).toBe('PNG');
  const data = picture.indexOf('IDAT');
  const rows = inflateSync(picture.subarray(data + 4, data + 4 + picture.readUInt32BE(data - 4)));
  const width = picture.readUInt32BE(16);
  const dark = (x: number, y: number) => rows[y * (width + 1) + 1 + x] === 0;
  expect([dark(24, 44), dark(88, 44)]).toEqual([true, false]);
  expect(picture.toString('latin1')).not.toContain('80');
});

/** Found again from the text alone, as a reader would. */
function journalAnswer(): string {
  const text = String(BENCH_TASKS['long-context'].files['orders.log']);
  const cancelled = new Set([...text.matchAll(/^refund (R-\d+) cancelled$/gm)].map(([, refund]) => refund));
  const refunds = [...text.matchAll(/^refund of (\d+) cents to C-0417 as (R-\d+)$/gm)];
  const cents = refunds.reduce((sum, [, amount, refund]) => (cancelled.has(refund) ? sum : sum + Number(amount)), 0);
  const twice = /^(O-\d+) shipped\n\1 shipped$/m.exec(text)?.[1];
  return JSON.stringify({ order: twice, cents });
}
