import { describe, expect, it } from 'vitest';
import { parseMarkdown } from '../../../../src/dashboard/ui/text/markdown.ts';

describe('the Markdown of a message', () => {
  it('becomes headings, paragraphs, lists, quotes and code', () => {
    const text =
      '# Done\n\nI **fixed** `a.ts`\nand *b*.\n- one\n  - [x] two\n1. three\n> quoted\n```ts\nconst a = 1;\n```\n---';
    expect(parseMarkdown(text)).toEqual([
      { kind: 'heading', level: 1, inlines: [{ kind: 'text', text: 'Done' }] },
      {
        kind: 'paragraph',
        inlines: [
          { kind: 'text', text: 'I ' },
          { kind: 'strong', text: 'fixed' },
          { kind: 'text', text: ' ' },
          { kind: 'code', text: 'a.ts' },
          { kind: 'text', text: '\nand ' },
          { kind: 'em', text: 'b' },
          { kind: 'text', text: '.' },
        ],
      },
      { kind: 'item', depth: 0, mark: '•', inlines: [{ kind: 'text', text: 'one' }] },
      { kind: 'item', depth: 1, mark: '☑', inlines: [{ kind: 'text', text: 'two' }] },
      { kind: 'item', depth: 0, mark: '1.', inlines: [{ kind: 'text', text: 'three' }] },
      { kind: 'quote', inlines: [{ kind: 'text', text: 'quoted' }] },
      { kind: 'code', language: 'ts', text: 'const a = 1;' },
      { kind: 'rule' },
    ]);
  });

  it('is plain text where a piece is too long to search for marks', () => {
    const text = '['.repeat(240_000);
    const startedAt = performance.now();
    expect(parseMarkdown(text)).toEqual([{ kind: 'paragraph', inlines: [{ kind: 'text', text }] }]);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  it('loads and links nothing: HTML stays text, a link shows its address, a fence may stay open', () => {
    expect(
      parseMarkdown('<img src=x onerror=alert(1)> ![p](https://x.example/p.png) [here](javascript:alert(1))'),
    ).toEqual([
      {
        kind: 'paragraph',
        inlines: [
          { kind: 'text', text: '<img src=x onerror=alert(1)> ' },
          { kind: 'text', text: 'p (https://x.example/p.png)' },
          { kind: 'text', text: ' ' },
          { kind: 'text', text: 'here (javascript:alert(1)' },
          { kind: 'text', text: ')' },
        ],
      },
    ]);
    expect(parseMarkdown('```\nopen')).toEqual([{ kind: 'code', language: '', text: 'open' }]);
    parseMarkdown(`${'*'.repeat(5_000)}\n${'[('.repeat(5_000)}\n${'`'.repeat(5_000)}`);
  });
});
