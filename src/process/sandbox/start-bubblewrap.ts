import { existsSync } from 'node:fs';
import { PERL } from '../spawner/spawner-program.ts';
import { afterMounts, type MountStep } from './own-mounts.ts';

const SECCOMP_FD = 7;

/** The numbers of the system calls that make a mount namespace and mount in it, for which perl needs modules. */
const SYSTEM_CALLS: Partial<Record<NodeJS.Architecture, { unshare: number; mount: number; umount: number }>> = {
  x64: { unshare: 272, mount: 165, umount: 166 },
  arm64: { unshare: 97, mount: 40, umount: 39 },
};

/**
 * Closes what the engine has inherited, because a folder that its caller had open would lead out of the sandbox; mounts in
 * a namespace of its own; opens the filter of system calls; and becomes bubblewrap. Root mounts at once. Another user needs
 * a user namespace, whose capabilities end with the exec. The flags that a mount has are kept where it becomes read-only.
 */
const PERL_START = String.raw`
my ($seccomp, $isRoot, $unshare, $mount, $umount, $count) = splice @ARGV, 0, 6;
sub fail { print STDERR "sandbox: @_: $!\n"; exit 125 }
if (opendir D, '/proc/self/fd') { for (readdir D) { next if /\D/ || $_ < 3 || $_ == fileno D; open F, "<&=$_" and close F } closedir D }
else { fail('descriptors') }
sub mnt { my ($from, $to, $type, $flags, $options) = @_; syscall($mount + 0, $from, $to, $type, $flags + 0, $options) == 0 or fail("mount $to") }
sub put { my ($path, $text) = @_; open(F, '>', $path) && syswrite(F, $text) && close F or fail($path) }
sub folder { my $path = ''; for (split m{/}, substr($_[0], 1)) { $path .= "/$_"; mkdir $path } -d $_[0] or fail("mkdir $_[0]") }
my %flag = (nosuid => 2, nodev => 4, noexec => 8, noatime => 1024, nodiratime => 2048, relatime => 1 << 21);
sub readonly { my $path = shift; mnt($path, $path, 'none', 0x5000, ''); my $flags = 0x1021;
  open(my $f, '<', '/proc/self/mountinfo') or fail('mountinfo');
  while (<$f>) { my @w = split / /; $w[4] =~ s/\\([0-7]{3})/chr oct $1/ge; next if $w[4] ne $path;
    $flags = 0x1021; $flags |= $flag{$_} // 0 for split /,/, $w[5] }
  mnt('none', $path, 'none', $flags, '') }
if ($count) {
  my ($uid, $gid) = ($<, $( + 0);
  syscall($unshare + 0, $isRoot ? 0x20000 : 0x10020000) == 0 or fail('unshare');
  if (!$isRoot) { put('/proc/self/setgroups', 'deny'); put('/proc/self/uid_map', "$uid $uid 1"); put('/proc/self/gid_map', "$gid $gid 1") }
  mnt('none', '/', 'none', 0x44000, '');
  for (1 .. $count) { my ($kind, $to, $options, $folders) = splice @ARGV, 0, 4;
    folder($_) for splice @ARGV, 0, $folders;
    if ($kind eq 'read-only') { readonly($to) }
    elsif ($kind eq 'absent') { syscall($umount + 0, $to, 2) == 0 or fail("umount $to") }
    elsif ($kind eq 'no-file') { mnt('/dev/null', $to, 'none', 0x1000, '') }
    elsif ($kind eq 'no-folder') { mnt('tmpfs', $to, 'tmpfs', 15, 'mode=755') }
    else { mnt($kind, $to, $kind, 0, $options) } }
  # Input from a device is opened again, where that is read-only; a terminal stays.
  open(STDIN, '<', '/dev/null') or fail('input') if $isRoot && -c STDIN && !-t STDIN;
}
my @filter;
if ($seccomp ne '') { $^F = 255; open(FILTER, '<', $seccomp) or fail($seccomp); @filter = ('--seccomp', fileno FILTER) }
my $program = shift @ARGV;
exec { $program } $program, @filter, @ARGV or fail($program);
`;

/** Closes the descriptors below 10 in the shell itself, and finds out whether there are more. */
const CLOSE_FEW = `for f in /proc/self/fd/*; do n=\${f##*/}; case $n in [012]) ;; [3-9]) eval "exec $n>&-" ;; *) [ ! -e "$f" ] || more=1 ;; esac; done`;

/** The command of bubblewrap after these mounts: one process of perl, or where that cannot be, shells and the system's programs. */
export function startBubblewrap(
  bwrap: string,
  seccomp: string | undefined,
  steps: readonly MountStep[],
  { isPerl = existsSync(PERL) } = {},
): string[] {
  const calls = isPerl ? SYSTEM_CALLS[process.arch] : undefined;
  if (calls === undefined) return afterMounts(byShell(bwrap, seccomp), steps);
  const user = process.getuid?.() === 0 ? '1' : '';
  const numbers = [calls.unshare, calls.mount, calls.umount, steps.length].map(String);
  return [PERL, '-e', PERL_START, seccomp ?? '', user, ...numbers, ...steps.flatMap(wordsOf), bwrap];
}

/** The kind of a step, where it mounts, its options, and the folders that it needs, with their number. */
function wordsOf(step: MountStep): string[] {
  if (!('options' in step)) return [step.kind, step.path, '', '0'];
  return [step.kind, step.path, step.options, String(step.folders.length), ...step.folders];
}

/** A shell closes only descriptors below 10; where there are others it starts nothing. */
function byShell(bwrap: string, seccomp: string | undefined): string[] {
  const start = seccomp === undefined ? 'exec "$@"' : `exec "$@" ${SECCOMP_FD}<"$0"`;
  const refuse = `{ echo 'sandbox: a descriptor above 9 is open, which only perl can close' >&2; exit 125; }`;
  const filter = seccomp === undefined ? [] : ['--seccomp', String(SECCOMP_FD)];
  const script = `${CLOSE_FEW}; [ -z "$more" ] || ${refuse}; ${start}`;
  return ['/bin/sh', '-c', script, seccomp ?? 'sandbox', bwrap, ...filter];
}
