import type { EscapeAttack, EscapeCase } from './cases.ts';
import { covered } from './safety-rows.ts';

const SECRET = 'canary-secret';
const does = (name: string, command: string): EscapeAttack => ({ name, command });
const reads = (name: string, path: string) => does(`reads ${name}`, `grep -rqs ${SECRET} ${path}`);
const writes = (name: string, target: string): EscapeAttack => ({
  name: `writes ${name}`,
  command: `mkdir -p "$(dirname ${target})"; echo 'writes ${name}' >>${target}`,
  target,
});
/** Sets the mode that a file has already: who may do that may also take it away from everybody. */
const setsMode = (name: string, ...files: string[]) =>
  does(name, files.map((file) => `chmod "$(stat -L -c %a ${file})" ${file}`).join(' || '));
/** A call of the system that worked; the rest of the script decides for itself. */
const perl = (name: string, script: string) => does(name, `perl -e '${script}'`);
/** A call that is refused or unknown is no success; another error shows that it is reachable. */
const reachesCall = (name: string, call: string) =>
  perl(name, `$! = 0; $r = syscall(${call}); exit($r < 0 && ($! == 1 || $! == 38))`);
const OF_VICTIM = '$v = $ENV{VICTIM} + 0;';

/** Attacks of a third round: on the machine's own files that a sandbox has open, on its first process, its services and its user. */
export const MACHINE_CASES: readonly EscapeCase[] = [
  ...covered('machine', [
    setsMode('changes a device for everybody', '/dev/null', '/dev/zero', '/dev/urandom', '/dev/tty'),
    setsMode('changes a device through its input', '/proc/self/fd/0', '/proc/1/fd/0'),
    // Without a sandbox too, every user may do that.
    does('changes the times of a device', 'test "$(id -u)" = 0 && touch -c /dev/null'),
    does('changes the access list of a device', 'setfacl -b /dev/null'),
    does(
      'opens devices for virtual machines, networks and file systems',
      'for d in kvm fuse net/tun vsock vhost-vsock mem port loop-control mapper/control userfaultfd; do : 3<"/dev/$d" && exit 0; done',
    ),
    perl(
      'changes a device through a descriptor of the first process',
      '$p = syscall(434, 1, 0); $p >= 0 or exit 1; $f = syscall(438, $p, 0, 0); $f >= 0 or exit 1; open(F, "<&=", $f); $m = (stat F)[2]; defined $m && -c F or exit 1; exit !chmod($m & 07777, *F)',
    ),
  ]),
  ...covered('descriptors', [
    setsMode('changes the program of its sandbox', '/proc/1/exe'),
    does('replaces the program of its sandbox', ': 3>>"$(readlink /proc/1/exe)"'),
  ]),
  ...covered('processes', [
    perl('traces a process of the user by a call', `${OF_VICTIM} exit(syscall(101, 0x4206, $v, 0, 0) != 0)`),
    perl(
      'signals a process by its descriptor',
      `${OF_VICTIM} $p = syscall(434, $v, 0); exit($p < 0 || syscall(424, $p, 0, 0, 0) != 0)`,
    ),
    perl('reads the limits of a process', `${OF_VICTIM} $b = "\\0" x 16; exit(syscall(302, $v, 7, 0, $b) != 0)`),
    perl('moves a process to a processor', `${OF_VICTIM} $m = pack("Q", 1); exit(syscall(203, $v, 8, $m) != 0)`),
    perl('compares its files with those of a process', `${OF_VICTIM} exit(syscall(312, $v, $$, 0, 0, 0) < 0)`),
    perl('advises the memory of a process', `${OF_VICTIM} $p = syscall(434, $v, 0); exit($p < 0)`),
    does('lists the threads and descriptors of a process', 'ls "/proc/$VICTIM/task" "/proc/$VICTIM/fd"'),
    does('finds a secret in the environment of any process', `grep -qs ${SECRET} /proc/[0-9]*/environ`),
    does('changes which process is killed for memory', 'echo 900 >"/proc/$VICTIM/oom_score_adj"'),
    does('enters the user of a process', 'nsenter -t "$VICTIM" -U true'),
  ]),
  ...covered('kernel calls', [
    reachesCall('adds a key to the keyring', '248, 0, 0, 0, 0, -4'),
    reachesCall('requests a key', '249, 0, 0, 0, 0'),
    reachesCall('asks for the rights of devices', '173, 0, 0, 0'),
    reachesCall('restarts the machine', '169, 0, 0, 0, 0'),
    reachesCall('loads another kernel', '320, -1, -1, 0, 0, 0xffff'),
    reachesCall('reads quotas', '179, -1, 0, 0, 0'),
    reachesCall('uses io_uring by its other calls', '426, -1, 0, 0, 0, 0, 0'),
    reachesCall('swaps to a file', '168, 0'),
  ]),
  ...covered('mirror objects', [
    does(
      'makes a mount writable by another call',
      `perl -e '$d = "$ENV{MIRROR}/objects"; $a = pack("Q4", 0, 1, 0, 0); exit(syscall(442, -100, $d, 0, $a, 32) != 0)' && touch "$MIRROR/objects/by-attributes"`,
    ),
    does('links an object of the mirror', 'f=$(find "$MIRROR/objects" -type f | head -n 1) && ln "$f" linked-object'),
    does(
      'changes the mode of an object of the mirror',
      'f=$(find "$MIRROR/objects" -type f | head -n 1) && chmod u-x "$f"',
    ),
    writes('a file into the folder of its attempt', '"$(dirname "$MANYHANDS_PROMPT_FILE")/planted"'),
  ]),
  ...covered('read', [
    does('reads after unmounting directly what hides it', `umount -l "$HOME"; grep -qs ${SECRET} "$HOME/.netrc"`),
    perl(
      'reads by a copy of all mounts',
      '$p = "/"; $f = syscall(428, -100, $p, 0x8001); $f >= 0 or exit 1; $n = ".$ENV{HOME}/.netrc"; $o = syscall(257, $f, $n, 0); exit($o < 0)',
    ),
    does(
      'reads by another root folder',
      `mkdir -p r1 && chroot r1 /bin/true || chroot / grep -qs ${SECRET} "$HOME/.netrc"`,
    ),
    does(
      'reads by the folder above its own',
      `grep -qs ${SECRET} /proc/self/cwd/../../../../.netrc /proc/self/root/../"$HOME/.netrc"`,
    ),
    reads('the login of a cluster', '"$HOME/.kube"'),
    reads('passwords of databases', '"$HOME/.pgpass"'),
    reads('the cookie of the display', '"$HOME/.Xauthority"'),
    reads('a password store', '"$HOME/.password-store"'),
    reads('what another attempt was told about its tools', '"$DATA/attempts/other-1-1/tools.json"'),
    does('reads the backups of the data directory', 'ls "$DATA/backups" | grep -q .'),
  ]),
  ...covered('write', [
    writes('the git configuration of the user', '"$HOME/.gitconfig"'),
    writes('hooks for all repositories of the user', '"$HOME/.config/git/hooks/post-checkout"'),
    writes('a program before others on PATH', '"$HOME/.local/bin/git"'),
    writes('the settings of Manyhands', '"$HOME/.config/manyhands/config.yaml"'),
    writes('what other sessions of Claude Code are told', '"$HOME/.claude/CLAUDE.md"'),
    writes('what other sessions of Codex are told', '"$HOME/.codex/AGENTS.md"'),
    writes('keys that open the account of the user', '"$HOME/.ssh/authorized_keys"'),
    does(
      'writes a library that is loaded into every program',
      'test -w /etc/ld.so.preload || touch /etc/ld.so.preload-escape && rm /etc/ld.so.preload-escape',
    ),
  ]),
  ...covered('limits', [
    does('uses the disk before all others', 'ionice -c 1 -n 0 true'),
    does('locks more memory than it may', 'ulimit -Hl 99999999'),
  ]),
  ...covered('kernel data', [
    does('reads addresses of the kernel', `awk '$1 !~ /^0+$/' /proc/kallsyms | grep -q .`),
    does('reads what other programs cost', 'test -r /proc/sched_debug && grep -q sleep /proc/sched_debug'),
  ]),
  ...covered('cgroup', [
    does(
      'finds a cgroup that it can change',
      'find / -xdev -name cgroup.procs -writable 2>/dev/null | grep -q . || find /sys -name cgroup.procs -writable 2>/dev/null | grep -q .',
    ),
    does('mounts the cgroups without a user of its own', 'mkdir -p cg && mount -t cgroup2 none cg && umount -l cg'),
  ]),
  ...covered('services', [
    does(
      'connects to any service by its socket',
      `for s in $(awk '$8 ~ /^\\// { print $8 }' /proc/net/unix | sort -u) $(find /usr /opt /etc /nix /snap /var -type s 2>/dev/null); do case $s in */tools.sock|*/proxy.sock|*/port.sock) continue ;; esac; perl -e 'socket(S, 1, 1, 0); exit !connect(S, pack("S a108", 1, shift))' "$s" && exit 0; done; exit 1`,
    ),
    does('asks the builder of packages', 'test -S /nix/var/nix/daemon-socket/socket'),
  ]),
  ...covered('terminals', [
    perl(
      'controls the console',
      'open(T, "<", "/dev/tty") || open(T, "<", "/dev/console") or exit 1; $x = chr(6); exit !ioctl(T, 0x541c, $x)',
    ),
  ]),
];
