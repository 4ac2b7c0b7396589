/** A piece of a line; `scope` says what it is in its language, null where nothing is known. */
export type Token = { text: string; scope: string | null };

/** What a highlighter makes of a text: pieces within pieces. */
export type TokenNode = { scope?: string | undefined; children: (TokenNode | string)[] };

/** The pieces of a text line by line; the innermost meaning of a piece counts. */
export function tokenLines(root: TokenNode): Token[][] {
  const lines: Token[][] = [[]];
  const walk = (node: TokenNode | string, scope: string | null) => {
    if (typeof node !== 'string') {
      for (const child of node.children) walk(child, node.scope ?? scope);
      return;
    }
    for (const [index, text] of node.split('\n').entries()) {
      if (index > 0) lines.push([]);
      if (text !== '') lines.at(-1)?.push({ text, scope: scope === null ? null : familyOf(scope) });
    }
  };
  walk(root, null);
  return lines;
}

const FAMILIES: readonly [RegExp, string][] = [
  [/^(keyword|built_in|literal|selector-tag|doctag|operator|meta keyword)/, 'keyword'],
  [/^(string|regexp|char|subst|template|link|symbol|addition)/, 'string'],
  [/^(comment|quote|deletion)/, 'comment'],
  [/^(number|bullet)/, 'number'],
  [/^(title|section|name|class|function|tag)/, 'title'],
  [/^(attr|attribute|variable|property|params|type|selector|meta|code)/, 'name'],
];

/** The few meanings that have a colour of their own. */
function familyOf(scope: string): string | null {
  return FAMILIES.find(([pattern]) => pattern.test(scope))?.[1] ?? null;
}
