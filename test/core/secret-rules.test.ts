import { describe, expect, it } from 'vitest';
import { redactForms } from '../../src/core/redact.ts';
import { findSecrets } from '../../src/core/secret-rules.ts';

// Put together here, so that no scanner takes this file for one that holds a token.
const TOKEN = ['ghp', 'a8Fk2LmQ9xTzR4vB7nWcY1sD6hJpE3uG0iKo'].join('_');
const HEX = Buffer.from(TOKEN).toString('hex');
const found = (text: string) =>
  findSecrets(text)
    .filter(({ class: kind }) => kind === 'real')
    .map(({ rule }) => rule);

describe('a secret that is not written as it is', () => {
  it.each([
    ['in hexadecimal', `const data = '${HEX}';`],
    ['in capital hexadecimal after a name', `data=${HEX.toUpperCase()}`],
    ['within a longer text in hexadecimal', Buffer.from(`user: ada ${TOKEN} end`).toString('hex')],
  ])('is found %s, and redacted', (_, text) => {
    expect(found(text)).toEqual(['github-token in hexadecimal']);
    expect(redactForms(text)).not.toMatch(/[0-9a-f]{40}/i);
  });

  it.each([
    ['by an operator', `const t = '${TOKEN.slice(0, 14)}' + '${TOKEN.slice(14)}';`],
    ['three times', `t = "${TOKEN.slice(0, 5)}" +  "${TOKEN.slice(5, 20)}"+"${TOKEN.slice(20)}"`],
    ['over lines', `t = ("${TOKEN.slice(0, 9)}"\n     "${TOKEN.slice(9)}")`],
    ['over lines, by an operator at the end', `t = '${TOKEN.slice(0, 9)}' +\r\n  '${TOKEN.slice(9)}';`],
    ['by a dot', `$t = '${TOKEN.slice(0, 9)}' . '${TOKEN.slice(9)}';`],
  ])('is found where quoted texts are put together %s', (_, text) => {
    const [secret] = findSecrets(`first\n${text}`).filter(({ rule }) => rule === 'github-token in parts');
    expect(secret).toMatchObject({ class: 'real', value: TOKEN });
    expect(`first\n${text}`.slice(secret?.at)).toMatch(/^ghp_/);
  });

  it.each([
    ['a hash', `sha512 ${'0f1e2d3c4b5a6978'.repeat(8)}`],
    ['text in hexadecimal', Buffer.from('a long sentence without any secret in it').toString('hex')],
    ['a list of quoted texts', `['${TOKEN.slice(0, 14)}', '${TOKEN.slice(14)}']`],
    ['a name and a value that is no token', "'password: ' + 'is required here'"],
  ])('is not seen in %s', (_, text) => {
    expect(found(text)).toEqual([]);
  });

  it('takes no longer for long texts', () => {
    const begun = performance.now();
    findSecrets(`${'ab'.repeat(400_000)}\n${"'a' + 'b' + ".repeat(50_000)}`);
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});

describe('a token in base64', () => {
  const token = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;
  const inBase64 = (text: string) => Buffer.from(text).toString('base64');
  const real = (text: string) => findSecrets(text).filter(({ class: kind }) => kind === 'real');

  it.each([0, 1, 2, 3])('is found after %i characters of something else, and with any text before it', (count) => {
    for (const before of ['', 'a', 'ab', 'abc'])
      expect(real(`x = "${'q'.repeat(count)}${inBase64(`${before}token ${token} end`)}"`)).toHaveLength(1);
  });

  it.each([16, 20, 33, 48, 59, 64, 76])('is found on lines of %i characters, with LF and CRLF', (width) => {
    const encoded = inBase64(`my token is ${token}, keep it`);
    const lines = encoded.match(new RegExp(`.{1,${width}}`, 'g')) ?? [];
    for (const end of ['\n', '\r\n', '\n  ']) expect(real(`data:\n${lines.join(end)}\n`).length).toBeGreaterThan(0);
  });

  it('is not found in words on lines of one length, nor in code that is no text backwards', () => {
    const words = Array.from({ length: 40 }, (_, index) => `someIdentifierNumber${String(index).padStart(4, '0')}`);
    expect(real(words.join('\n'))).toEqual([]);
    expect(real('const disks = "_phg-ks"; // AIKA and nothing else')).toEqual([]);
  });
});
