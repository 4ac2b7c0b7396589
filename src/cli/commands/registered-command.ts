import type { CliCommand } from '../command.ts';

/** A command as the help lists it; its file is loaded only when it is called. */
export type RegisteredCommand = {
  name: string;
  aliases?: string[];
  group: CommandGroup;
  summary: string;
  hidden?: boolean;
  load(): Promise<CliCommand>;
};

type CommandGroup = 'Work' | 'Watch' | 'Steer' | 'Keep house';
