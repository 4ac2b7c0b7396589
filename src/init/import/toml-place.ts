/** Where a key stands in a TOML text, counted from 1: its own line if it can be found, else the line of its table. */
export function placeInToml(text: string, path: readonly string[]): { line: number; column: number } {
  const wanted = path.join('.');
  let table = '';
  let best = { line: 1, column: 1, length: -1 };
  for (const [index, line] of text.split('\n').entries()) {
    const isHeader = line.trimStart().startsWith('[');
    if (isHeader) table = plain(line.replaceAll(/[[\]]/g, ' '));
    const key = isHeader || !line.includes('=') ? undefined : line.slice(0, line.indexOf('='));
    const here = [table, ...(key === undefined ? [] : [plain(key)])].filter((part) => part !== '').join('.');
    const isAbove = here !== '' && (wanted === here || wanted.startsWith(`${here}.`));
    if (isAbove && here.length > best.length)
      best = { line: index + 1, column: line.search(/\S/) + 1, length: here.length };
  }
  return { line: best.line, column: best.column };
}

function plain(key: string): string {
  return key.replaceAll(/["'\s]/g, '');
}
