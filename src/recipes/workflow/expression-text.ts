/** Tokens of another tool's expressions, and their CEL equivalents. */
const CEL_TOKENS: Record<string, string> = { and: '&&', or: '||', True: 'true', False: 'false', None: 'null' };
const TOKEN = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\bis\s+(?:not\s+)?(?:None|True|False)\b|[A-Za-z_]\w*|\s+|./gs;
const STRING = /^["']/;
const CEL_NAME = /^[A-Za-z_]\w*$/;
const CEL_RESERVED = new Set(
  'as break const continue else false for function if import in let loop namespace null package return true var void while'.split(
    ' ',
  ),
);

/**
 * A Python expression as CEL: `and`, `or`, `not`, `True`, `False`, `None` and `is` with one of them. What else Python has (`not in`, chained
 * comparisons, comprehensions) is left unchanged and fails the syntax check.
 */
export function fromPython(text: string): string {
  const out: string[] = [];
  const open: number[] = [0];
  const closeNots = () => {
    out.push(')'.repeat(open.at(-1) ?? 0));
    open[open.length - 1] = 0;
  };
  for (const token of text.match(TOKEN) ?? []) {
    if (token === 'not') {
      out.push('!(');
      open[open.length - 1] = (open.at(-1) ?? 0) + 1;
      continue;
    }
    if (token === 'and' || token === 'or' || token === ',') closeNots();
    if (')]}'.includes(token)) {
      closeNots();
      if (open.length > 1) open.pop();
    }
    out.push(celToken(token));
    if ('([{'.includes(token)) open.push(0);
  }
  closeNots();
  return out.join('').trim();
}

function celToken(token: string): string {
  if (STRING.test(token)) return token;
  const compared = /^is\s+(not\s+)?(\w+)$/.exec(token);
  if (compared !== null) return `${compared[1] === undefined ? '==' : '!='} ${CEL_TOKENS[compared[2] ?? ''] ?? 'null'}`;
  return CEL_TOKENS[token] ?? token;
}

/** The same expression with nodes whose ids CEL cannot spell, such as `build-docs.status`, written as `nodes["build-docs"].status`. */
export function withNodeNames(text: string, ids: Iterable<string>): string {
  const unspellable = [...ids]
    .filter((id) => !CEL_NAME.test(id) || CEL_RESERVED.has(id))
    .sort((a, b) => b.length - a.length);
  if (unspellable.length === 0) return text;
  const names = unspellable.map((id) => id.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  const pattern = new RegExp(
    `("(?:\\\\.|[^"\\\\])*"|'(?:\\\\.|[^'\\\\])*')|(?<![\\p{L}\\p{N}_.-])(${names})(?=\\s*[.[])`,
    'gsu',
  );
  return text.replaceAll(pattern, (whole: string, string: string | undefined, id: string) =>
    string === undefined ? `nodes[${JSON.stringify(id)}]` : whole,
  );
}
