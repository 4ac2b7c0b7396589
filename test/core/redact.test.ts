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

  it('finds it broken over lines, and spelled with the escapes of JSON, URLs and HTML', () => {
    const escapes = (spell: (code: string) => string) =>
      [...SECRET].map((char) => spell(char.charCodeAt(0).toString(16).padStart(2, '0'))).join('');
    const broken = [
      `${SECRET.slice(0, 9)}\n    ${SECRET.slice(9)}`,
      `${SECRET.slice(0, 9)}\\\r\n${SECRET.slice(9)}`,
      JSON.stringify(`${SECRET.slice(0, 9)}\n${SECRET.slice(9)}`).slice(1, -1),
      SECRET.replace('/', '\\/'),
      SECRET.replace('/', '%2f').replace('+', '&#43;'),
      escapes((code) => `\\u00${code}`),
      escapes((code) => `%${code}`),
      escapes((code) => `&#x${code};`),
    ];
    for (const text of broken) expect(redact(`see ${text} there\n`), text).toBe('see [redacted] there\n');
    const lines =
      Buffer.from(`a longer text with ${SECRET} in it`)
        .toString('base64')
        .match(/.{1,20}/g) ?? [];
    expect(redact(lines.join('\n'))).toContain('[redacted]');
    const value = 'quo"ted\\secret';
    expect(redactor([value])(JSON.stringify(JSON.stringify({ k: value })))).toBe('"{\\"k\\":\\"[redacted]\\"}"');
    const ordinary = 'at 100%20 of C:\\new\nnothing &amp; more';
    expect(redact(ordinary)).toBe(ordinary);
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
      `xai-${'a1B2'.repeat(20)}`,
      `pplx-${'a1B2'.repeat(12)}`,
      `r8_${'a1B2'.repeat(9)}z`,
      `nvapi-${'a1B2'.repeat(16)}`,
      `pypi-AgEIcHlwaS5vcmc${'a1B2'.repeat(16)}`,
      `ATATT3xFfGF0${'a1B2'.repeat(40)}`,
      `dop_v1_${'a1b2'.repeat(16)}`,
      `sbp_${'a1b2'.repeat(10)}`,
      `whsec_${'a1B2'.repeat(8)}`,
      `AGE-SECRET-KEY-1${'Q9'.repeat(29)}`,
      `xoxb-${'1a'.repeat(8)}`,
      `npm_${'A1b2'.repeat(9)}`,
      `mht_${'a1b2'.repeat(16)}`,
      `mhh_eyJvcmRlciI6ImFiY2QxMjM0LTEtMSJ9_${'a1b2'.repeat(16)}`,
      `AIza${'a1b2c'.repeat(7)}`,
      `eyJ${'a1'.repeat(8)}.eyJ${'b2'.repeat(8)}.${'c3'.repeat(8)}`,
      'AKIAIOSFODNN7EXAMPLE',
      'ASIAIOSFODNN7EXAMPLE',
      `sk_live_${'a1B2'.repeat(7)}`,
      `SG.${'aB1-'.repeat(6)}.${'cD2_'.repeat(10)}`,
      `dckr_pat_${'a1B'.repeat(9)}`,
      `hf_${'aBcDeFgHiJkLmNoPq'.repeat(2)}`,
      '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----',
    ];
    for (const sample of samples) expect(redact(`see ${sample} there`)).toMatch(/^see \[redacted\]/);
  });

  it('hides the values of pairs, and counts only those that are certain', () => {
    const pairs: [string, string, boolean][] = [
      ['password=Sommer2024', 'password=[redacted]', false],
      ['login --password Sommer2024 now', 'login --password [redacted] now', false],
      ['--token is missing, --api-key $KEY', '--token is missing, --api-key $KEY', false],
      ['<dbPassword>Sommer2024</dbPassword>', '<dbPassword>[redacted]</dbPassword>', false],
      ['Authorization: token k8Zq2LmXw0pTr5', 'Authorization: token [redacted]', true],
      ['curl -u admin:Sommer2024 https://x', 'curl -u admin:[redacted] https://x', false],
      ['mysql -uroot -pSommer2024 shop', 'mysql -uroot -p[redacted] shop', false],
      ['mysql -u root -p shop < dump.sql', 'mysql -u root -p shop < dump.sql', false],
      ['sshpass -p Sommer2024 ssh host', 'sshpass -p [redacted] ssh host', false],
      ['AccountName=a;AccountKey=q7Wz3XvB9nM2kL5pT8rY==', 'AccountName=a;AccountKey=[redacted]', true],
      ['export DB_PASSWORD=hunter2', 'export DB_PASSWORD=[redacted]', false],
      ['{"client_secret": "kJ8#mP2$vL9@qR4!"}', '{"client_secret": "[redacted]"}', true],
      ['{\\"apiKey\\":\\"q7Wz3XvB9nM2kL5p\\"}', '{\\"apiKey\\":\\"[redacted]\\"}', true],
      ['Authorization: Bearer zX9qLm27TbVw', 'Authorization: Bearer [redacted]', true],
      [`https://discord.com/api/webhooks/123456789012345678/${'k8Zq2LmX'.repeat(8)}`, '[redacted]', true],
      ['Authorization: Bearer q7Wz3XvB9nM2kL5pT8rY', 'Authorization: Bearer [redacted]', true],
      [`Authorization: Basic ${btoa('me:my password')}`, 'Authorization: Basic [redacted]', true],
      ['postgres://user:hunter22@db/x', 'postgres://user:[redacted]@db/x', true],
    ];
    for (const [text, shown, certain] of pairs) {
      let counted = false;
      expect(redact(text, () => (counted = true))).toBe(shown);
      expect([text, counted]).toEqual([text, certain]);
    }
    expect(redactValue({ password: 'Sommer2024', name: 'Sommer2024' }, redact)).toEqual({
      password: '[redacted]',
      name: 'Sommer2024',
    });
  });

  it('leaves code, references, numbers and placeholders readable', () => {
    const lines = [
      'const token = nextToken(source);',
      'password: string;',
      'user.password = await hash(password);',
      `secret: \${SECRET}`,
      'api_key: your-api-key',
      '"input_tokens": 12345678, "cache_read_input_tokens":1500',
      'tokenExpires: 2026-01-01T00:00:00Z',
      'PASSWORD=changeme',
      'class="sk-folding-cube-animation"',
      'const token = config.v2.token;',
    ];
    for (const line of lines) expect(redact(line)).toBe(line);
  });

  it('finds secrets of any known form in base64 and in UTF-16', () => {
    const token = `ghp_${'A1b2'.repeat(9)}`;
    const wide = (text: string) => Buffer.from(text, 'utf16le');
    expect(redact(`data: ${btoa(`{"token":"${token}"}`)}`)).toBe('data: [redacted]');
    expect(redact(`-enc ${wide(`echo ${token}`).toString('base64')}`)).toBe('-enc [redacted]');
    const lines = Buffer.from(`line\n`.repeat(20) + token)
      .toString('base64')
      .replace(/.{76}/g, '$&\n');
    expect(redact(lines)).toBe('[redacted]');
    expect(redact(wide(`key ${token}`).toString('latin1'))).toBe('key [redacted]');
    for (const encoding of ['base64', 'hex'] as const)
      expect(redact(wide(SECRET).toString(encoding))).toContain('[redacted]');
    expect(redact(wide(SECRET).toString('latin1'))).toBe('[redacted]');
    const picture = Buffer.from(Array.from({ length: 90 }, (_, index) => (index * 37) % 256)).toString('base64');
    expect(redact(picture)).toBe(picture);
  });

  it('removes the beginning of a secret at the end of a shortened text', () => {
    expect(redact(`use ${SECRET.slice(0, 9)}…`)).toBe('use [redacted]…');
  });

  it('takes little time for hostile texts', () => {
    for (const piece of ['password=', '-----BEGIN PRIVATE KEY-----', 'A', 'eyJ.', 'a:', '://a:', 'Bearer ', '\\"']) {
      const startedAt = performance.now();
      redact(piece.repeat(200_000 / piece.length));
      expect([piece, performance.now() - startedAt < 2_000]).toEqual([piece, true]);
    }
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
