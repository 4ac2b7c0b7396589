/** The rows of the table of attacks in docs/explanation/safety.md, by a short name: the text of their first cell. */
export const SAFETY_ROWS = {
  read: 'read keys, logins, settings, other projects, other attempts, the data directory, files of the system that are not for every user',
  write:
    'write dotfiles, programs (on PATH, of the system, of Manyhands, its own), what starts with your session, other projects, other workspaces, shared temporary files, the data directory',
  caches: 'poison a package cache or the prepared dependencies for the next attempt',
  'mirror settings': 'write the configuration or hooks of the mirror',
  'mirror objects': 'write the objects of the mirror, its own prompt, or the exit code of its shim',
  leases:
    'let everybody who opens a file wait for its program, by a lease: the objects of the mirror, the exit code of its shim, programs on PATH, where Manyhands runs as root also files of the system',
  checkout: 'change your checkout or its hooks',
  processes: 'see, signal, stop or trace your processes, enter their folders, or share memory with them',
  outlive:
    'leave processes running: in other sessions, without parents, behind a first thread that ended, by systemd or cron',
  'kernel calls':
    "use the kernel's keyrings, BPF, performance events, io_uring, userfaultfd, file handles, modules, accounting, 32-bit calls; use sockets that are in no namespace",
  terminals:
    'find your terminals, type into them, or control the one in which it runs (the server of tmux could start programs outside)',
  limits: 'raise its priority or its limits, or be the last to be killed',
  rights: 'get the rights of root by a program that has them (setuid, capabilities of files)',
  'kernel settings':
    'where Manyhands runs as root: change settings of the kernel (such as the program that it starts after a crash), mount `/proc` again',
  'kernel data': 'read the memory, the log or the keys of the kernel, or write its log',
  machine: 'read disks, create or change devices, also their modes, change the name or the clock of the machine',
  cgroup: 'leave its cgroup, or raise its own limits through a cgroup that it mounts',
  descriptors:
    'use folders and files that the caller of the engine had open, get some from the engine, or make the sandbox itself unusable',
  services:
    'reach services of the system and of your session: Docker, D-Bus, systemd, its resolver, Nix, X11, Wayland, the agents of SSH and GPG',
  memory: 'fill memory through `/`, `/dev`, `/dev/shm` or hidden folders of its sandbox',
  engine: "control runs through the program or the engine's socket",
  'other machines': 'reach other machines: by name, by address, by DNS, through the proxy of another attempt',
  'this machine':
    'reach ports or abstract sockets of this machine, or a metadata service; see its interfaces and connections',
  proxy:
    'deceive or end the proxy: a name that changes its address, ambiguous HTTP messages, tunnels to other ports, its control and its socket',
} as const;

/** Attacks with the row of the safety page that says what prevents them and what is without the sandbox. */
export function covered<Attack>(row: keyof typeof SAFETY_ROWS, attacks: readonly Attack[]) {
  return attacks.map((attack) => ({ ...attack, row }));
}
