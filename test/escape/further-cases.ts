import type { EscapeAttack, EscapeCase } from './cases.ts';
import { covered } from './safety-rows.ts';

const SECRET = 'canary-secret';
const does = (name: string, command: string): EscapeAttack => ({ name, command });
const writes = (name: string, target: string): EscapeAttack => ({
  name: `writes ${name}`,
  command: `mkdir -p "$(dirname ${target})"; echo 'writes ${name}' >>${target}`,
  target,
});
/** A call that is refused, unknown, or of a family that does not exist here, is no success. */
const calls = (name: string, call: string) =>
  does(name, `perl -e '$! = 0; $r = syscall(${call}); exit($r < 0 && ($! == 1 || $! == 38 || $! == 97))'`);

/** Attacks that were found in a second round: on caches, other projects, limits, sockets that no namespace contains, and services. */
export const FURTHER_CASES: readonly EscapeCase[] = [
  ...covered('read', [
    does('reads the mirror of another project', `grep -rqs ${SECRET} "$DATA/mirrors/z-other.git"`),
    does('reads the refs of its own mirror', 'cat "$MIRROR/HEAD" "$MIRROR/packed-refs" "$MIRROR/config" | grep -q .'),
    does('reads the dependencies of another project', `grep -rqs ${SECRET} "$DATA/seeds/other"`),
    does(
      'reads the settings of the person, in which keys may be',
      `grep -qs ${SECRET} "$HOME/.config/manyhands/keys.yaml"`,
    ),
    does(
      'reads files of the system that are not for everybody',
      'find /etc -type f ! -perm -004 -readable -size +0 2>/dev/null | grep -q .',
    ),
    does('reads a login beside programs on PATH', `grep -qs ${SECRET} "$HOME/.docker/config.json"`),
    does('reads a project beside programs on PATH', `grep -qs ${SECRET} "$HOME/work/other/.env"`),
    does('reads a login beside tools that are always shown', `grep -rqs ${SECRET} "$HOME/.local/share/uv"`),
    does('reads what the shell of the person recorded', `grep -qs ${SECRET} "$HOME/.bash_history"`),
  ]),
  ...covered('caches', [
    writes('a new file into a package cache', '"$HOME/.npm/_cacache/poisoned"'),
    writes('an entry of a package cache', '"$HOME/.npm/_cacache/entry"'),
    writes('the cache of another package manager', '"$HOME/.cache/pip/entry"'),
  ]),
  ...covered('write', [writes('into the folder of its own program', '"$OTHER/../agent/planted"')]),
  ...covered('caches', [writes('the dependencies that others get', '"$DATA/seeds/other/key/files/file"')]),
  ...covered('write', [
    writes('a service of the user', '"$HOME/.config/systemd/user/planted.service"'),
    writes('a program that starts with the session', '"$HOME/.config/autostart/planted.desktop"'),
    does(
      'writes a program of Manyhands',
      `p=$(grep -o '/[^"]*/dist/[^"]*' "$MANYHANDS_TOOLS" | head -n 1) && test -w "$p"`,
    ),
    does(
      'writes a toolchain on PATH',
      'd=$(dirname "$(readlink -f "$(command -v node)")"); touch "$d/escape" && rm "$d/escape"',
    ),
    does('writes settings or programs of the system', 'test -w /etc -o -w /usr/bin -o -w /usr/lib'),
  ]),
  ...covered('caches', [
    does(
      'writes the layers of an overlay',
      'for d in $(grep -oE "(lowerdir|upperdir|workdir)=[^ ,]*" /proc/self/mountinfo | cut -d= -f2 | tr : " "); do grep -q " $d " /proc/self/mountinfo && continue; touch "$d/escape" && rm "$d/escape" && exit 0; done; exit 1',
    ),
  ]),
  ...covered('memory', [
    does(
      'stores data where secrets are hidden',
      'touch /etc/ssh/escape && rm /etc/ssh/escape || touch /etc/ssl/private/escape && rm /etc/ssl/private/escape',
    ),
  ]),
  ...covered('kernel data', [
    does(
      'reads which pages of memory are used',
      'head -c 8 /proc/kpagecount | grep -q . || head -c 8 /proc/slabinfo | grep -q .',
    ),
  ]),
  ...covered('machine', [
    does('changes what /proc shows of the processor', 'test -f /proc/mtrr && test -w /proc/mtrr'),
    does('switches a processor', 'f=/sys/devices/system/cpu/cpu1/online; v=$(cat $f) && echo "$v" >$f'),
  ]),
  ...covered('kernel data', [does('writes into the log of the kernel', 'echo escape >/dev/kmsg')]),
  ...covered('limits', [
    does('makes itself the last to be killed', 'echo -500 >/proc/self/oom_score_adj'),
    does('raises its priority', 'renice -n -5 -p $$'),
    does('uses real-time scheduling', 'chrt -f 1 true'),
    does('raises its limit of open files', 'ulimit -Hn $(($(ulimit -Hn) + 1))'),
  ]),
  ...covered('processes', [
    does('lists the mapped files of a process', 'ls "/proc/$VICTIM/map_files" | grep -q .'),
    does('enters the namespaces of a process', 'nsenter -t "$VICTIM" -m true'),
  ]),
  ...covered('terminals', [does('finds the terminals of the user', 'ls /dev/pts | grep -q "^[0-9]"')]),
  ...covered('outlive', [
    does('starts a program through systemd', 'systemd-run --user -q true || systemd-run -q true'),
    does('schedules a program', 'test -w /var/spool/cron -o -w /etc/cron.d -o -w /var/spool/at'),
  ]),
  ...covered('kernel calls', [
    calls('opens a socket to the host of the virtual machine', '41, 40, 1, 0'),
    calls('uses the cryptography of the kernel', '41, 38, 5, 0'),
    calls('opens a socket that sees all packets', '41, 17, 3, 0x300'),
    calls('opens a socket for Bluetooth', '41, 31, 5, 0'),
  ]),
  ...covered('machine', [calls('sets the clock of the machine', '227, 0, 0')]),
  ...covered('kernel calls', [
    calls('uses the calls of 32-bit programs', '0x40000000 | 39'),
    calls('accounts for processes', '163, 0'),
  ]),
  ...covered('descriptors', [
    does(
      'passes a descriptor to its worker socket and gets one',
      `s=$(find / -xdev -name tools.sock 2>/dev/null | head -n 1) && python3 -c 'import socket,sys,array; s=socket.socket(socket.AF_UNIX); s.settimeout(2); s.connect(sys.argv[1]); s.sendmsg([b"{}\\n"],[(1,1,array.array("i",[0]*100))]); sys.exit(0 if s.recvmsg(65536, socket.CMSG_SPACE(400))[1] else 1)' "$s"`,
    ),
  ]),
];
