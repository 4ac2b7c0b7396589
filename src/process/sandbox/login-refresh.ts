import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { BRIDGE_NAME } from '../network/bridge.ts';
import { PERL } from '../spawner/spawner-program.ts';

/** A file of a login that its vendor refreshes: where its program sees it, and where a sandbox shows the person's own one. */
export type RefreshedFile = { seen: string; own: string };

/** Where a sandbox shows the person's own files, which it can write and not replace. */
const OWN_FILES = '/run/manyhands/refreshed';

/**
 * Runs a program, and keeps links to files up to date while it runs. A program that writes in place writes through the
 * link. One that writes a new file and moves it over the old one replaces the link: what is new is then written to the
 * file that the link named, and the link is made again. It has the name of the sandbox's other processes, so that a
 * signal to end reaches only the program.
 */
const PERL_REFRESH = String.raw`
my ($name, $count) = splice(@ARGV, 0, 2);
my @files = map { [splice(@ARGV, 0, 2)] } 1 .. $count;
symlink($_->[1], $_->[0]) for @files;
my $pid = fork; defined $pid or die "fork: $!\n";
if (!$pid) { exec { $ARGV[0] } @ARGV; print STDERR "$ARGV[0]: $!\n"; exit 127; }
$0 = $name;
$SIG{$_} = 'IGNORE' for qw(HUP INT QUIT TERM PIPE USR1 USR2 TSTP TTIN TTOU);
sub text { open(my $f, '<', $_[0]) or return; local $/; return scalar <$f>; }
sub keep { my ($seen, $own) = @{$_[0]}; my @is = lstat $seen;
  return unless @is && -f _; my $new = text($seen); return unless defined $new && length $new;
  if ($new ne (text($own) // '')) { open(my $f, '+<', $own) or return; print $f $new; truncate($f, length $new); close $f or return; }
  my @after = lstat $seen; return unless @after && "@after[1,7,9]" eq "@is[1,7,9]";
  symlink($own, "$seen.$$") && rename("$seen.$$", $seen); }
for (;;) { my $ended = waitpid($pid, 1); my $status = $?; keep($_) for @files;
  if ($ended) { my $n = $status & 127; exit($status >> 8) unless $n; $SIG{$_} = 'DEFAULT' for qw(HUP INT QUIT TERM PIPE USR1 USR2); kill $n, $$; exit(128 + $n); }
  select(undef, undef, undef, 0.2); }
`;

/** Whether a vendor may replace such a file here; otherwise it can only write in place. */
export function canReplaceFiles(): boolean {
  return existsSync(PERL);
}

/** The files that are refreshed in these folders, as far as they exist. */
export function refreshedFiles(folders: readonly { path: string; refreshed: readonly string[] }[]): RefreshedFile[] {
  if (!canReplaceFiles()) return [];
  return folders.flatMap(({ path, refreshed }, index) =>
    refreshed
      .map((name) => ({ seen: join(path, name), own: join(OWN_FILES, String(index), basename(name)) }))
      .filter(({ seen }) => existsSync(seen)),
  );
}

/** The mounts of the person's own files. */
export function refreshedMounts(files: readonly RefreshedFile[]): string[] {
  return files.flatMap(({ seen, own }) => ['--bind', seen, own]);
}

/** The command with links to its refreshed files; without any it is unchanged. */
export function withRefreshedFiles(command: readonly string[], files: readonly RefreshedFile[]): readonly string[] {
  if (files.length === 0) return command;
  const words = files.flatMap(({ seen, own }) => [seen, own]);
  return [PERL, '-e', PERL_REFRESH, BRIDGE_NAME, String(files.length), ...words, ...command];
}
