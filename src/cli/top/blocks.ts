/** Lines that belong together; drawn only if they are visible. */
export type Block = { height: number; isSelected?: boolean; draw(): string[] };

/** As many lines as fit, with the selected block in the middle if possible. */
export function fitBlocks(blocks: readonly Block[], rows: number): string[] {
  const total = blocks.reduce((sum, { height }) => sum + height, 0);
  const from = Math.max(Math.min(middleOf(blocks) - Math.floor(rows / 2), total - rows), 0);
  const lines: string[] = [];
  let at = 0;
  for (const { height, draw } of blocks) {
    const skipped = Math.max(from - at, 0);
    if (at < from + rows && skipped < height) lines.push(...draw().slice(skipped));
    at += height;
  }
  return lines.slice(0, rows);
}

function middleOf(blocks: readonly Block[]): number {
  let at = 0;
  for (const { height, isSelected } of blocks) {
    if (isSelected) return at + Math.floor(height / 2);
    at += height;
  }
  return 0;
}
