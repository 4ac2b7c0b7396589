import { classOfAssigned, classOfKnown, classOfUrlPassword } from './secret-class.ts';
import type { SecretCandidate, SecretClass } from './secret-finding.ts';

type Rule = {
  name: string;
  pattern: RegExp;
  /** The value, the first group by default, and its class. */
  read(match: RegExpExecArray): { value: string; class: SecretClass };
};

/** Names after which a value is a secret; every part of the expression is bounded, so that no text takes long. */
const ASSIGNMENT =
  /(?:api[_-]?key|secret|token|passw(?:or)?d|passwd|\bpwd|credentials?|private[_-]?key|access[_-]?key|auth[_-]?key)[\w-]{0,30}["'\]]{0,2}[ \t]{0,5}(?::=|=>|[:=])[ \t]{0,5}(?:"([^"\n]{1,500})"|'([^'\n]{1,500})'|`([^`\n]{1,500})`|([^\s"'`,;#)\]}]{1,500}))/gi;
/** Enough of a key's text to know that it is one. */
const PEM = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----((?:\s|\\n|\\r|[A-Za-z0-9+/=:,.-]){0,400})/g;

const known = (match: RegExpExecArray) => {
  const value = match[1] ?? match[0];
  return { value, class: classOfKnown(value) };
};

/** What secretlint does not find, or does not distinguish from a placeholder. */
const RULES: readonly Rule[] = [
  { name: 'aws-access-key-id', pattern: /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b/g, read: known },
  { name: 'google-api-key', pattern: /\bAIza[\w-]{35}\b/g, read: known },
  { name: 'jwt', pattern: /\beyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,1000}/g, read: known },
  { name: 'private-key', pattern: PEM, read: readKey },
  {
    name: 'bearer-token',
    pattern: /\bBearer[ \t]{1,3}([\w.~+/-]{20,2000}={0,2})/g,
    read: (match) => assigned(match[1] ?? ''),
  },
  {
    name: 'password-in-url',
    pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/"'`<>]{0,100}:([^\s@/"'`<>]{3,200})@([^\s/:"'`<>,]{1,200})/gi,
    read: ([, password = '', host = '']) => ({ value: password, class: classOfUrlPassword(password, host) }),
  },
  {
    name: 'assigned-secret',
    pattern: ASSIGNMENT,
    read: (match) => assigned(match[1] ?? match[2] ?? match[3] ?? match[4] ?? ''),
  },
];

/** Everything in a text that our own rules call suspicious, whatever its class. */
export function findByRules(text: string): SecretCandidate[] {
  return RULES.flatMap(({ name, pattern, read }) =>
    [...text.matchAll(pattern)].map((match) => {
      const found = read(match);
      return { rule: name, ...found, at: match.index + Math.max(0, match[0].indexOf(found.value)) };
    }),
  );
}

function assigned(value: string): { value: string; class: SecretClass } {
  return { value, class: classOfAssigned(value) };
}

/** A header without a key below it is what documentation shows. */
function readKey([whole, body = '']: RegExpExecArray): { value: string; class: SecretClass } {
  const [line] = /[A-Za-z0-9+/]{40,64}/.exec(body) ?? [];
  if (line === undefined) return { value: whole.slice(0, 60), class: 'placeholder' };
  return { value: line, class: /example|x{6}/i.test(line) ? 'placeholder' : 'real' };
}
