import { Document, isMap, isScalar } from 'yaml';
import { combineLayers, type LayerText } from '../config/load.ts';
import { isPlain, type Plain } from '../config/merge.ts';
import type { Part } from './draft.ts';
import { SCHEMA_NAME } from './schema-file.ts';

const HEAD = [
  ` yaml-language-server: $schema=./${SCHEMA_NAME}`,
  ' Settings of Manyhands for this project; the whole list: manyhands config list',
].join('\n');

/** The text of a new settings file. Values are written by the YAML library, so that none can become anything else. */
export function renderSettings(parts: readonly Part[]): string {
  const shown = parts.filter(({ value, alternatives }) => !isEmpty(value) || alternatives.length > 0);
  const value = Object.fromEntries(shown.filter((part) => !isEmpty(part.value)).map((part) => [part.key, part.value]));
  const document = new Document({ $schema: `./${SCHEMA_NAME}`, ...value });
  document.commentBefore = HEAD;
  for (const { key, comment, alternatives } of shown) {
    const pair = isMap(document.contents)
      ? document.contents.items.find((item) => isScalar(item.key) && item.key.value === key)
      : undefined;
    const text = commentText(comment, alternatives, pair === undefined ? key : undefined);
    if (isScalar(pair?.key)) {
      pair.key.commentBefore = text;
      pair.key.spaceBefore = true;
    } else document.comment = document.comment ? `${document.comment}\n\n${text}` : text;
  }
  return document.toString({ lineWidth: 0 });
}

/** Settings as a piece of YAML to read. */
export function yamlOf(value: Plain): string {
  return new Document(value).toString({ lineWidth: 0 });
}

/** Validates a text as if it were its file, together with the settings below it; errors are thrown with their location. */
export function requireValid(text: string, file: string, below: readonly LayerText[]): void {
  combineLayers([...below, { scope: 'project', file, text }]);
}

/** What a settings file lacks: whole keys only, so that nothing of the user's is changed. */
export function missingFrom(existing: Plain, proposed: Plain): Plain {
  const missing: Plain = {};
  for (const [key, value] of Object.entries(proposed)) {
    const old = existing[key];
    if (old === undefined && isEmpty(value)) continue;
    if (old === undefined) missing[key] = value;
    else if (isPlain(old) && isPlain(value)) {
      const inner = missingFrom(old, value);
      if (Object.keys(inner).length > 0) missing[key] = inner;
    }
  }
  return missing;
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : isPlain(value) && Object.keys(value).length === 0;
}

/** A part that is not set becomes a comment with its key, ready to be used. */
function commentText(comment: string, alternatives: readonly string[], unset: string | undefined): string {
  const shown = unset === undefined ? alternatives : [`${unset}:`, ...alternatives.map((line) => `  ${line}`)];
  return [comment, ...shown]
    .flatMap((line) => line.split(/\r\n|[\n\r\u2028\u2029]/))
    .map((line) => ` ${line}`)
    .join('\n');
}
