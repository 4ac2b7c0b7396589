import { FURTHER_CASES } from './further-cases.ts';
import { KERNEL_CASES } from './kernel-cases.ts';
import { MACHINE_CASES } from './machine-cases.ts';
import { covered, type SAFETY_ROWS } from './safety-rows.ts';
import { WAITING_CASES } from './waiting-cases.ts';

/** An attack from inside an attempt: a shell command that succeeds if it escaped, or one whose trace is found outside. */
export type EscapeAttack = {
  name: string;
  command: string;
  /** Outside of the sandbox the attack is judged by this file, which then contains the name of the case. */
  target?: string;
};
/** With the name of its row on the safety page. */
export type EscapeCase = EscapeAttack & { row: keyof typeof SAFETY_ROWS };

const SECRET = 'canary-secret';
const reads = (name: string, path: string): EscapeAttack => ({
  name: `reads ${name}`,
  command: `grep -rqs ${SECRET} ${path}`,
});
const writes = (name: string, target: string): EscapeAttack => ({
  name: `writes ${name}`,
  command: `mkdir -p "$(dirname ${target})"; echo 'writes ${name}' >>${target}`,
  target,
});
/** The same file by another route: the command gets the name of the case as $NAME and writes it to the target. */
const reaches = (name: string, target: string, command: string): EscapeAttack => ({ name, command, target });
const does = (name: string, command: string): EscapeAttack => ({ name, command });

