import { HOUSE } from './house-commands.ts';
import type { RegisteredCommand } from './registered-command.ts';
import { STEER } from './steer-commands.ts';
import { WATCH } from './watch-commands.ts';
import { WORK } from './work-commands.ts';

/** Every command, in the order of the help. */
export const COMMANDS: readonly RegisteredCommand[] = [...WORK, ...WATCH, ...STEER, ...HOUSE];
