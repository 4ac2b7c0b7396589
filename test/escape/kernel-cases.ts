import type { EscapeAttack, EscapeCase } from './cases.ts';
import { covered } from './safety-rows.ts';

const does = (name: string, command: string): EscapeAttack => ({ name, command });
/** A system call that is refused or unknown is no success; another error shows that it is reachable. */
const calls = (name: string, call: string) =>
  does(name, `perl -e '$! = 0; syscall(${call}); exit($! == 1 || $! == 38)'`);

/** Creates namespaces in one process, which keeps its capabilities in them, and mounts a file system; then the rest decides. */
const mounts = (name: string, { flags, kind, options, check }: NamespaceAttack) =>
  does(
    name,
    `perl -e 'syscall(272, ${flags} | 0x10020000) == 0 or exit 1; if (fork) { wait; exit($? != 0) } mkdir "n$$"; ($s, $d, $t, $o) = ("none", "n$$", "${kind}", "${options ?? ''}"); syscall(165, $s, $d, $t, 0, $o) == 0 or exit 1; ${check}'`,
  );
type NamespaceAttack = { flags: string; kind: string; options?: string; check: string };
const WRITABLE = (file: string) => `exit !open(F, ">>", "$d/${file}");`;

/** What the kernel, the system and its services offer to a program, most of all to one of root. */
export const KERNEL_CASES: readonly EscapeCase[] = [
  ...covered('kernel settings', [
    does(
      'names a program for crashes',
      'p=$(cat /proc/sys/kernel/core_pattern) && printf %s "$p" >/proc/sys/kernel/core_pattern',
    ),
    does('changes a setting of the kernel', 'v=$(cat /proc/sys/vm/swappiness) && echo "$v" >/proc/sys/vm/swappiness'),
    does(
      'changes how many namespaces there may be',
      'v=$(cat /proc/sys/user/max_user_namespaces) && echo "$v" >/proc/sys/user/max_user_namespaces',
    ),
    does('uses the keys of an administrator', 'echo h >/proc/sysrq-trigger'),
  ]),
  ...covered('kernel data', [
    does('reads the memory of the kernel', 'head -c 1 /proc/kcore | grep -q .'),
    does('reads the log of the kernel', 'timeout 1 head -c 1 /proc/kmsg | grep -q . || dmesg | grep -q .'),
    // Another user sees the names of their own keys, which a sandbox can hide only where no other one runs in it.
    does('reads the keys of the kernel', 'test "$(id -u)" = 0 && grep -q . /proc/keys'),
  ]),
  ...covered('machine', [does('changes devices of the machine', 'ls /sys/class /sys/block /sys/kernel | grep -q .')]),
  ...covered('kernel settings', [
    mounts('mounts another /proc to change settings', {
      flags: '0x20000000',
      kind: 'proc',
      check: WRITABLE('sys/vm/swappiness'),
    }),
  ]),
  ...covered('machine', [
    mounts('mounts the settings of devices', { flags: '0x40000000', kind: 'sysfs', check: 'exit 0' }),
  ]),
  ...covered('cgroup', [
    mounts('raises its limit of memory', {
      flags: '0x02000000',
      kind: 'cgroup',
      options: 'memory',
      check: WRITABLE('memory.limit_in_bytes'),
    }),
    mounts('raises its limit of memory in the unified hierarchy', {
      flags: '0x02000000',
      kind: 'cgroup2',
      check: WRITABLE('memory.max'),
    }),
    mounts('leaves its cgroup through a mount', {
      flags: '0x02000000',
      kind: 'cgroup',
      options: 'pids',
      check: WRITABLE('cgroup.procs'),
    }),
  ]),
  ...covered('kernel calls', [
    calls('uses io_uring', '425, 1, 0'),
    calls('uses userfaultfd', '323, 0'),
    calls('uses performance events', '298, 0, 0, -1, -1, 0'),
    calls('opens files by their handles', '304, -100, 0, 0'),
    calls('loads a module into the kernel', '313, -1, 0, 0'),
  ]),
  ...covered('processes', [
    does(
      'reads the memory of another process by a call',
      `perl -e '$b = "\\0" x 8; $i = pack("PQ", $b, 8); $j = pack("QQ", 4194304, 8); exit(syscall(310, $ENV{VICTIM} + 0, $i, 1, $j, 1, 0) < 0)'`,
    ),
    does('takes a descriptor of another process', `perl -e '$p = syscall(434, $ENV{VICTIM} + 0, 0); exit($p < 0)'`),
  ]),
  ...covered('rights', [
    does(
      'keeps a program with the rights of root',
      `cp "$(command -v id)" s1 && chmod 4755 s1 && test -u s1 && ! grep -q "NoNewPrivs:.*1" /proc/self/status`,
    ),
    does('gives a file capabilities', 'cp "$(command -v cat)" c1 && setcap cap_dac_override+ep c1'),
  ]),
  ...covered('memory', [
    does('fills the root of its sandbox', 'test "$(stat -f -c %T /)" = tmpfs && touch /escaped'),
    does('fills its devices', 'touch /dev/escaped && rm /dev/escaped'),
    does(
      'stores more in shared memory than in /tmp',
      'test "$(df -k --output=size /dev/shm | tail -n 1)" -gt "$(df -k --output=size /tmp | tail -n 1)"',
    ),
  ]),
  ...covered('services', [
    // Claude Code has a socket of its own in its private /tmp.
    does(
      'finds the socket of a service',
      'find /run /var/run /tmp /var/tmp /dev "$HOME" "$DATA" -type s 2>/dev/null | grep -v -e /run/manyhands -e /tools.sock -e /tmp/cc-socks/ | grep -q .',
    ),
    does('asks the resolver of the system', 'test -S /run/systemd/resolve/io.systemd.Resolve'),
    does(
      'knows the agents and buses of the session',
      'test -n "$SSH_AUTH_SOCK$DBUS_SESSION_BUS_ADDRESS$DISPLAY$WAYLAND_DISPLAY$DOCKER_HOST"',
    ),
  ]),
  ...covered('descriptors', [
    does('has descriptors of the engine', 'ls -l /proc/$PPID/fd | grep -q -e socket: -e anon_inode'),
  ]),
];
