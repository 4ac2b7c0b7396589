/** The files of a launch, in its folder. */
export const FILES = {
  stdout: 'stdout',
  stderr: 'stderr',
  identity: 'identity',
  exit: 'exit',
  alive: 'alive',
  drained: 'drained',
  pipedStdout: 'stdout.pipe',
  pipedStderr: 'stderr.pipe',
  copiedStdout: 'stdout.copied',
  copiedStderr: 'stderr.copied',
  stored: 'stored',
} as const;

/** All files except the output, which is appended to. */
export const LEFT_BY_SHIM: ReadonlySet<string> = new Set(
  Object.values(FILES).filter((name) => name !== FILES.stdout && name !== FILES.stderr),
);

/** The name under which the shim's script runs (`$0`); it identifies shims among processes. */
export const SHIM_NAME = 'manyhands';

/** Descriptors of the shim: the engine's channel, and the two FIFOs that show its end and that of the output. */
export const CHANNEL_FD = 3;
const DRAINED_FD = 8;
const ALIVE_FD = 9;

/** Reserves the space of an exit code until there is one. */
export const NO_EXIT_CODE = '---';

/** More than a file system keeps in the blocks that it has already given to a small file. */
const PROBE_BYTES = 8192;

/** The unit of a shell's file size limit (`ulimit -f`). */
const BLOCK_BYTES = 512;

/** Variables that a shell sets and exports itself. */
const SET_BY_SHELLS = ['PWD', 'OLDPWD', 'SHLVL'];
/** Variables that a shell changes, so that they cannot be passed unchanged. */
const CHANGED_BY_SHELLS = new Set(['IFS', 'OPTIND', 'PPID', '_']);
const SHELL_NAME = /^(?!_mh_)[A-Za-z_][A-Za-z0-9_]*$/;

export type ShimOptions = {
  env: Record<string, string>;
  maxFileBytes?: number;
  pipeOutput?: boolean;
  openFiles?: number | undefined;
};

/** The name of a variable that would not reach the program unchanged through a shell, if there is one. */
export function findUnpassable(env: Record<string, string>): string | undefined {
  return Object.keys(env).find((name) => !SHELL_NAME.test(name) || CHANGED_BY_SHELLS.has(name));
}

/**
 * The shim: called with the folder and the command, it reports its identity, waits for a line on the channel (and ends
 * without it), runs the command and writes its exit code in place of one that was reserved, so that a full disk cannot
 * lose it; where even that fails, the file is emptied. What says whether all output was stored is reserved in the same
 * way. It catches signals instead of ignoring them, because ignored ones would be inherited. The exit code is read only
 * after the shim has ended, so no rename is needed. A change of an exported variable makes bash drop the `_` that it has
 * added. The text contains no user input.
 */
export function shimScript(options: ShimOptions): string {
  const umask = process.umask().toString(8);
  const clean = `${fileLimit(options.openFiles)}umask ${umask}; export _mh_x; unset _mh_x ${SET_BY_SHELLS.filter((name) => !(name in options.env)).join(' ')}`;
  const limit =
    options.maxFileBytes === undefined ? '' : `ulimit -f ${Math.ceil(options.maxFileBytes / BLOCK_BYTES)}; `;
  return [
    '_mh_folder=$1; shift; umask 077',
    'trap : HUP INT QUIT TERM USR1 USR2',
    '_mh_pid=$$; _mh_start=',
    `{ read -r _mh_pid ${'_mh_x '.repeat(20)}_mh_start _mh_x </proc/self/stat; } 2>/dev/null`,
    ...makeFifos(options),
    ...[FILES.exit, ...storageFiles(options)].map(
      (name) => `echo "${NO_EXIT_CODE}" >"$_mh_folder/${name}" || exit 125`,
    ),
    `echo "$_mh_pid $_mh_start" >"$_mh_folder/${FILES.identity}" || exit 125`,
    `echo "$_mh_pid $_mh_start" >&${CHANNEL_FD}`,
    `read -r _mh_x <&${CHANNEL_FD} || exit 125`,
    `exec ${CHANNEL_FD}>&-`,
    ...(options.pipeOutput ? runPiped(clean, limit) : [`( ${limit}${clean}; exec "$@" ${ALIVE_FD}>&- )`]),
    '_mh_code=$?',
    ...(options.pipeOutput ? [] : [probeDisk(`"$_mh_folder/${FILES.stored}"`)]),
    `printf '%-3s\\n' "$_mh_code" 1<>"$_mh_folder/${FILES.exit}" || : >"$_mh_folder/${FILES.exit}"`,
    'exit "$_mh_code"',
  ].join('\n');
}

