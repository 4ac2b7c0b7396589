import { shellWord } from '../shim.ts';

const SECCOMP_FD = 7;

/** Closes the descriptors below 10 in the shell itself, and finds out whether there are more. */
const CLOSE_FEW = `for f in /proc/self/fd/*; do n=\${f##*/}; case $n in [012]) ;; [3-9]) eval "exec $n>&-" ;; *) [ ! -e "$f" ] || more=1 ;; esac; done`;
/** Closes all except standard ones, then starts its arguments. */
const CLOSE_MANY =
  'opendir D, "/proc/self/fd"; for (readdir D) { next if /\\D/ || $_ < 3 || $_ == fileno D; open F, "<&=$_" and close F } exec @ARGV';

/**
 * The begin of bubblewrap's command: a shell, which becomes bubblewrap, closes what it has inherited, and opens the filter
 * of system calls for it. A folder that the caller of the engine had open would lead out of the sandbox. A shell closes only
 * descriptors below 10; for others it needs perl, and without perl it starts nothing.
 */
export function startBubblewrap(bwrap: string, seccomp: string | undefined): string[] {
  const start = seccomp === undefined ? 'exec "$@"' : `exec "$@" ${SECCOMP_FD}<"$0"`;
  const closeMany = `exec /usr/bin/perl -e ${shellWord(CLOSE_MANY)} /bin/sh -c ${shellWord(start)} "$0" "$@"`;
  const script = `${CLOSE_FEW}; [ -z "$more" ] || ${closeMany}; ${start}`;
  const filter = seccomp === undefined ? [] : ['--seccomp', String(SECCOMP_FD)];
  return ['/bin/sh', '-c', script, seccomp ?? 'sandbox', bwrap, ...filter];
}
