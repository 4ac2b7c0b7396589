import { AppError } from '../../errors.ts';

/** One instruction of a push: where a ref is, where it shall be. */
export type PushCommand = { old: string; new: string; ref: string };

/** The longest list of instructions that is read before the pack: about a thousand refs. */
const MAX_COMMAND_BYTES = 256 * 1024;
const COMMAND = /^([0-9a-f]{40}|[0-9a-f]{64}) ([0-9a-f]{40}|[0-9a-f]{64}) ([^\s\0]+)$/;

/**
 * The body of a push, whose instructions are checked before any of it is passed on; the pack behind them is passed on as
 * it arrives. What is not a plain instruction (certificates, shallow commits) is refused.
 */
export async function* checkedPush(
  body: AsyncIterable<Buffer>,
  refusal: (command: PushCommand) => string | undefined,
): AsyncGenerator<Buffer> {
  const pieces: Buffer[] = [];
  let isChecked = false;
  for await (const piece of body) {
    if (isChecked) {
      yield piece;
      continue;
    }
    pieces.push(piece);
    const head = Buffer.concat(pieces);
    const commands = commandsIn(head);
    if (commands === undefined) {
      if (head.length > MAX_COMMAND_BYTES) throw refused('it has too many instructions');
      continue;
    }
    for (const command of commands) {
      const why = refusal(command);
      if (why !== undefined) throw refused(why);
    }
    isChecked = true;
    pieces.length = 0;
    yield head;
  }
  if (!isChecked && pieces.length > 0) throw refused('its instructions are cut off');
}

/** The instructions before the first flush packet; undefined while it has not arrived. */
function commandsIn(bytes: Buffer): PushCommand[] | undefined {
  const commands: PushCommand[] = [];
  for (let at = 0; at + 4 <= bytes.length; ) {
    const text = bytes.toString('latin1', at, at + 4);
    const length = /^[0-9a-f]{4}$/i.test(text) ? Number.parseInt(text, 16) : -1;
    if (length === 0) return commands;
    if (length < 5) throw refused('it is not a push of git');
    if (at + length > bytes.length) return undefined;
    const line = bytes.toString('utf8', at + 4, at + length).replace(/\n$/, '');
    const [command = '', capabilities] = line.split('\0', 2);
    if (capabilities !== undefined && commands.length > 0) throw refused('it is not a push of git');
    const match = COMMAND.exec(command);
    if (match === null) throw refused('it has instructions other than for refs');
    commands.push({ old: match[1] ?? '', new: match[2] ?? '', ref: match[3] ?? '' });
    at += length;
  }
  return undefined;
}

function refused(why: string): AppError {
  return new AppError('PUSH_REFUSED', `The push is refused: ${why}`);
}
