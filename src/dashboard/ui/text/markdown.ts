/** A piece of a line. A link keeps only its text and its address, which is shown and not followed. */
export type Inline = { kind: 'text' | 'code' | 'strong' | 'em'; text: string };

/** A block of a message of an agent; everything in it is plain text. */
export type MarkdownBlock =
  | { kind: 'heading'; level: number; inlines: Inline[] }
  | { kind: 'paragraph'; inlines: Inline[] }
  | { kind: 'item'; depth: number; mark: string; inlines: Inline[] }
  | { kind: 'quote'; inlines: Inline[] }
  | { kind: 'code'; language: string; text: string }
  | { kind: 'rule' };

const MAX_DEPTH = 5;
/** In a longer piece no marks are searched: that takes the square of its length. */
const MAX_INLINE_CHARS = 5_000;

/** Parses the Markdown of a message: headings, paragraphs, lists, quotes, code; no HTML, no images, nothing that loads. */
export function parseMarkdown(text: string): MarkdownBlock[] {
  const lines = text.split('\n');
  const blocks: MarkdownBlock[] = [];
  let paragraph: string[] = [];
  const flush = () => {
    if (paragraph.length > 0) blocks.push({ kind: 'paragraph', inlines: inlinesOf(paragraph.join('\n')) });
    paragraph = [];
  };
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const fence = /^\s*(`{3,}|~{3,})\s*([\w+#.-]*)/.exec(line);
    if (fence !== null) {
      flush();
      const [, mark = '', language = ''] = fence;
      const end = lines.findIndex((each, index) => index > at && each.trim().startsWith(mark));
      const last = end < 0 ? lines.length : end;
      blocks.push({ kind: 'code', language, text: lines.slice(at + 1, last).join('\n') });
      at = last;
      continue;
    }
    const block = blockOf(line);
    if (block !== undefined || line.trim() === '') flush();
    if (block !== undefined) blocks.push(block);
    else if (line.trim() !== '') paragraph.push(line);
  }
  flush();
  return blocks;
}

/** A block that one line makes; undefined for a line of a paragraph. */
function blockOf(line: string): MarkdownBlock | undefined {
  const heading = /^(#{1,6})\s+(.+?)\s*#*$/.exec(line);
  if (heading !== null)
    return { kind: 'heading', level: heading[1]?.length ?? 1, inlines: inlinesOf(heading[2] ?? '') };
  if (/^\s*([-*_])(?:\s*\1){2,}\s*$/.test(line)) return { kind: 'rule' };
  const item = /^(\s*)([-*+]|\d{1,4}[.)])\s+(.*)$/.exec(line);
  if (item !== null) {
    const [, indent = '', mark = '-', rest = ''] = item;
    const depth = Math.min(Math.floor(indent.replaceAll('\t', '  ').length / 2), MAX_DEPTH);
    const box = /^\[([ xX])\]\s+(.*)$/.exec(rest);
    const shown = box === null ? (/\d/.test(mark) ? mark : '•') : box[1] === ' ' ? '☐' : '☑';
    return { kind: 'item', depth, mark: shown, inlines: inlinesOf(box?.[2] ?? rest) };
  }
  const quote = /^\s*>\s?(.*)$/.exec(line);
  return quote === null ? undefined : { kind: 'quote', inlines: inlinesOf(quote[1] ?? '') };
}

const INLINE =
  /(`+)(.+?)\1(?!`)|\*\*(\S(?:.*?\S)?)\*\*|(?<![\w*])\*(\S(?:[^*]*?\S)?)\*(?![\w*])|!?\[([^\]\n]*)\]\(([^)\s]+)\)/g;

function inlinesOf(text: string): Inline[] {
  if (text.length > MAX_INLINE_CHARS) return [{ kind: 'text', text }];
  const inlines: Inline[] = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, , code, strong, em, label, address] = match;
    if (match.index > from) inlines.push({ kind: 'text', text: text.slice(from, match.index) });
    from = match.index + whole.length;
    if (code !== undefined) inlines.push({ kind: 'code', text: code });
    else if (strong !== undefined) inlines.push({ kind: 'strong', text: strong });
    else if (em !== undefined) inlines.push({ kind: 'em', text: em });
    else inlines.push({ kind: 'text', text: label === address ? (address ?? '') : `${label} (${address})` });
  }
  if (from < text.length) inlines.push({ kind: 'text', text: text.slice(from) });
  return inlines;
}
