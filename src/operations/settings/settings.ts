import type { Operation } from '../operation.ts';

/** Reads a file of settings with what holds because of it. */
export const readSettings: Operation<'read-settings'> = (ports, asked) => ports.files.readSettings(asked);

/** Changes a file of settings, all changes or none. */
export const writeSettings: Operation<'write-settings'> = (ports, asked) => ports.files.writeSettings(asked);
