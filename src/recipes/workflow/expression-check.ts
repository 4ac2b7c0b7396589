import { nearest } from '../../schema/nearest.ts';
import type { Reading } from '../../work-files/checked.ts';
import type { Path } from '../../work-files/source.ts';
import { checkExpression } from './expression.ts';

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

/** An expression of a file, and what it may refer to. */
export type ExpressionSource = {
  text: string;
  at: Path;
  ids: readonly string[];
  /** Whether bare names may be fields of the node's own output. */
  ownFields: boolean;
};

const ALWAYS = ['nodes', 'outputs'];

/** The expression as it will be evaluated; undefined when it is invalid, which is reported with the column inside it. */
export function checkedExpression(
  { source, errors }: Reading,
  { text, at, ids, ownFields }: ExpressionSource,
): string | undefined {
  const expression = withNodeNames(fromPython(text), ids);
  const found = checkExpression(expression);
  if (!found.ok) {
    const read = expression === text.trim() ? '' : ` (read as ${JSON.stringify(expression.slice(0, 200))})`;
    errors.addAt(source, at, {
      code: 'invalid_expression',
      reason: `not an expression: ${found.message}, at its column ${found.column}${read}`,
    });
    return undefined;
  }
  const unknown = ownFields ? undefined : found.names.find((name) => !ids.includes(name) && !ALWAYS.includes(name));
  if (unknown === undefined) return expression;
  const suggested = nearest(unknown, ids);
  const help =
    suggested === undefined ? `it may refer to ${ids.slice(0, 20).join(', ')}` : `did you mean "${suggested}"?`;
  errors.addAt(source, at, {
    code: 'invalid_expression',
    reason: `refers to "${unknown}", which is no node; ${help}`,
  });
  return undefined;
}

/**
 * A Python expression as CEL: `and`, `or`, `not`, `True`, `False`, `None` and `is` with one of them. What else Python has (`not in`, chained
 * comparisons, comprehensions) is left unchanged and fails the syntax check.
 */
function fromPython(text: string): string {
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
function withNodeNames(text: string, ids: Iterable<string>): string {
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
