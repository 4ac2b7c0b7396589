import type { LoginFolder, LoginPath } from '../../schema/config/sandbox.ts';
import type { Config } from '../../schema/config.ts';

/** What a program is started for. */
export type Purpose = 'agent' | 'check' | 'setup' | 'application';

/** The paths that a program of a task may read, and those that it may also write; it has access to no other path of the user, and to none below `hidden`. Of `copied` folders it writes private copies. */
export type Permissions = { read: string[]; write: string[]; copied: LoginFolder[]; hidden: string[] };

export type PermissionRequest = {
  purpose: Purpose;
  /** The folder in which it works. */
  workspace: string;
  /** The objects of the project's mirror, which the workspace borrows. */
  objects: string;
  paths: Config['sandboxPaths'];
  /** Of an agent: the folders with its prompt and its tools, and the files of its own login and sessions. */
  agent?: {
    folders: readonly string[];
    login: readonly LoginPath[];
    /** What in those folders is not for it. */
    hidden?: readonly string[] | undefined;
    isWorkspaceReadOnly?: boolean | undefined;
  };
};

/** The permissions of a program, by what it is for; only an agent gets its prompt and its login. */
export function permissionsFor({ purpose, workspace, objects, paths, agent }: PermissionRequest): Permissions {
  const own = purpose === 'agent' ? agent : undefined;
  const login: readonly LoginPath[] = own?.login ?? [];
  const isReadOnly = own?.isWorkspaceReadOnly === true;
  return {
    read: [objects, ...(own?.folders ?? []), ...(isReadOnly ? [workspace] : []), ...paths.read],
    write: [...(isReadOnly ? [] : [workspace]), ...login.filter((each) => typeof each === 'string'), ...paths.write],
    copied: login.filter((each) => typeof each !== 'string'),
    hidden: [...(own?.hidden ?? [])],
  };
}
