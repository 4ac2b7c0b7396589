/** Every failure that a user can see: its exit code, its HTTP status, and what to do about it. */
export const ERRORS = {
  USAGE: { exit: 2, http: 400, hint: 'Run the command with --help to see its arguments.' },
  NOT_A_REPOSITORY: { exit: 3, http: 422, hint: 'Run it inside a git repository, or name one with --dir.' },
  REPOSITORY_GONE: {
    exit: 3,
    http: 409,
    hint: 'If it was moved: put it back, or make a link, ln -s <where it is now> <where it was>. Without it, manyhands diff, report and salvage show all that was made, and salvage restore <ref> --to <folder> puts it into another clone.',
  },
  REPOSITORY_EMPTY: { exit: 3, http: 422, hint: 'Make a first commit: git commit --allow-empty -m "Start".' },
  REPOSITORY_UNSUPPORTED: { exit: 3, http: 422, hint: 'See docs/reference/repositories.md for what is supported.' },
  GIT_TOO_OLD: {
    exit: 3,
    http: 500,
    hint: 'Install git 2.39.4 or newer: older ones can run a program that an agent names.',
  },
  GIT_FAILED: { exit: 3, http: 500, hint: 'Run manyhands doctor to check git and the data directory.' },
  GIT_TIMEOUT: { exit: 3, http: 504, hint: 'The disk may be slow or busy; try again.' },
  BRANCH_UNKNOWN: { exit: 3, http: 404, hint: 'List the branches with git branch -a.' },
  BRANCH_TAKEN: { exit: 3, http: 409, hint: 'Rename or delete that branch; Manyhands needs the name mh/<run>.' },
  CONFIG_INVALID: { exit: 3, http: 422, hint: 'Correct the file, or see all keys with manyhands config list.' },
  CONFIG_KEY_UNKNOWN: { exit: 3, http: 404, hint: 'See all keys with manyhands config list.' },
  INIT_REFUSED: { exit: 3, http: 409, hint: 'Mend what the message names, then run manyhands init again.' },
  INPUT_INVALID: { exit: 3, http: 422, hint: 'Correct the input and run the command again; nothing was started.' },
  WORK_FILE_INVALID: {
    exit: 2,
    http: 422,
    hint: 'Correct the file; manyhands check <file> reads it again. Nothing was started.',
  },
  WORK_FILE_UNREADABLE: { exit: 2, http: 422, hint: 'Name a file of work: see manyhands run --help.' },
  FILE_EXISTS: {
    exit: 3,
    http: 409,
    hint: 'Name another file with --output, or replace it with --force, which keeps a copy of it.',
  },
  AGENT_UNKNOWN: { exit: 3, http: 404, hint: 'Use a configured agent, rehearsal, or command:<program>.' },
  AGENT_MISSING: { exit: 3, http: 424, hint: 'Install the program, or choose another agent with --agent.' },
  LOGIN_GONE: { exit: 3, http: 424, hint: 'Add the login to the settings again, or switch its profile on.' },
  ROLE_UNKNOWN: { exit: 3, http: 404, hint: 'Use a built-in role, or add .manyhands/roles/<role>.md.' },
  ROLE_INVALID: { exit: 3, http: 422, hint: 'Correct the front matter of the role file.' },
  TEMPLATE_UNKNOWN: { exit: 3, http: 404, hint: 'See all templates with manyhands template ls.' },
  TEMPLATE_INVALID: { exit: 3, http: 422, hint: 'Correct the file; manyhands template show <name> reads it again.' },
  BATCH_UNKNOWN: { exit: 3, http: 404, hint: 'See all batches with manyhands batch ls.' },
  BATCH_INVALID: { exit: 3, http: 422, hint: 'Correct the file; manyhands batch show <name> reads it again.' },
  FILE_TAKEN: { exit: 3, http: 409, hint: 'Choose another name, or replace it with --force.' },
  COLLECTION_UNKNOWN: { exit: 3, http: 404, hint: 'See all collections with manyhands collection ls.' },
  COLLECTION_TAKEN: { exit: 3, http: 409, hint: 'Choose another name, or put runs into it.' },
  SCENARIO_INVALID: { exit: 3, http: 422, hint: 'See docs/reference/scenario.md for the format.' },
  PLAN_INVALID: { exit: 3, http: 422, hint: 'The plan was refused as it is; nothing of it was started.' },
  RUN_UNKNOWN: { exit: 3, http: 404, hint: 'List the runs with manyhands ls --all.' },
  RUN_AMBIGUOUS: { exit: 3, http: 409, hint: 'Give more characters of the id.' },
  RUN_NONE: { exit: 3, http: 404, hint: 'Start one with manyhands do "<goal>".' },
  TASK_UNKNOWN: { exit: 3, http: 404, hint: 'List the tasks with manyhands show <run>.' },
  TRACK_UNKNOWN: { exit: 2, http: 404, hint: 'Name one of the tracks above, or leave --track out.' },
  REFUSED: { exit: 3, http: 409, hint: 'See the state with manyhands show <run>.' },
  RECIPE_UNKNOWN: {
    exit: 3,
    http: 404,
    hint: 'This run was made by another version; use that version, or cancel the run.',
  },
  CONFLICT: { exit: 3, http: 409, hint: 'Something else changed it meanwhile; look again and repeat.' },
  CALLED_BY_AGENT: {
    exit: 3,
    http: 403,
    hint: 'Call it from a terminal of your own; unset MANYHANDS_TOKEN if this is one.',
  },
  ENGINE_BUSY: { exit: 3, http: 409, hint: 'Another engine holds the data directory; wait for it, or stop it.' },
  ENGINE_NONE: {
    exit: 3,
    http: 409,
    hint: 'There is nothing to stop; manyhands serve or manyhands resume starts one.',
  },
  AGENT_NOT_INTERACTIVE: { exit: 3, http: 422, hint: 'Choose another agent with --agent, or leave --interactive out.' },
  TERMINAL_NONE: {
    exit: 3,
    http: 409,
    hint: 'Read what it says with manyhands logs, and tell it something with manyhands send.',
  },
  TERMINAL_ENDED: {
    exit: 3,
    http: 410,
    hint: 'See what came of it with manyhands show, and what it showed with manyhands logs.',
  },
  ENGINE_GONE: { exit: 3, http: 503, hint: 'Nothing is lost: manyhands resume goes on.' },
  ENGINE_VERSION: { exit: 3, http: 409, hint: 'Use the version that started the engine, or stop that engine first.' },
  DATA_NEWER: { exit: 3, http: 500, hint: 'Upgrade Manyhands, or use another data directory with MANYHANDS_HOME.' },
  DATA_DAMAGED: { exit: 3, http: 500, hint: 'Keep the folder as it is and run manyhands doctor.' },
  NO_SPACE: { exit: 3, http: 507, hint: 'Free some disk space, then manyhands resume.' },
  NO_PERMISSION: { exit: 3, http: 403, hint: 'Check who owns the folder and its mode.' },
  WORKSPACE_CHANGED: { exit: 3, http: 409, hint: 'Somebody worked in it meanwhile; look at it, then manyhands retry.' },
  WORK_UNSAVED: {
    exit: 3,
    http: 500,
    hint: 'The workspace stays: take what you need out of it, remove it, then manyhands retry.',
  },
  SETUP_FAILED: {
    exit: 3,
    http: 424,
    hint: 'Run the command yourself in a fresh clone, then correct workspace.setup.',
  },
  APP_NOT_READY: {
    exit: 3,
    http: 424,
    hint: 'Start it yourself in a fresh clone with PORT set, then correct verify.start or verify.startSeconds.',
  },
  CHECKOUT_DIRTY: { exit: 4, http: 409, hint: 'Commit or stash your changes, then repeat the command.' },
  UNDO_UNSAFE: {
    exit: 4,
    http: 409,
    hint: 'Nothing was changed. Take it back by hand with git revert, and settle there what is in the way.',
  },
  FORGE_MISSING: {
    exit: 3,
    http: 424,
    hint: 'Set git.provider, git.remote and git.repo, or use --land branch; manyhands doctor shows what is found.',
  },
  FORGE_FAILED: { exit: 3, http: 502, hint: 'See manyhands doctor for the forge and its login, then try again.' },
  NEEDS_PERSON: { exit: 4, http: 409, hint: 'See what waits with manyhands show <run>.' },
  LOGIN_NEEDED: {
    exit: 3,
    http: 401,
    hint: 'Run manyhands serve for a link that lets a browser in; programs send the token that manyhands token prints.',
  },
  LOGIN_REFUSED: { exit: 3, http: 401, hint: 'A link works once and for minutes: manyhands serve prints another.' },
  VIEWERS_ONLY_LOOK: { exit: 3, http: 403, hint: 'Log in with the operator token to act: manyhands token.' },
  REQUEST_FOREIGN: {
    exit: 3,
    http: 403,
    hint: 'Open the address that manyhands serve prints; for another name of this machine, set server.names.',
  },
  REQUEST_INVALID: { exit: 3, http: 400, hint: 'See /api/docs for what each route takes.' },
  REQUEST_TOO_LARGE: { exit: 3, http: 413, hint: 'Send less at once.' },
  REQUEST_NOT_JSON: { exit: 3, http: 415, hint: 'Send JSON with content-type: application/json.' },
  ROUTE_UNKNOWN: { exit: 3, http: 404, hint: 'See /api/docs for all routes.' },
  METHOD_UNKNOWN: { exit: 3, http: 405, hint: 'See /api/docs for the methods of each route.' },
  PORT_TAKEN: { exit: 3, http: 409, hint: 'Choose another port with --port, or leave it out to get a free one.' },
  REMOTE_REFUSED: {
    exit: 3,
    http: 403,
    hint: 'Use 127.0.0.1 and an SSH tunnel; or set server.allowRemote: true, which lets every machine that reaches this one knock.',
  },
  UNSUPPORTED_SYSTEM: { exit: 3, http: 500, hint: 'Use Linux or macOS; on Windows, WSL 2.' },
  PROCESS_STUCK: { exit: 3, http: 500, hint: 'They wait for a disk or a device: see them with ps; then resume.' },
  INTERNAL: {
    exit: 70,
    http: 500,
    hint: 'This is a defect of Manyhands; nothing was lost. Please report it with the text above.',
  },
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** A failure for a person: what happened, with which value, and (from the table) what to do. */
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

  get hint(): string {
    return ERRORS[this.code].hint;
  }
}

