/** A page of the documentation: where it stands below the checkout, and what is in it. */
export type Page = { path: string; text: string };

/** A page of the reference, marked as made by a program; parts are set apart by empty lines. */
export function referencePage(name: string, title: string, parts: readonly string[]): Page {
  const mark = '<!-- Made by `npm run docs`. Change the source, not this file. -->';
  return { path: `docs/reference/${name}.md`, text: `${[mark, `# ${title}`, ...parts].join('\n\n')}\n` };
}

export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(titles), `|${titles.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

export function codeBlock(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

/** Text as code, or nothing where there is none. */
export function code(text: string): string {
  return text === '' ? '' : `\`${text}\``;
}

/** The first letter large, a full stop at the end. */
export function sentence(text: string): string {
  const start = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(start) ? start : `${start}.`;
}

/** What would end a cell, or be taken for an element of HTML outside of code. */
function cell(text: string): string {
  const pieces = text.replaceAll('\n', ' ').replaceAll('|', '\\|').split('`');
  return pieces.map((piece, index) => (index % 2 === 0 ? piece.replaceAll('<', '&lt;') : piece)).join('`');
}
