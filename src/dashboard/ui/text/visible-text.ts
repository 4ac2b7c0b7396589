const ESCAPE = '\u001b';
const BELL = '\u0007';
/** Terminal control sequences: colours, cursor moves, titles and links. */
const SEQUENCES = new RegExp(
  `${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)?)`,
  'g',
);
/** Characters that are invisible, have no width or change the writing direction, so that a text reads differently from its content. */
const UNSEEN =
  /(?![\t\n\r])[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Replaces every invisible character by its code point. */
export function visibleText(text: string): string {
  return text.replaceAll(
    UNSEEN,
    (char) => `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );
}

/** The output of a program without terminal control sequences. */
export function printedText(text: string): string {
  return visibleText(text.replaceAll(SEQUENCES, ''));
}