/** Paths: $HOME of the user, $REPO (the user's checkout), $DATA (the data directory), $OTHER (another project); $VICTIM is a process of the user. */
export const ESCAPE_CASES: readonly EscapeCase[] = [
  ...KERNEL_CASES,
  ...FURTHER_CASES,
  ...covered('read', [
    reads('an SSH key', '"$HOME/.ssh"'),
    reads('cloud credentials', '"$HOME/.aws"'),
    reads('a GPG key', '"$HOME/.gnupg"'),
    reads('a browser profile', '"$HOME/.mozilla"'),
    reads('the login of a forge', '"$HOME/.config/gh"'),
    reads('stored git credentials', '"$HOME/.git-credentials"'),
    reads('.netrc', '"$HOME/.netrc"'),
    reads('registry tokens', '"$HOME/.npmrc"'),
    reads('the login of Claude Code', '"$HOME/.claude"'),
    reads('the login of Codex', '"$HOME/.codex"'),
    reads('the login of Gemini', '"$HOME/.gemini"'),
    reads('an ignored file of the checkout', '"$REPO/.env"'),
    reads('another project', '"$OTHER"'),
    reads("the server's tokens", '"$DATA/server"'),
    reads('another attempt', '"$DATA/attempts/other-1-1"'),
    reads('another workspace', '"$DATA/workspaces/other-1"'),
    does('opens the database', 'test -r "$DATA/manyhands.db"'),
    does('lists the data directory', 'ls "$DATA" | grep -q manyhands.db'),
    does('lists the home folder', 'ls -a "$HOME" | grep -q .ssh'),
    does('reads by a relative path', `grep -qs ${SECRET} ../../../.netrc`),
    does('reads through a link', `ln -sf "$HOME/.netrc" l1 && grep -qs ${SECRET} l1`),
    does('reads through a linked folder', `ln -sfn "$HOME" l2 && grep -qs ${SECRET} l2/.netrc`),
    does('reads through a hard link', `ln -f "$HOME/.netrc" l3 && grep -qs ${SECRET} l3`),
  ]),
  ...covered('processes', [
    does("reads through a process's root", `grep -qs ${SECRET} "/proc/$VICTIM/root$HOME/.netrc"`),
    does("reads through a process's folder", `grep -qs ${SECRET} "/proc/$VICTIM/cwd/.netrc"`),
    does("reads a process's environment", `grep -qs ${SECRET} "/proc/$VICTIM/environ"`),
    does("reads a process's memory", 'head -c 1 "/proc/$VICTIM/mem" >/dev/null || test -r "/proc/$VICTIM/maps"'),
    does(
      "reads through the first process's root",
      `grep -qs ${SECRET} "/proc/1/root$HOME/.netrc" "/proc/self/root$HOME/.netrc"`,
    ),
  ]),
  ...covered('descriptors', [
    does(
      'reads through open descriptors',
      `for d in /proc/self/fd/*; do grep -qs ${SECRET} "$d/.netrc" "$d/../../../.netrc" && exit 0; done; exit 1`,
    ),
  ]),
  ...covered('read', [
    does(
      'reads after mounting the home folder',
      `unshare -rm sh -c 'mkdir -p m && mount --bind "$HOME" m && grep -qs ${SECRET} m/.netrc'`,
    ),
    does(
      'reads after unmounting what hides it',
      `unshare -rm sh -c 'umount -l "$HOME"; umount -l /tmp; grep -qs ${SECRET} "$HOME/.netrc"'`,
    ),
  ]),
  ...covered('machine', [
    does(
      'reads the disk',
      'd=$(ls /dev/vda /dev/sda /dev/nvme0n1 2>/dev/null | head -n 1) && head -c 1 "$d" | grep -q .',
    ),
    does('creates a device', 'mknod dev1 b 254 0 && head -c 1 dev1 >/dev/null'),
  ]),
  ...covered('kernel calls', [
    does('reads the keyring of the user', `perl -e 'exit(syscall(250, 0, -4, 1) < 0)'`),
    does('uses BPF', `perl -e '$! = 0; syscall(321, 99, 0, 0); exit($! == 1)'`),
  ]),
  ...covered('terminals', [
    does(
      'types into a terminal',
      `perl -e 'open(T, "<", "/dev/tty") or exit 1; $x = "x"; exit(!ioctl(T, 0x5412, $x))'`,
    ),
  ]),
  ...covered('read', [does('reads passwords of the system', "grep -qs ':' /etc/shadow")]),
  ...covered('write', [
    writes('a start-up file', '"$HOME/.bashrc"'),
    writes('a new file in the home folder', '"$HOME/new-file"'),
  ]),
  ...covered('checkout', [
    writes('the checkout', '"$REPO/README.md"'),
    writes('a hook of the checkout', '"$REPO/.git/hooks/post-checkout"'),
  ]),
  ...covered('write', [writes('a file of the data directory', '"$DATA/new-file"')]),
  ...covered('mirror settings', [
    writes('a hook of the mirror', '"$MIRROR/hooks/post-update"'),
    writes('the configuration of the mirror', '"$MIRROR/config"'),
  ]),
  ...covered('mirror objects', [
    writes('the objects of the mirror', '"$MIRROR/objects/info/alternates"'),
    writes('its own prompt', '"$MANYHANDS_PROMPT_FILE"'),
    reaches(
      'writes its own prompt through a descriptor',
      '"$MANYHANDS_PROMPT_FILE"',
      'for f in /proc/[0-9]*/fd/*; do case $(readlink "$f") in */prompt.md) echo "$NAME" >>"$f" ;; esac; done',
    ),
    writes('its own exit code', '"$(dirname "$MANYHANDS_PROMPT_FILE")/exit"'),
  ]),
  ...covered('write', [
    writes('another attempt', '"$DATA/attempts/other-1-1/prompt.md"'),
    writes('another workspace', '"$DATA/workspaces/other-1/file"'),
    writes('another project', '"$OTHER/file"'),
    writes('the folder for temporary files', '"$TEMPORARY/escape"'),
    writes('a program on PATH', '"$TOOLS/escape"'),
    reaches('writes through a link', '"$HOME/by-link"', 'ln -sfn "$HOME" w1 && echo "$NAME" >w1/by-link'),
    reaches('writes through a hard link', '"$HOME/.netrc"', 'ln -f "$HOME/.netrc" w2 && echo "$NAME" >>w2'),
    reaches('moves a file out', '"$HOME/by-rename"', 'echo "$NAME" >w3 && mv w3 "$HOME/by-rename"'),
  ]),
  ...covered('processes', [
    reaches("writes through a process's root", '"$HOME/by-root"', 'echo "$NAME" >"/proc/$VICTIM/root$HOME/by-root"'),
  ]),
  ...covered('write', [
    reaches(
      'writes through a mount',
      '"$HOME/by-mount"',
      `unshare -rm sh -c 'mkdir -p m2 && mount --bind "$HOME" m2 && echo "$NAME" >m2/by-mount'`,
    ),
  ]),
  ...covered('mirror objects', [
    reaches(
      'makes a read-only mount writable',
      '"$MIRROR/objects/by-remount"',
      `unshare -rm sh -c 'mount -o remount,bind,rw "$MIRROR/objects"; echo "$NAME" >"$MIRROR/objects/by-remount"'`,
    ),
    reaches(
      'makes a read-only mount writable directly',
      '"$MIRROR/objects/by-direct-remount"',
      'mount -o remount,bind,rw "$MIRROR/objects"; echo "$NAME" >"$MIRROR/objects/by-direct-remount"',
    ),
  ]),
  ...covered('write', [
    reaches(
      'checks out into another folder',
      '"$OTHER/sum.js"',
      'echo "// $NAME" >>sum.js && git -c core.worktree="$OTHER" checkout-index -f sum.js && cp sum.js "$OTHER/sum.js"',
    ),
  ]),
  ...covered('checkout', [
    reaches(
      'commits to the checkout',
      '"$REPO/.git/logs/HEAD"',
      'git -C "$REPO" -c user.name=a -c user.email=a commit -q --allow-empty -m "$NAME"',
    ),
  ]),
  ...covered('cgroup', [
    does(
      'moves to another cgroup',
      'echo $$ >/sys/fs/cgroup/cgroup.procs || echo $$ >/sys/fs/cgroup/unified/cgroup.procs',
    ),
  ]),
  ...covered('processes', [
    does('sees a process of the user', 'test -e "/proc/$VICTIM/stat"'),
    does('signals a process of the user', 'kill -0 "$VICTIM"'),
    does('stops a process of the user', 'kill -STOP "$VICTIM"'),
    does(
      'traces a process of the user',
      'timeout 2 strace -p "$VICTIM" -o /dev/null -e trace=none & sleep 0.2; kill %1',
    ),
    does('signals its shim', 'test "$SHIM" -gt 1 && kill -0 "$SHIM"'),
  ]),
  ...covered('engine', [does('connects to the engine', 'test -S "$DATA/engine.sock"')]),
  ...covered('machine', [does('changes the name of the machine', 'hostname escaped')]),
  ...covered('processes', [does('uses shared memory of others', 'ipcs -m | grep -q 0x')]),
  ...MACHINE_CASES,
  ...WAITING_CASES,
];

/** Processes that must not outlive the attempt; each sleeps for this long, by which it is recognized. */
export const OUTLIVING = covered('outlive', [
  { command: 'sleep 86401 &' },
  { command: 'setsid sleep 86402 &' },
  { command: '(setsid sh -c "sleep 86403 &" &)' },
  { command: 'env -i setsid /bin/sh -c "trap : TERM HUP; /bin/sleep 86404 & wait" >/dev/null 2>&1 </dev/null &' },
  { command: 'nohup sleep 86405 >/dev/null 2>&1 &' },
  // Its first thread ends, so that it is shown as a zombie, which becomes a program again.
  {
    command: `(env -i setsid /usr/bin/python3 -c 'import ctypes, os, platform, threading, time; threading.Thread(target=lambda: (time.sleep(1), os.execv("/bin/sleep", ["sleep", "86406"]))).start(); ctypes.CDLL(None).syscall(60 if platform.machine() == "x86_64" else 93, 0)' >/dev/null 2>&1 </dev/null &)`,
  },
]);
