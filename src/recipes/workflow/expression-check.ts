import type { Reading } from '../../work-files/checked.ts';
import type { Path } from '../../work-files/source.ts';
import { suggestion } from '../../work-files/suggestion.ts';
import { checkExpression } from './expression.ts';
import { fromPython, withNodeNames } from './expression-text.ts';

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
  const suggested = suggestion(unknown, ids);
  const help =
    suggested === undefined ? `it may refer to ${ids.slice(0, 20).join(', ')}` : `did you mean "${suggested}"?`;
  errors.addAt(source, at, {
    code: 'invalid_expression',
    reason: `refers to "${unknown}", which is no node; ${help}`,
  });
  return undefined;
}
