import { classOfKnown } from './secret-class.ts';
import type { SecretCandidate } from './secret-finding.ts';
import { findByRules } from './secret-rules.ts';

type Lint = (text: string) => Promise<SecretCandidate[]>;

/** Comments in the text must not switch anything off; addresses with a password are judged by a rule of ours. */
const LEFT_OUT = /-rule-(filter-comments|basicauth|database-connection-string)$/;

let lint: Promise<Lint> | undefined;

/** Everything in a text that looks like a secret, each value once, in the order of the text. */
export async function scanText(text: string): Promise<SecretCandidate[]> {
  // Wide characters have a zero byte beside each letter.
  const plain = text.includes('\0') ? text.replaceAll('\0', '') : text;
  lint ??= loadLint();
  const found = [...findByRules(plain), ...(await (await lint)(plain))];
  const values = new Map<string, SecretCandidate>();
  for (const candidate of found) {
    const known = values.get(candidate.value);
    if (known === undefined || (known.class !== 'real' && candidate.class === 'real')) {
      values.set(candidate.value, candidate);
    }
  }
  return [...values.values()].sort((a, b) => a.at - b.at);
}

/** The scanner is loaded when it is first needed: most commands never do. */
async function loadLint(): Promise<Lint> {
  const [{ lintSource }, preset] = await Promise.all([
    import('@secretlint/core'),
    import('@secretlint/secretlint-rule-preset-recommend'),
  ]);
  const rules = preset.rules.filter(({ meta }) => !LEFT_OUT.test(meta.id)).map((rule) => ({ id: rule.meta.id, rule }));
  const config = { rules };
  return async (content) => {
    const source = { content, filePath: 'text.txt', ext: '.txt', contentType: 'text' as const };
    const { messages } = await lintSource({ source, options: { config, noPhysicFilePath: true } });
    return messages.map(({ ruleId, range: [from, to], data }) => {
      const value = valueAmong(data, content.slice(from, to));
      const rule = ruleId.replace(/^.*secretlint-rule-/, '');
      return { rule, value, class: classOfKnown(value), at: Math.max(from, content.indexOf(value, from)) };
    });
  };
}

/** A rule may mark the name with the value, or cut the value short; then its message holds the exact value. */
function valueAmong(data: unknown, marked: string): string {
  if (typeof data !== 'object' || data === null) return marked;
  const texts = Object.values(data).filter((text) => typeof text === 'string');
  return texts.sort((a, b) => b.length - a.length)[0] ?? marked;
}
