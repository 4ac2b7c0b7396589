import { SERVER_ERRORS } from './server-errors.ts';

/** Every failure that a user can see: its exit code, its HTTP status, and what to do; `<name>` in a hint is the detail of that name. */
export const ERRORS = {
  USAGE: {
    exit: 2,
    http: 400,
    hint: 'List the arguments and options with manyhands <command> --help, all commands with manyhands --help.',
  },
  NOT_A_REPOSITORY: {
    exit: 3,
    http: 422,
    hint: 'Run the command inside a git repository, or select one with --dir <folder>.',
  },
  REPOSITORY_GONE: {
    exit: 3,
    http: 409,
    hint: 'If the repository was moved, move it back or create a link: ln -s <new path> <old path>. Without it, manyhands diff, report and salvage still show every result, and manyhands salvage restore <ref> --to <folder> restores a result into another clone.',
  },
  REPOSITORY_EMPTY: { exit: 3, http: 422, hint: 'Create a first commit: git commit --allow-empty -m "Start"' },
  REPOSITORY_UNSUPPORTED: { exit: 3, http: 422, hint: 'The requirements are in docs/reference/repositories.md.' },
  GIT_TOO_OLD: {
    exit: 3,
    http: 500,
    hint: 'Install git 2.39.4 or newer. In older versions a repository can make git execute a program that an agent chose.',
  },
  GIT_FAILED: { exit: 3, http: 500, hint: 'Check git and the data directory: manyhands doctor' },
  GIT_TIMEOUT: { exit: 3, http: 504, hint: 'The disk may be slow or overloaded. Run the command again.' },
  BRANCH_UNKNOWN: { exit: 3, http: 404, hint: 'List the branches: git branch -a' },
  BRANCH_NOT_MOVED: {
    exit: 3,
    http: 409,
    hint: 'Fix what the message names; a lock file that no git process uses can be deleted. Then run: manyhands resume <run>',
  },
  BRANCH_TAKEN: {
    exit: 3,
    http: 409,
    hint: 'Rename or delete the branch that is in the way, then run the command again.',
  },
  CONFIG_INVALID: {
    exit: 3,
    http: 422,
    hint: 'Correct the setting. docs/reference/config.md lists all settings.',
  },
  CONFIG_KEY_UNKNOWN: { exit: 3, http: 404, hint: 'List all settings: manyhands config list' },
  INIT_REFUSED: { exit: 3, http: 409, hint: 'Fix what the message names, then run: manyhands init' },
  INPUT_INVALID: { exit: 3, http: 422, hint: 'Correct the input and run the command again. Nothing was started.' },
  WORK_FILE_INVALID: {
    exit: 2,
    http: 422,
    hint: 'Nothing was started. Correct the file, then check it: manyhands check <file>',
  },
  WORK_FILE_UNREADABLE: {
    exit: 2,
    http: 422,
    hint: 'Check the path. To list the supported work files: manyhands run --help',
  },
  FILE_EXISTS: { exit: 3, http: 409, hint: 'Choose another --output, or overwrite it with --force (a copy is kept).' },
  CHECK_CANNOT_START: {
    exit: 3,
    http: 422,
    hint: 'Install the program and approve, which checks again; or cancel the run, correct --check or checks in .manyhands/config.yaml, and start it again.',
  },
  AGENT_UNKNOWN: {
    exit: 3,
    http: 404,
    hint: 'List the agents: manyhands models. You can also use rehearsal, or command:<program> for any program.',
  },
  AGENT_MISSING: {
    exit: 3,
    http: 424,
    hint: 'Install the program, select another agent with --agent, or run without a model: --rehearse',
  },
  LOGIN_GONE: { exit: 3, http: 424, hint: 'Add the login to the settings again, or enable its profile.' },
  ROLE_UNKNOWN: { exit: 3, http: 404, hint: 'Use a built-in role, or create the file .manyhands/roles/<role>.md.' },
  ROLE_INVALID: { exit: 3, http: 422, hint: 'Correct the front matter of the role file.' },
  TEMPLATE_UNKNOWN: { exit: 3, http: 404, hint: 'List the templates: manyhands template ls' },
  TEMPLATE_INVALID: { exit: 3, http: 422, hint: 'Correct the file, then check it: manyhands template show <name>' },
  BATCH_UNKNOWN: { exit: 3, http: 404, hint: 'List the batches: manyhands batch ls' },
  BATCH_INVALID: { exit: 3, http: 422, hint: 'Correct the file, then check it: manyhands batch show <name>' },
  FILE_TAKEN: { exit: 3, http: 409, hint: 'Choose another name, or replace it with --force.' },
  COLLECTION_UNKNOWN: { exit: 3, http: 404, hint: 'List the collections: manyhands collection ls' },
  COLLECTION_TAKEN: {
    exit: 3,
    http: 409,
    hint: 'Choose another name, or add runs to it: manyhands collection add <name> <run>',
  },
  SCENARIO_INVALID: { exit: 3, http: 422, hint: 'The format is described in docs/reference/scenario.md.' },
  PLAN_INVALID: {
    exit: 3,
    http: 422,
    hint: 'No task of the plan was started. Correct the goal or the file and start a new run.',
  },
  RUN_UNKNOWN: { exit: 3, http: 404, hint: 'List the runs of all projects: manyhands ls --all' },
  RUN_AMBIGUOUS: { exit: 3, http: 409, hint: 'Type more characters of the run id.' },
  RUN_NONE: { exit: 3, http: 404, hint: 'Start a run: manyhands do "<goal>"' },
  TASK_UNKNOWN: { exit: 3, http: 404, hint: 'List the tasks: manyhands show <run>' },
  LOCKED: { exit: 3, http: 409, hint: 'List the locks: manyhands locks' },
  LOCK_DEADLOCK: { exit: 3, http: 409, hint: 'Release your own locks with the tool release_files, then lock again.' },
  QUESTION_UNKNOWN: { exit: 3, http: 404, hint: 'List the open questions: manyhands questions' },
  NOTE_UNKNOWN: { exit: 3, http: 404, hint: 'List the notes with the tool list_notes.' },
  TRACK_UNKNOWN: { exit: 2, http: 404, hint: 'Use a track that the message lists, or omit --track.' },
  REFUSED: { exit: 3, http: 409, hint: 'Show the state of the run: manyhands show <run>' },
  RECIPE_UNKNOWN: {
    exit: 3,
    http: 404,
    hint: 'The run was created by another version of Manyhands. Use that version, or cancel the run: manyhands cancel <run>',
  },
  CONFLICT: { exit: 3, http: 409, hint: 'Another user or process changed it. Read it again, then repeat the change.' },
  CONFIRM_REQUIRED: { exit: 3, http: 403, hint: 'A person enters the code that the terminal of the engine shows.' },
  CALLED_BY_AGENT: {
    exit: 3,
    http: 403,
    hint: 'Agents, and programs that they started, may read runs and must not control them. Leave this to a person.',
  },
  ASSISTANT_REFUSED: { exit: 3, http: 403, hint: 'A person does it, or sets assistant.decide in their settings.' },
  TOOL_REFUSED: { exit: 3, http: 403, hint: 'An agent has tools only in its own attempt, while it runs.' },
  QUERY_FAILED: { exit: 3, http: 422, hint: 'Correct the query, or check the integration in your own settings.' },
  SANDBOX_UNAVAILABLE: {
    exit: 3,
    http: 422,
    hint: 'Show what is missing with manyhands doctor, or set sandbox to auto in your own settings.',
  },
  ENGINE_BUSY: { exit: 3, http: 409, hint: 'Wait until the other process ends, or end it.' },
  ENGINE_NONE: { exit: 3, http: 409, hint: 'An engine is started by manyhands serve and by manyhands resume.' },
  AGENT_NOT_INTERACTIVE: { exit: 3, http: 422, hint: 'Select another agent with --agent, or omit --interactive.' },
  TERMINAL_NONE: {
    exit: 3,
    http: 409,
    hint: 'Read the output of the agent with manyhands logs <run>, and send it a message with manyhands send <run> <task> "<message>".',
  },
  TERMINAL_ENDED: {
    exit: 3,
    http: 410,
    hint: 'Show the result with manyhands show <run>, and the output with manyhands logs <run>.',
  },
  ENGINE_GONE: { exit: 3, http: 503, hint: 'No work is lost. Continue with: manyhands resume' },
  ENGINE_VERSION: {
    exit: 3,
    http: 409,
    hint: 'Use the version of Manyhands that started the engine, or stop the engine with that version.',
  },
  UPGRADE_UNKNOWN: { exit: 3, http: 502, hint: 'Check the network and the registry: npm config get registry' },
  DATA_NEWER: { exit: 3, http: 500, hint: 'Upgrade Manyhands, or select another data directory with MANYHANDS_HOME.' },
  DATA_UNSAFE: {
    exit: 3,
    http: 500,
    hint: 'Make it private with chmod 700 <home>, or select a data directory of your own with MANYHANDS_HOME.',
  },
  DATA_DAMAGED: { exit: 3, http: 500, hint: 'Do not change the data directory. Check it: manyhands doctor' },
  DATABASE_UNREACHABLE: { exit: 3, http: 503, hint: 'Check the PostgreSQL server: manyhands doctor. Nothing is lost.' },
  DATABASE_REFUSED: {
    exit: 3,
    http: 500,
    hint: 'Correct the URL (MANYHANDS_DATABASE_URL or --to), or the rights of its user.',
  },
  ...SERVER_ERRORS,
  NO_SPACE: { exit: 3, http: 507, hint: 'Free disk space, then continue with: manyhands resume' },
  TOO_MANY_OPEN_FILES: { exit: 3, http: 503, hint: 'Raise the limit of open files, then try again: ulimit -n 4096' },
  FILE_TOO_LARGE: { exit: 3, http: 503, hint: 'Raise the limit of the size of files: ulimit -f unlimited' },
  TOO_MANY_PROCESSES: { exit: 3, http: 503, hint: 'Raise the limit of processes, then try again: ulimit -u 4096' },
  FOLDER_GONE: { exit: 3, http: 410, hint: 'Change to a folder that exists: cd' },
  NO_PERMISSION: { exit: 3, http: 403, hint: 'Check the owner and the permissions of the file or folder.' },
  WORKSPACE_CHANGED: {
    exit: 3,
    http: 409,
    hint: 'Inspect the workspace, then run: manyhands retry <run> --keep-changes, or --discard-changes',
  },
  WORK_TOO_LARGE: {
    exit: 3,
    http: 413,
    hint: 'The workspace is kept. Delete or ignore what is not part of the work there, then run: manyhands retry <run>',
  },
  WORK_UNSAVED: {
    exit: 3,
    http: 500,
    hint: 'The workspace is kept. Copy what you need, delete the workspace, then run: manyhands retry <run>',
  },
  SETUP_FAILED: {
    exit: 3,
    http: 424,
    hint: 'Run the command in a fresh clone to reproduce the failure, then correct workspace.setup.',
  },
  APP_NOT_READY: {
    exit: 3,
    http: 424,
    hint: 'Start the application in a fresh clone with PORT set to reproduce the failure, then correct verify.start or verify.startSeconds.',
  },
  CHECKOUT_DIRTY: {
    exit: 4,
    http: 409,
    hint: 'Commit your changes, or stash them with git stash, then run the command again.',
  },
  UNDO_UNSAFE: {
    exit: 4,
    http: 409,
    hint: 'Nothing was changed. Revert it manually with git revert, and resolve the conflicts there.',
  },
  FORGE_MISSING: {
    exit: 3,
    http: 424,
    hint: 'Set git.provider, git.remote and git.repo, or use --land branch. Show what was detected: manyhands doctor',
  },
  FORGE_FAILED: {
    exit: 3,
    http: 502,
    hint: 'Check the forge and its login with manyhands doctor, then run the command again.',
  },
  NEEDS_PERSON: { exit: 4, http: 409, hint: 'Show what is waiting for you: manyhands show <run>' },
  UNSUPPORTED_SYSTEM: { exit: 3, http: 500, hint: 'Use Linux or macOS, or WSL 2 on Windows.' },
  PROCESS_STUCK: {
    exit: 3,
    http: 500,
    hint: 'The processes wait for a disk or a device. Inspect them with ps, then continue with: manyhands resume',
  },
  INTERNAL: {
    exit: 70,
    http: 500,
    hint: 'This is a bug in Manyhands. No work is lost. Please report it with the text above.',
  },
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** A failure for the user: what happened, with which value, and (from the table) what to do. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: Record<string, unknown>;

  constructor(code: ErrorCode, message: string, details: Record<string, unknown> = {}, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'AppError';
    this.code = code;
    this.details = details;
  }

  get exitCode(): number {
    return ERRORS[this.code].exit;
  }

  /** What to do, as a command that can be pasted where the details name its arguments in words that need no quotes. */
  get hint(): string {
    return ERRORS[this.code].hint.replaceAll(/<(\w+)>/g, (placeholder, key: string) => {
      const value = this.details[key];
      const isPlain = key === 'command' ? /^[a-z-]+(?: [a-z-]+)?$/ : /^[\w./@][\w./@%+=:,-]*$/;
      return typeof value === 'string' && isPlain.test(value) ? value : placeholder;
    });
  }
}

