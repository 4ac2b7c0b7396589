import { decodedText, encodedTexts, joinedQuotes, longestPartAt, reversed } from './encoded-texts.ts';
import { classOfAssigned, classOfKnown, classOfUrlPassword, isHiddenPair, type SecretClass } from './secret-class.ts';

/** A text that looks like a secret, and where it begins. The value is never stored or shown. */
export type SecretCandidate = { rule: string; value: string; class: SecretClass; at: number };

type Found = { value: string; class: SecretClass };

/** One form of secret. Every part of a pattern is bounded, so that no text takes long. */
type SecretRule = {
  name: string;
  pattern: RegExp;
  /** Every match contains one of these texts; without them the pattern is always tried. */
  hints?: readonly string[];
  read(match: RegExpExecArray): Found;
  /** Whether the value is redacted; by default always, because its form alone identifies it. */
  isHidden?(found: Found): boolean;
  /** The whole match is redacted, not only the value. */
  hidesMatch?: true;
};

/** Names after which a value is a secret. */
const SECRET_NAME =
  '(?:api[_-]?key|secret|token|passw(?:or)?d|passwd|passphrase|[_-]pass\\b|\\bpwd|credentials?|private[_-]?key|access[_-]?key|account[_-]?key|auth[_-]?key)';
/** Such a name and its value: quoted inside a quoted text, quoted, or plain. */
const PAIR = new RegExp(
  `${SECRET_NAME}${String.raw`[\w-]{0,30}\\{0,2}["'\]]{0,2}[ \t]{0,5}(?::=|=>|[:=])[ \t]{0,5}`}(?:${[
    String.raw`\\{1,2}"([^"\\\n]{1,500})`,
    String.raw`"([^"\n]{1,500})"`,
    String.raw`'([^'\n]{1,500})'`,
    '`([^`\\n]{1,500})`',
    String.raw`([^\s"'${'`'},;#&)\]}\\]{1,500})`,
  ].join('|')})`,
  'gi',
);
/** The same as an option of a command line, an element of XML, or the credentials of a header or of curl. */
const VALUE = String.raw`["']?([^\s"'${'`'},;<>]{1,500})`;
const OPTION = new RegExp(`--[\\w-]{0,30}${SECRET_NAME}[\\w-]{0,30}[ \\t]{1,3}${VALUE}`, 'gi');
const ELEMENT = new RegExp(`<[\\w:-]{0,30}${SECRET_NAME}[\\w-]{0,30}>([^<\\s]{1,500})</`, 'gi');
const HEADER = new RegExp(
  String.raw`\bauthorization["']?[ \t]{0,3}[:=][ \t]{0,3}["']?(?:token|apikey|key|bearer)[ \t]{1,3}${VALUE}`,
  'gi',
);
const USER = /\s(?:-u|--user)[ \t=]{1,3}["']?[^\s"':]{1,100}:([^\s"']{3,200})/g;
/** The password of a client, directly after its option; sshpass also has it as the next word. */
const PASSWORD =
  /\b(?:sshpass[ \t]{1,3}-p[ \t]{0,3}|(?:mysql|mariadb)[\w-]{0,20}[ \t][^\n|;&]{0,200}?(?<=[ \t])-p)["']?([^\s"']{3,200})/g;
const NAME = new RegExp(`${SECRET_NAME}[\\w-]{0,30}$`, 'i');

/** A private key up to its end; a cut one up to the end of the text. */
const PRIVATE_KEY =
  /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----|$)/g;
/** Enough of a key's text to know that it is one. */
const KEY_TEXT = /^-----BEGIN [A-Z0-9 ]{0,100}-----((?:\s|\\n|\\r|[A-Za-z0-9+/=:,.-]){0,400})/;

const known = (match: RegExpExecArray): Found => ({ value: match[0], class: classOfKnown(match[0]) });

function vendor(name: string, hints: readonly string[], pattern: RegExp): SecretRule {
  return { name, pattern, hints, read: known };
}

