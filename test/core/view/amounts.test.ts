import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  areFigures,
  dayText,
  momentText,
  moneyText,
  recordedTime,
  timeText,
  untilText,
  zoneText,
} from '../../../src/core/view/amounts.ts';

const AMOUNTS = new URL('../../../src/core/view/amounts.ts', import.meta.url).href;

const zone = process.env.TZ;
afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

describe('money', () => {
  it('has two decimals, and an amount below a cent is not zero', () => {
    expect([0, 0.004, 0.01, 0.05, 1.5, 12, 12345.678].map(moneyText)).toEqual([
      '$0.00',
      '<$0.01',
      '$0.01',
      '$0.05',
      '$1.50',
      '$12.00',
      '$12,345.68',
    ]);
    expect(areFigures(['$0.00', '<$0.01', '', '12,345'])).toBe(true);
    expect(areFigures(['$0.00', 'done'])).toBe(false);
    expect(areFigures([''])).toBe(false);
  });
});

describe('a time', () => {
  it('is in the time zone of the machine', () => {
    process.env.TZ = 'Asia/Tokyo';
    const at = Date.parse('2026-11-16T15:05:30Z');
    expect([momentText(at), momentText('2026-11-16T15:05:00Z'), dayText(at), timeText(at)]).toEqual([
      '2026-11-17 00:05:30',
      '2026-11-17 00:05',
      '2026-11-17',
      '00:05:30',
    ]);
    expect(zoneText(at)).toBe('UTC+9');
    process.env.TZ = 'America/St_Johns';
    expect(zoneText(at)).toBe('UTC-3:30');
    process.env.TZ = 'UTC';
    expect(zoneText(at)).toBe('UTC');
    process.env.TZ = 'Asia/Tokyo';
    expect(untilText(at, at + 1)).toBe('00:05');
    expect(untilText(at, at - 600_000)).toBe('2026-11-17 00:05');
  });
});

it('times of recorded texts are shown in the time zone of the reader', () => {
  const at = Date.UTC(2026, 10, 19, 16, 8);
  const text = `one is rate-limited until ${recordedTime(at)}`;
  expect(text).toBe('one is rate-limited until 2026-11-19T16:08:00.000Z');
  const shown = (zone: string, now?: number) => {
    const program = `import { withLocalTimes } from ${JSON.stringify(AMOUNTS)};
      console.log(withLocalTimes(${JSON.stringify(text)}, ${now}));`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      env: { TZ: zone },
      encoding: 'utf8',
    });
    return stdout.trim();
  };
  expect(shown('UTC', at)).toBe('one is rate-limited until 16:08');
  expect(shown('America/New_York', at)).toBe('one is rate-limited until 11:08');
  expect(shown('Asia/Tokyo')).toBe('one is rate-limited until 2026-11-20 01:08');
});

it('no other source file formats money or shows a time in UTC', () => {
  const src = join(import.meta.dirname, '../../../src');
  const formats = /\$\$\{[^}]*toFixed|toFixed\(\d\)\} USD|\d\d:\d\d UTC|until \$\{[^}]*toISOString/;
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
  const others = files.filter(
    (file) => !file.endsWith('core/view/amounts.ts') && formats.test(readFileSync(join(src, file), 'utf8')),
  );
  expect(others).toEqual([]);
});
