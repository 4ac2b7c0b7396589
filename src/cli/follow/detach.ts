import { z } from 'zod';
import { isErrorCode } from '../../access/socket/protocol.ts';
import { AppError, messageOf } from '../../errors.ts';
import type { Platform, Session } from '../platform.ts';

/** What the background process reports to its starter: the runs it started, or the error. */
const Announcement = z.union([
  z.object({ runs: z.array(z.string()) }),
  z.object({ error: z.object({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()) }) }),
]);

/** Starts this command in the background and returns its runs once they are recorded; its failure is thrown here. */
export async function detachSession({ platform, argv }: Session, passInput: boolean): Promise<string[]> {
  return startInBackground(platform, backgroundArguments(argv), { passInput });
}

/** Starts this program in the background with arguments that include --background, and returns its runs; its failure is thrown here. */
export async function startInBackground(
  platform: Platform,
  args: readonly string[],
  options: { passInput: boolean },
): Promise<string[]> {
  const output = await platform.detach(args, options);
  if (output === '')
    throw new AppError(
      'ENGINE_GONE',
      'The background process ended before it reported a run; manyhands ls shows whether there is one',
    );
  const announced = Announcement.safeParse(parseJson(output));
  if (!announced.success)
    throw new AppError('INTERNAL', 'The background process ended without reporting a run or an error', { output });
  if ('runs' in announced.data) return announced.data.runs;
  const { code, message, details } = announced.data.error;
  throw new AppError(isErrorCode(code) ? code : 'INTERNAL', message, details);
}

/** In the background: reports the runs. */
export function announceRuns({ platform }: Session, runs: readonly string[]): void {
  platform.announce(JSON.stringify({ runs }));
}

/** In the background: reports why there are none. */
export function announceFailure({ platform }: Session, thrown: unknown): void {
  const error = thrown instanceof AppError ? thrown : new AppError('INTERNAL', messageOf(thrown));
  platform.announce(JSON.stringify({ error: { code: error.code, message: error.message, details: error.details } }));
}

function backgroundArguments(argv: readonly string[]): string[] {
  const end = argv.indexOf('--');
  const [options, operands] = end < 0 ? [argv, []] : [argv.slice(0, end), argv.slice(end)];
  return [...options.filter((word) => word !== '--detach'), '--background', ...operands];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Text that is not JSON is not an announcement; the caller reports that.
    return undefined;
  }
}
