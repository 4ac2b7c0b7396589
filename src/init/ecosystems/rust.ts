import { type Ecosystem, type FoundCheck, present } from '../ecosystem.ts';

/** Whatever has a Cargo.toml. */
export const rust: Ecosystem = {
  name: 'Rust',
  async detect(files) {
    if (!files.has('Cargo.toml')) return undefined;
    const all = /^\[workspace\b/m.test((await files.read('Cargo.toml')) ?? '') ? ' --workspace' : '';
    const checks: FoundCheck[] = [{ name: 'test', run: `cargo test${all}` }];
    if (present(files, ['clippy.toml', '.clippy.toml']).length > 0)
      checks.push({ name: 'lint', run: `cargo clippy${all} --all-targets` });
    else if (present(files, ['rustfmt.toml', '.rustfmt.toml']).length > 0)
      checks.push({ name: 'lint', run: 'cargo fmt --check' });
    checks.push({ name: 'build', run: `cargo build${all}` });
    return {
      framework: 'Rust',
      packageManager: 'cargo',
      checks,
      setup: [files.hasLockfile('Cargo.lock') ? 'cargo fetch --locked' : 'cargo fetch'],
      dependencyDirs: [],
      keyFiles: present(files, ['Cargo.toml', 'src', 'crates', 'tests']),
      notes: [],
    };
  },
};
