const ESCAPE = '\u001b';
const BELL = '\u0007';
/** Colours and moves of a terminal, and its titles and links: an escape, what it is, its end. */
const SEQUENCES = new RegExp(
  `${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)?)`,
  'g',
);
/** What turns the direction of writing, takes no room or shows nothing: with it a text reads otherwise than it is. */
const UNSEEN =
  /(?![\t\n\r])[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Text of a repository as it really is: every character that nobody would see is spelled out. */
export function visibleText(text: string): string {
  return text.replaceAll(
    UNSEEN,
    (char) => `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );
}

/** What a program printed, without what was meant for a terminal alone. */
export function printedText(text: string): string {
  return visibleText(text.replaceAll(SEQUENCES, ''));
}
