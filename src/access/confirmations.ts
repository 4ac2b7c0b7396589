import { closeSync, openSync, writeSync } from 'node:fs';
import type { World } from '../world.ts';

type OpenCode = { code: string; until: number; triesLeft: number };

/** Shows a text to the person at the terminal; false where there is none. */
export type ShowText = (text: string) => boolean;

const VALID_MS = 5 * 60_000;
const TRIES = 3;
const MOST_OPEN = 100;
/** No letters or digits that look alike. */
const LETTERS = 'ABCDEFGHJKMNPQRSTVWXYZ23456789';
const LENGTH = 6;

/** The one-time codes of decisions that wait for one. A code is valid for one decision with exactly the same input. */
export class Confirmations {
  readonly #world: World;
  readonly #show: ShowText;
  readonly #open = new Map<string, OpenCode>();

  constructor(world: World, show: ShowText = showOnTerminal) {
    this.#world = world;
    this.#show = show;
  }

  /** Shows a new code for a decision, which replaces an earlier one; false if it cannot be shown to a person. */
  request(decision: string, description: string): boolean {
    this.#removeOld();
    const code = this.#newCode();
    const isShown = this.#show(`\r\nTo confirm "${description}", enter this code within 5 minutes: ${code}\r\n`);
    if (isShown) this.#open.set(decision, { code, until: this.#world.now() + VALID_MS, triesLeft: TRIES });
    return isShown;
  }

  /** Whether this is the code of the decision; it is valid once, and not after three wrong ones. */
  accept(decision: string, given: string): boolean {
    this.#removeOld();
    const open = this.#open.get(decision);
    if (open === undefined) return false;
    open.triesLeft -= 1;
    const isRight = given.trim().toUpperCase() === open.code;
    if (isRight || open.triesLeft === 0) this.#open.delete(decision);
    return isRight;
  }

  #removeOld(): void {
    for (const [decision, { until }] of this.#open)
      if (until < this.#world.now() || this.#open.size > MOST_OPEN) this.#open.delete(decision);
  }

  #newCode(): string {
    const random = BigInt(`0x${this.#world.token().replaceAll('-', '')}${this.#world.token().replaceAll('-', '')}`);
    let rest = random;
    return Array.from({ length: LENGTH }, () => {
      const letter = LETTERS[Number(rest % BigInt(LETTERS.length))] ?? '';
      rest /= BigInt(LETTERS.length);
      return letter;
    }).join('');
  }
}

/** Writes to the controlling terminal of this process: that of the person who started it. Agents have none. */
function showOnTerminal(text: string): boolean {
  try {
    const terminal = openSync('/dev/tty', 'w');
    try {
      writeSync(terminal, text);
    } finally {
      closeSync(terminal);
    }
    return true;
  } catch {
    // Without a controlling terminal there is nobody to show it to.
    return false;
  }
}
