/** A token of a line; `scope` is its syntactic role, null if unknown. */
export type Token = { text: string; scope: string | null };

/** A node of the highlighter's token tree. */
export type TokenNode = { scope?: string | undefined; children: (TokenNode | string)[] };

/** The tokens of a text by line; the innermost scope applies. */
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

/** Maps a scope to one of the few that have a colour. */
function familyOf(scope: string): string | null {
  return FAMILIES.find(([pattern]) => pattern.test(scope))?.[1] ?? null;
}
