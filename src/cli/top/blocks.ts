/** Lines that belong together; drawn only if they are on the screen. */
export type Block = { height: number; isChosen?: boolean; draw(): string[] };

/** As many lines as there is room for, the chosen block in the middle of them as far as there are others. */
export function fitBlocks(blocks: readonly Block[], room: number): string[] {
  const total = blocks.reduce((sum, { height }) => sum + height, 0);
  const from = Math.max(Math.min(middleOf(blocks) - Math.floor(room / 2), total - room), 0);
  const lines: string[] = [];
  let at = 0;
  for (const { height, draw } of blocks) {
    const skipped = Math.max(from - at, 0);
    if (at < from + room && skipped < height) lines.push(...draw().slice(skipped));
    at += height;
  }
  return lines.slice(0, room);
}

function middleOf(blocks: readonly Block[]): number {
  let at = 0;
  for (const { height, isChosen } of blocks) {
    if (isChosen) return at + Math.floor(height / 2);
    at += height;
  }
  return 0;
}
