import type { EscapeAttack, EscapeCase } from './cases.ts';
import { covered } from './safety-rows.ts';

/** Whoever opens such a file waits until its program gives the lease up, at most 45 seconds each time. */
const holds = (name: string, file: string): EscapeAttack => ({
  name: `holds ${name}`,
  command: `perl -e '$SIG{IO} = "IGNORE"; open(F, "<", shift) or exit 1; exit !fcntl(F, 1024, 1)' "${file}"`,
});

/** Attacks that do not read or change anything, but let other programs wait. */
export const WAITING_CASES: readonly EscapeCase[] = covered('leases', [
  holds('an object of the mirror', '$(find "$MIRROR/objects" -type f | head -n 1)'),
  holds('the exit code of its shim', '$(dirname "$MANYHANDS_PROMPT_FILE")/exit'),
  holds('a program on PATH', '$(readlink -f "$(command -v node)")'),
  holds('a file of the system', '/etc/hostname'),
]);