/** The system may allow fewer: then that stays. */
function fileLimit(openFiles: number | undefined): string {
  return openFiles === undefined ? '' : `ulimit -n ${openFiles} 2>/dev/null; `;
}

/** The FIFOs that a shim needs; the spawner makes them, because a process for it costs more. */
export function fifosOf({ pipeOutput }: Pick<ShimOptions, 'pipeOutput'>): readonly string[] {
  return pipeOutput ? [FILES.alive, FILES.drained, FILES.pipedStdout, FILES.pipedStderr] : [FILES.alive];
}

/** All or none are there: the last one that the spawner makes shows it. */
function makeFifos(options: ShimOptions): string[] {
  const paths = fifosOf(options).map((name) => `"$_mh_folder/${name}"`);
  return [
    `[ -p ${paths.at(-1)} ] || { command -p rm -f ${paths.join(' ')}; command -p mkfifo -m 600 ${paths.join(' ')} || exit 125; }`,
    `exec ${ALIVE_FD}<>"$_mh_folder/${FILES.alive}"`,
    ...(options.pipeOutput ? [`exec ${DRAINED_FD}<>"$_mh_folder/${FILES.drained}"`] : []),
  ];
}

/** The files that say whether all output was stored. */
function storageFiles({ pipeOutput }: ShimOptions): readonly string[] {
  return pipeOutput ? [FILES.copiedStdout, FILES.copiedStderr] : [FILES.stored];
}

/** A program that writes to a file itself may ignore that the disk is full: the shim tries to write more, and empties the file where it can. */
function probeDisk(file: string): string {
  return `{ printf '%${PROBE_BYTES}s' '' >>${file} && : >${file}; } 2>/dev/null`;
}

/** Copies the output, and writes how each copier ended: one that is killed, or finds the disk full, loses output. */
function runPiped(clean: string, limit: string): string[] {
  const copy = (pipe: string, target: string) =>
    `( ${limit}command -p cat <"$_mh_folder/${pipe}" >&${target} 2>/dev/null ) &`;
  const record = (copier: string, file: string) => `wait "$${copier}"; printf '%-3s\\n' "$?" 1<>"$_mh_folder/${file}"`;
  const out = `>"$_mh_folder/${FILES.pipedStdout}" 2>"$_mh_folder/${FILES.pipedStderr}"`;
  return [
    `( trap '' HUP INT QUIT TERM`,
    `${copy(FILES.pipedStdout, '1')} _mh_out=$!`,
    `${copy(FILES.pipedStderr, '2')} _mh_err=$!`,
    'exec 2>/dev/null',
    record('_mh_out', FILES.copiedStdout),
    record('_mh_err', FILES.copiedStderr),
    `) ${ALIVE_FD}>&- &`,
    `exec ${DRAINED_FD}>&-`,
    `( ${clean}; exec "$@" ${out} ${ALIVE_FD}>&- )`,
  ];
}

/** The folder of the launch, from the arguments of a shim as Linux shows them; undefined for any other program. */
export function shimFolder(commandLine: string): string | undefined {
  const [, option, , name, folder] = commandLine.split('\0');
  return option === '-c' && name === SHIM_NAME ? folder : undefined;
}

/** Quotes a text as one shell word. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