/** Turns what the system says about disk and permission into a row of the table; anything else stays as it is. */
export function fromSystemError(error: unknown, doing: string): unknown {
  const code = errorCode(error);
  const cause = { cause: error };
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new AppError('NO_SPACE', `No space left while ${doing}`, {}, cause);
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return new AppError('NO_PERMISSION', `No permission while ${doing}: ${messageOf(error)}`, {}, cause);
  }
  return error;
}

/** The system's code of an error (`ENOENT`), if it has one. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Whether the system says that there is nothing at a path. */
export function isAbsent(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** The text of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
/** The known name that a misspelt one most likely means, if any is close enough to be worth saying. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  let best: { name: string; distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (best === undefined || distance < best.distance) best = { name: candidate, distance };
  }
  const limit = name.length <= 3 ? 1 : Math.max(2, Math.floor(name.length / 3));
  return best !== undefined && best.distance <= limit ? best.name : undefined;
}

function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...from].entries()) {
    const current = [row + 1];
    for (const [column, other] of [...to].entries()) {
      const replaced = (previous[column] ?? 0) + (letter === other ? 0 : 1);
      const added = (current[column] ?? 0) + 1;
      const removed = (previous[column + 1] ?? 0) + 1;
      current.push(Math.min(replaced, added, removed));
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}
