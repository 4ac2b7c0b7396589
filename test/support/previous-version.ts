import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type Scratch, scratchAt } from './scratch.ts';

const FIXTURE = fileURLToPath(new URL('../fixtures/previous-version', import.meta.url));
/** Where the fixture was made: the names of the project, its mirror and its workspaces come of this path. */
const FOLDER = '/tmp/manyhands-previous-version';
/** In it stands who uses it. */
const OWNER = 'owner';
/** The tests of another checkout may be at it. */
const PATIENCE_MS = 240_000;
const LOOK_EVERY_MS = 200;

/** Whether that place can be had: where /tmp is a link, what stands there has another path. */
export const canBePlaced = realpathSync('/tmp') === '/tmp';

/** What the previous version printed for a command with --json. */
const Answer = z.object({
  command: z.array(z.string()),
  document: z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]),
});
type Answer = z.infer<typeof Answer>;

/** All that it was asked, by the names of the files. */
export function readAnswers(): Map<string, Answer> {
  const folder = join(FIXTURE, 'expected');
  return new Map(
    readdirSync(folder).map((file) => {
      const answer = Answer.parse(JSON.parse(readFileSync(join(folder, file), 'utf8')));
      return [basename(file, '.json'), answer] as const;
    }),
  );
}

/** What the previous version left behind, at its place; disposing ends what still runs there and removes it all. */
export async function unpackPreviousVersion(): Promise<Scratch> {
  await acquireFolder();
  const root = join(FOLDER, 'home');
  mkdirSync(root);
  execFileSync('tar', ['-xzpf', join(FIXTURE, 'data.tar.gz'), '--no-same-owner', '-C', root]);
  const scratch = scratchAt(root);
  return {
    ...scratch,
    [Symbol.asyncDispose]: async () => {
      await scratch.endAll();
      removeFolder();
    },
  };
}

/** Waits while another process uses the folder; one that is gone uses it no more. */
async function acquireFolder(): Promise<void> {
  for (let waited = 0; !isInUse(); waited += LOOK_EVERY_MS) {
    const owner = ownerOf();
    if (owner === undefined && existsSync(FOLDER) && ownerOf() === undefined)
      throw new Error(`${FOLDER} is there and was not made by a test: remove it if it is not needed`);
    if (owner !== undefined && !isAlive(owner)) removeFolder();
    else if (waited > PATIENCE_MS) throw new Error(`${FOLDER} is used by process ${owner}: wait for its end`);
    else await pause(LOOK_EVERY_MS);
  }
}

/** Puts the folder there with its owner in it, at once, unless it is there. */
function isInUse(): boolean {
  const mine = mkdtempSync(`${FOLDER}-`);
  writeFileSync(join(mine, OWNER), String(process.pid));
  try {
    renameSync(mine, FOLDER);
    return true;
  } catch {
    // Somebody else's is there, and is not empty.
    rmSync(mine, { recursive: true });
    return false;
  }
}

function ownerOf(): number | undefined {
  try {
    return Number(readFileSync(join(FOLDER, OWNER), 'utf8'));
  } catch {
    // It has none, or is gone.
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // Gone, or of another user, whose folder cannot be removed either.
    return false;
  }
}

/** First out of the way, at once, so that nobody ever finds a part of it. */
function removeFolder(): void {
  const aside = mkdtempSync(`${FOLDER}-`);
  try {
    renameSync(FOLDER, join(aside, 'gone'));
  } catch (error) {
    // Somebody else was quicker.
    if (existsSync(FOLDER)) throw error;
  } finally {
    rmSync(aside, { recursive: true });
  }
}