/** The forms of secrets that redaction removes and the gate `secrets` finds. */
const RULES: readonly SecretRule[] = [
  vendor('manyhands-token', ['mht_'], /\bmht_[0-9a-f]{64}\b/g),
  vendor('manyhands-order-token', ['mhh_'], /\bmhh_[\w-]{20,4000}_[0-9a-f]{64}\b/g),
  {
    name: 'openai-anthropic-key',
    pattern: /\bsk-(?:ant-|proj-|svcacct-|admin-)?[\w-]{20,300}/g,
    hints: ['sk-'],
    read: ([value]) => ({ value, class: classOfAssigned(value) }),
    // Names of styles begin in the same way.
    isHidden: ({ class: kind }) => kind !== 'identifier',
  },
  vendor(
    'github-token',
    ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
    /\b(?:gh[opsur]_[A-Za-z0-9]{36,255}|ghs_\d{1,20}_[\w.-]{20,2000})(?![A-Za-z0-9])/g,
  ),
  vendor('github-fine-grained-token', ['github_pat_'], /\bgithub_pat_\w{22,255}\b/g),
  vendor('gitlab-token', ['glpat-'], /\bglpat-[\w-]{20,128}/g),
  vendor('grafana-token', ['glc_', 'glsa_'], /\b(?:glc_[A-Za-z0-9+/]{32,400}|glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8})/g),
  vendor('aws-access-key-id', ['AKIA', 'ASIA', 'ABIA', 'ACCA'], /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b/g),
  vendor('google-api-key', ['AIza'], /\bAIza[\w-]{35}\b/g),
  vendor('slack-token', ['xox', 'xapp-'], /\b(?:xox[abeposr]|xapp)-[A-Za-z0-9-]{10,300}/g),
  vendor(
    'slack-webhook',
    ['hooks.slack.com'],
    /\bhttps:\/\/hooks\.slack\.com\/services\/T\w{1,40}\/B\w{1,40}\/\w{1,40}/g,
  ),
  vendor(
    'discord-webhook',
    ['/api/webhooks/'],
    /\bhttps:\/\/(?:\w{1,20}\.)?discord(?:app)?\.com\/api\/webhooks\/\d{15,22}\/[\w-]{40,100}/g,
  ),
  vendor('npm-token', ['npm_'], /\bnpm_[A-Za-z0-9]{36}\b/g),
  vendor('stripe-key', ['_live_', '_test_'], /\b[sr]k_(?:live|test)_[A-Za-z0-9]{24,99}\b/g),
  vendor('sendgrid-key', ['SG.'], /\bSG\.[\w-]{16,128}\.[\w-]{16,128}/g),
  vendor('shopify-token', ['shppa_', 'shpca_', 'shpat_', 'shpss_'], /\bshp(?:pa|ca|at|ss)_[A-Za-z0-9]{32,64}\b/g),
  vendor('hugging-face-token', ['hf_'], /\bhf_[A-Za-z0-9]{34}\b/g),
  vendor('groq-key', ['gsk_'], /\bgsk_[A-Za-z0-9]{52}\b/g),
  vendor('linear-key', ['lin_api_'], /\blin_api_\w{32,128}\b/g),
  vendor('notion-token', ['ntn_'], /\bntn_\d{11}[A-Za-z0-9]{35}\b/g),
  vendor('vault-token', ['hvs.', 'hvb.', 'hvr.'], /\bhv[sbr]\.[\w-]{90,300}/g),
  vendor('vercel-token', ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'], /\bvc[picark]_[A-Za-z0-9]{20,60}\b/g),
  vendor('databricks-token', ['dapi'], /\bdapi[A-Fa-f0-9]{32}\b/g),
  vendor('docker-token', ['dckr_pat_'], /\bdckr_pat_[\w-]{27}/g),
  vendor('figma-token', ['figd_'], /\bfigd_[\w-]{40,200}/g),
  vendor('cloudflare-token', ['cfk_', 'cfut_', 'cfat_'], /\bcf(?:k|ut|at)_[A-Za-z0-9]{48}\b/g),
  vendor('tailscale-key', ['tskey-'], /\btskey-[a-z]{2,20}-\w{8,40}-\w{16,60}/g),
  vendor('xai-key', ['xai-'], /\bxai-[A-Za-z0-9]{60,120}\b/g),
  vendor('perplexity-key', ['pplx-'], /\bpplx-[A-Za-z0-9]{40,80}\b/g),
  vendor('replicate-token', ['r8_'], /\br8_[A-Za-z0-9]{37}\b/g),
  vendor('nvidia-key', ['nvapi-'], /\bnvapi-[\w-]{60,100}/g),
  vendor('pypi-token', ['pypi-Ag'], /\bpypi-Ag[\w-]{50,300}/g),
  vendor('atlassian-token', ['ATATT3'], /\bATATT3[\w=-]{100,300}/g),
  vendor('digitalocean-token', ['do'], /\bdo[opr]_v1_[a-f0-9]{64}\b/g),
  vendor('supabase-token', ['sbp_'], /\bsbp_[a-f0-9]{40}\b/g),
  vendor('webhook-secret', ['whsec_'], /\bwhsec_[A-Za-z0-9+/]{24,100}/g),
  vendor('age-key', ['AGE-SECRET-KEY-'], /\bAGE-SECRET-KEY-1[A-Z0-9]{58}\b/g),
  vendor('jwt', ['eyJ'], /\beyJ[\w-]{10,2000}\.eyJ[\w-]{10,4000}\.[\w-]{10,1000}/g),
  { name: 'private-key', pattern: PRIVATE_KEY, hints: ['PRIVATE KEY'], read: readKey, hidesMatch: true },
  {
    name: 'bearer-token',
    pattern: /\b(?:Bearer|bearer)[ \t]{1,3}([\w.~+/-]{20,2000}={0,2})/g,
    hints: ['earer'],
    read: ([, value = '']) => ({ value, class: classOfAssigned(value) }),
    isHidden: ({ value }) => isHiddenPair(value),
  },
  {
    name: 'basic-authorization',
    pattern: /\b(?:Basic|basic)[ \t]{1,3}([A-Za-z0-9+/]{8,2000}={0,2})/g,
    hints: ['asic'],
    read: ([, value = '']) => ({ value, class: decodedText(value)?.includes(':') === true ? 'real' : 'unknown' }),
    isHidden: ({ class: kind }) => kind === 'real',
  },
  {
    name: 'password-in-url',
    pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/"'`<>]{0,100}:([^\s@/"'`<>]{3,200})@([^\s/:"'`<>,]{1,200})/gi,
    hints: ['://'],
    read: ([, password = '', host = '']) => ({ value: password, class: classOfUrlPassword(password, host) }),
  },
  {
    name: 'assigned-secret',
    pattern: PAIR,
    read: (match) => {
      const value = match.slice(1).find((group) => group !== undefined) ?? '';
      return { value, class: classOfAssigned(value) };
    },
    isHidden: ({ value }) => isHiddenPair(value),
  },
  ...[
    { name: 'secret-option', pattern: OPTION, hints: ['--'] },
    { name: 'secret-element', pattern: ELEMENT, hints: ['</'] },
    { name: 'authorization-header', pattern: HEADER, hints: ['uthorization', 'AUTHORIZATION'] },
    { name: 'user-and-password', pattern: USER, hints: [' -u', '--user'] },
    { name: 'password-option', pattern: PASSWORD, hints: ['sshpass', 'mysql', 'mariadb'] },
  ].map((rule) => ({
    ...rule,
    read: ([, value = '']: RegExpExecArray) => ({ value, class: classOfAssigned(value) }),
    isHidden: ({ value }: Found) => isHiddenPair(value),
  })),
];

const ALWAYS_TRIED = RULES.filter(({ hints }) => hints === undefined);
/** A fast test, because most texts contain no hint. */
const ANY_HINT = new RegExp(
  RULES.flatMap(({ hints = [] }) => hints.map((hint) => hint.replaceAll('.', '\\.'))).join('|'),
);

/** A longer line is no code. */
const LONGEST_REVERSED = 10_000;
/** Rules that judge what is around a value and not its form. */
const BY_CONTEXT = new Set([
  'private-key',
  'bearer-token',
  'basic-authorization',
  'password-in-url',
  'assigned-secret',
]);
const REVERSIBLE = RULES.filter((rule) => rule.hints !== undefined && !rule.isHidden && !BY_CONTEXT.has(rule.name));
const ANY_REVERSED_HINT = new RegExp(
  REVERSIBLE.flatMap(({ hints = [] }) => hints.map((hint) => reversed(hint).replaceAll('.', '\\.'))).join('|'),
);

/** Everything in a text that looks like a secret, whatever its class: plain, encoded, or put together from quoted texts. */
export function findSecrets(text: string): SecretCandidate[] {
  const encoded = encodedSecrets(text).map(({ rule, value, at }) => ({ rule, value, class: 'real' as const, at }));
  return [...findPlain(text), ...encoded, ...joinedSecrets(text), ...reversedSecrets(text)];
}

/**
 * Replaces everything in a text that looks like a secret. What is only possibly one, such as the value of a `password=`
 * pair, is replaced too; `onCertain` is called when at least one of them is a secret by its form.
 */
export function hideSecrets(text: string, mark: string, onCertain: () => void): string {
  const encoded = encodedSecrets(text);
  if (encoded.length > 0) onCertain();
  const decodable = replaceSpans(text, encoded, mark);
  return rulesFor(decodable).reduce((shown, rule) => {
    const spans = [...shown.matchAll(rule.pattern)].flatMap((match) => {
      const found = rule.read(match);
      if (found.value.includes(mark) || rule.isHidden?.(found) === false) return [];
      if (rule.isHidden === undefined || found.class === 'real') onCertain();
      return [rule.hidesMatch === true ? { value: match[0], at: match.index } : spanOf(match, found.value)];
    });
    return replaceSpans(shown, spans, mark);
  }, decodable);
}

/** Whether the value of a field with this name is a secret. */
export function isSecretName(name: string): boolean {
  return NAME.test(name);
}

type Span = { value: string; at: number };

function findPlain(text: string): SecretCandidate[] {
  return rulesFor(text).flatMap(({ name, pattern, read }) =>
    [...text.matchAll(pattern)].map((match) => {
      const found = read(match);
      return { rule: name, ...found, at: spanOf(match, found.value).at };
    }),
  );
}

function rulesFor(text: string): readonly SecretRule[] {
  if (!ANY_HINT.test(text)) return ALWAYS_TRIED;
  return RULES.filter(({ hints }) => hints === undefined || hints.some((hint) => text.includes(hint)));
}

/** The value is at the end of what a pair matches. */
function spanOf(match: RegExpExecArray, value: string): Span {
  return { value, at: match.index + Math.max(0, match[0].lastIndexOf(value)) };
}

function replaceSpans(text: string, spans: readonly Span[], mark: string): string {
  let shown = '';
  let end = 0;
  for (const { value, at } of spans) {
    shown += text.slice(end, at) + mark;
    end = at + value.length;
  }
  return spans.length === 0 ? text : shown + text.slice(end);
}

/** Texts in base64 or hexadecimal that contain a secret when they are decoded. */
function encodedSecrets(text: string): (Span & { rule: string })[] {
  let end = 0;
  return encodedTexts(text).flatMap(({ value, at, encoding, decode }) => {
    if (at < end) return [];
    const decoded = decode();
    const found = decoded === undefined ? undefined : findPlain(decoded).find(({ class: kind }) => kind === 'real');
    if (found === undefined) return [];
    end = at + value.length;
    return [{ rule: `${found.rule} in ${encoding}`, value, at }];
  });
}

/** Secrets of which no quoted text holds the whole: only their form is looked for, because any pair of texts can follow each other. */
function joinedSecrets(text: string): SecretCandidate[] {
  const joined = joinedQuotes(text);
  if (joined === undefined || !ANY_HINT.test(joined)) return [];
  return RULES.filter(({ hints = [] }) => hints.some((hint) => joined.includes(hint))).flatMap(
    ({ name, pattern, read }) =>
      [...joined.matchAll(pattern)].flatMap((match) => {
        const found = read(match);
        if (found.class !== 'real' || text.includes(found.value)) return [];
        return [{ rule: `${name} in parts`, ...found, at: longestPartAt(text, found.value) }];
      }),
  );
}

/** Secrets of a certain form in lines that are written backwards. */
function reversedSecrets(text: string): SecretCandidate[] {
  if (!ANY_REVERSED_HINT.test(text)) return [];
  return [...text.matchAll(/[^\n]+/g)].flatMap(({ 0: line, index }) => {
    if (line.length > LONGEST_REVERSED || !ANY_REVERSED_HINT.test(line)) return [];
    const backwards = reversed(line);
    return REVERSIBLE.flatMap(({ name, pattern, read }) =>
      [...backwards.matchAll(pattern)].flatMap((match) => {
        const { value, class: kind } = read(match);
        if (kind !== 'real' || line.includes(value)) return [];
        const written = reversed(value);
        return [
          { rule: `${name} backwards`, value: written, class: kind, at: index + Math.max(0, line.indexOf(written)) },
        ];
      }),
    );
  });
}

/** A header without a key below it is what documentation shows. */
function readKey([whole]: RegExpExecArray): Found {
  const [line] = /[A-Za-z0-9+/]{40,64}/.exec(KEY_TEXT.exec(whole)?.[1] ?? '') ?? [];
  if (line === undefined) return { value: whole.slice(0, 60), class: 'placeholder' };
  return { value: line, class: /example|x{6}/i.test(line) ? 'placeholder' : 'real' };
}
