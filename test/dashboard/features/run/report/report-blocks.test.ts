import { describe, expect, it } from 'vitest';
import { markdownBlocks, type ReportBlock } from '../../../../../src/dashboard/features/run/report/markdown-blocks.ts';
import { toMarkdown } from '../../../../../src/reports/markdown.ts';
import type { Block } from '../../../../../src/reports/page.ts';

/** What is read back of what a report writes. */
function readBack(...blocks: Block[]): ReportBlock[] {
  return markdownBlocks(toMarkdown({ title: 'A run', blocks })).slice(1);
}

const HOSTILE = '<img src=x onerror=alert(1)> [link](https://evil.example) **bold** `code` | a_b & c \\ # ~ $ @you';

describe('a report that is read back', () => {
  it('has the blocks that were written', () => {
    const blocks = readBack(
      { kind: 'heading', level: 2, text: 'Tasks' },
      { kind: 'paragraph', pieces: ['Ran ', { code: 'npm test' }, ' twice'] },
      { kind: 'list', items: [['one'], ['two ', { code: 'x' }]] },
      { kind: 'quote', text: 'first\n\nsecond' },
      { kind: 'code', text: 'a\n\n```\nb' },
    );
    expect(blocks).toEqual([
      { kind: 'heading', level: 2, pieces: [{ kind: 'text', text: 'Tasks' }] },
      {
        kind: 'paragraph',
        pieces: [
          { kind: 'text', text: 'Ran ' },
          { kind: 'code', text: 'npm test' },
          { kind: 'text', text: ' twice' },
        ],
      },
      {
        kind: 'list',
        items: [
          [{ kind: 'text', text: 'one' }],
          [
            { kind: 'text', text: 'two ' },
            { kind: 'code', text: 'x' },
          ],
        ],
      },
      { kind: 'quote', text: 'first\n\nsecond' },
      { kind: 'code', text: 'a\n\n```\nb' },
    ]);
  });

  it('has the rows and cells of a table, whatever their content', () => {
    const rows = [
      [['a | b'], [{ code: 'x | y' }]],
      [[''], ['plain']],
    ];
    const [table] = readBack({ kind: 'table', head: ['one', 'two'], rows });
    expect(table).toEqual({
      kind: 'table',
      head: [[{ kind: 'text', text: 'one' }], [{ kind: 'text', text: 'two' }]],
      rows: [
        [[{ kind: 'text', text: 'a | b' }], [{ kind: 'code', text: 'x | y' }]],
        [[], [{ kind: 'text', text: 'plain' }]],
      ],
    });
  });

  it('shows hostile text literally', () => {
    const texts = readBack(
      { kind: 'paragraph', pieces: [HOSTILE] },
      { kind: 'quote', text: HOSTILE },
      { kind: 'list', items: [[HOSTILE]] },
      { kind: 'heading', level: 3, text: HOSTILE },
    );
    const shown = texts.map((block) => JSON.stringify(block));
    for (const text of shown) expect(text).toContain(JSON.stringify(HOSTILE).slice(1, -1));
  });
});
