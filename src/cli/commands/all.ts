import { CONTROL } from './control-commands.ts';
import { MAINTENANCE } from './maintenance-commands.ts';
import type { RegisteredCommand } from './registered-command.ts';
import { WATCH } from './watch-commands.ts';
import { WORK } from './work-commands.ts';

/** Every command, in the order of the help. */
export const COMMANDS: readonly RegisteredCommand[] = [...WORK, ...WATCH, ...CONTROL, ...MAINTENANCE];
