const WIDEST = 110;

/** Lines in a frame that nobody overlooks; a long one continues in the next. */
export function boxed(lines) {
  const shown = lines.flatMap((line) => wrapped(line.replace(/\s+/g, ' ').trim()));
  const width = Math.max(...shown.map((line) => line.length));
  const edge = '═'.repeat(width + 2);
  return ['', `╔${edge}╗`, ...shown.map((line) => `║ ${line.padEnd(width)} ║`), `╚${edge}╝`, ''].join('\n');
}

function wrapped(line) {
  const pieces = [];
  for (let rest = line; rest !== ''; rest = rest.slice(pieces.at(-1).length).trimStart()) {
    const at = rest.length > WIDEST ? rest.lastIndexOf(' ', WIDEST) : rest.length;
    pieces.push(rest.slice(0, at > 0 ? at : WIDEST));
  }
  return pieces;
}
