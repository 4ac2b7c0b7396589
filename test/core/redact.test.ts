import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactor, redactValue, secretsAmong } from '../../src/core/redact.ts';

const SECRET = 'correct-horse/battery+staple';

describe('redaction', () => {
  const redact = redactor([SECRET]);

  it('replaces a known secret at any position', () => {
    expect(redact(`a ${SECRET} b${SECRET}`)).toBe('a [redacted] b[redacted]');
  });

  it('finds it in base64 at every shift, in hex, in URLs and in JSON', () => {
    for (const before of ['', 'x', 'xy', 'xyz']) {
      const encoded = Buffer.from(`${before}${SECRET}!`).toString('base64');
      expect(redact(encoded)).toContain('[redacted]');
    }
    expect(redact(Buffer.from(SECRET).toString('hex'))).toBe('[redacted]');
    expect(redact(`https://x/?k=${encodeURIComponent(SECRET)}`)).toBe('https://x/?k=[redacted]');
    expect(redactor(['quo"ted\\secret'])(JSON.stringify({ k: 'quo"ted\\secret' }))).toBe('{"k":"[redacted]"}');
  });

  it('removes a secret whatever surrounds it', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 30 });
    fc.assert(
      fc.property(fc.stringMatching(/^[\w+/=.-]{12,40}$/), text, text, (secret, before, after) => {
        expect(redactor([secret])(before + secret + after)).not.toContain(secret);
      }),
    );
  });

  it('recognizes well-known secrets by their pattern', () => {
    const samples = [
      `sk-ant-${'a1'.repeat(20)}`,
      `ghp_${'A1b2'.repeat(9)}`,
      ...['gho', 'ghu', 'ghs', 'ghr'].map((maker) => `${maker}_${'A1b2'.repeat(9)}`),
      `github_pat_${'A1'.repeat(12)}`,
      `glpat-${'a1'.repeat(12)}`,
      `xoxb-${'1a'.repeat(8)}`,
      `npm_${'A1b2'.repeat(9)}`,
      `mht_${'a1b2'.repeat(16)}`,
      `AIza${'a1b2c'.repeat(7)}`,
      `eyJ${'a1'.repeat(8)}.eyJ${'b2'.repeat(8)}.${'c3'.repeat(8)}`,
      'AKIAIOSFODNN7EXAMPLE',
      'ASIAIOSFODNN7EXAMPLE',
      'postgres://user:hunter22@db/x',
      '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----',
    ];
    for (const sample of samples) expect(redact(`see ${sample} there`)).toMatch(/^see \[redacted\]/);
  });

  it('does not change ordinary text, commit ids and short values', () => {
    const text =
      'commit 3dd7ef7e39b84b4b3dd7ef7e39b84b4b3dd7ef7e in src/billing/key.ts, task-1, https://example.org/a@b';
    expect(redactor(['short'])(`${text} short`)).toBe(`${text} short`);
  });

  it('detects secret variables by their names', () => {
    expect(secretsAmong({ ANTHROPIC_API_KEY: 'k', PATH: '/bin', GH_TOKEN: 't', HOME: undefined })).toEqual(['k', 't']);
  });

  it('reaches every text of a value', () => {
    expect(redactValue({ a: [SECRET, 1, null], b: { c: `x${SECRET}` } }, redact)).toEqual({
      a: ['[redacted]', 1, null],
      b: { c: 'x[redacted]' },
    });
  });
});
