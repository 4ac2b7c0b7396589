import type { PrivateFolder } from './login-folders.ts';
import type { CacheLayers, Overlays } from './overlays.ts';

/** Whether programs can be contained on this machine. */
export type SandboxAvailability = AvailableSandbox | { kind: 'none'; reason: string };

/** What contains programs here: bubblewrap, or on macOS the sandbox runtime; `networkProblem`: why a program cannot get a network of its own. */
export type AvailableSandbox = {
  kind: 'available';
  backend: 'bubblewrap' | 'runtime';
  program: string;
  version: string;
  networkProblem?: string;
};

/** A program to be contained; `env` is its whole environment, `programs` are files that are shown with what they need: itself and others that it starts. */
export type ContainedProgram = {
  command: readonly string[];
  cwd: string;
  env: Record<string, string>;
  programs?: readonly string[];
  /** What the set-up of its dependencies adds, or has added, to package caches. */
  caches?: CacheLayers;
};

/** Wraps the command of a program, so that it runs in a sandbox. */
export type Contain = (program: ContainedProgram) => string[];

/** A network of its own, with nothing but its loopback; `proxy` is the folder with the socket of its session, `ports` those of the machine's loopback that the session may reach, `serves` a port in it that is reached from outside. Where programs cannot have a loopback of their own, `sharesLoopback` lets them use that of the machine. */
export type SandboxNetwork = {
  proxy?: string | undefined;
  ports?: readonly number[];
  serves?: { folder: string; port: number } | undefined;
  sharesLoopback?: boolean;
};

/** What a sandbox shows besides the system: `hidden` folders are never shown as a whole, also not as a part of another one; without `network` it has that of the machine. */
export type SandboxPaths = {
  read: readonly string[];
  write: readonly string[];
  hidden: readonly string[];
  network?: SandboxNetwork | undefined;
  /** The file with the filter of system calls. */
  seccomp?: string | undefined;
  /** Folders that the program sees and may change, without changing them. */
  overlaid?: Overlays | undefined;
  /** Folders of which the program writes private copies. */
  copied?: readonly PrivateFolder[];
  /** The limit of each private folder, which is in memory. */
  privateBytes?: number;
  /** How many processes and threads it may have, where no group limits them. */
  processes?: number | undefined;
};