/** Maps system errors about disk space, permissions and limits to rows of the table; `activity` completes "while ...". Other errors are returned unchanged. */
export function fromSystemError(error: unknown, activity: string): unknown {
  const code = errorCode(error);
  const cause = { cause: error };
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new AppError('NO_SPACE', `No space left while ${activity}`, {}, cause);
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return new AppError('NO_PERMISSION', `No permission while ${activity}: ${messageOf(error)}`, {}, cause);
  }
  if (code === 'EMFILE' || code === 'ENFILE')
    return new AppError('TOO_MANY_OPEN_FILES', `Too many open files while ${activity}`, {}, cause);
  if (code === 'EFBIG')
    return new AppError('FILE_TOO_LARGE', `The limit of the size of a file was reached while ${activity}`, {}, cause);
  if (code === 'EAGAIN')
    return new AppError('TOO_MANY_PROCESSES', `No more processes can be started: ${messageOf(error)}`, {}, cause);
  return error;
}

/** The system error code (`ENOENT`), if the error has one. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Whether the error says that a path does not exist. */
export function isAbsent(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** Why a file could not be read, as it follows its name: `does not exist`. */
export function unreadableText(error: unknown): string {
  if (isAbsent(error)) return 'does not exist';
  if (errorCode(error) === 'EISDIR') return 'is a folder';
  if (errorCode(error) === 'EACCES' || errorCode(error) === 'EPERM') return 'may not be read: no permission';
  return `cannot be read: ${messageOf(error)}`;
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
