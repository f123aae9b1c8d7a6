import { existsSync, readFileSync } from 'node:fs'

/** Reads the first line of a system file, if it exists. A port for tests. */
export type ReadSystemFile = (path: string) => string | undefined

export const readSystemFile: ReadSystemFile = (path) =>
  existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined

/** Explains why an installed bubblewrap does not work, with a remedy. */
export const explainFailure = (message: string, read: ReadSystemFile = readSystemFile): string => {
  const said = message.trim().split('\n')[0] || 'it gave no reason'
  const known = CAUSES.find(({ applies }) => applies(read))
  return known === undefined ? `bubblewrap fails: ${said}` : `${known.explanation} (${said})`
}

const CAUSES: Array<{ applies: (read: ReadSystemFile) => boolean; explanation: string }> = [
  {
    applies: (read) => read('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') === '1',
    explanation:
      'AppArmor keeps programs without a profile from making namespaces, as Ubuntu does since 23.10. ' +
      "Give bubblewrap one: `printf '%s\\n' 'abi <abi/4.0>,' 'include <tunables/global>' 'profile bwrap " +
      "/usr/bin/bwrap flags=(unconfined) { userns, }' | sudo tee /etc/apparmor.d/bwrap && sudo " +
      'apparmor_parser -r /etc/apparmor.d/bwrap`; or allow it to all programs: `sudo sysctl -w ' +
      'kernel.apparmor_restrict_unprivileged_userns=0`',
  },
  {
    applies: (read) => read('/proc/sys/kernel/unprivileged_userns_clone') === '0',
    explanation:
      'the system lets only root make namespaces: run `sudo sysctl -w kernel.unprivileged_userns_clone=1`',
  },
  {
    applies: (read) => read('/proc/sys/user/max_user_namespaces') === '0',
    explanation:
      'the system allows no user namespaces: run `sudo sysctl -w user.max_user_namespaces=15000`',
  },
  {
    applies: (read) =>
      read('/.dockerenv') !== undefined || read('/run/.containerenv') !== undefined,
    explanation:
      'this is a container that may not make namespaces: start it with `--security-opt seccomp=unconfined ' +
      '--security-opt apparmor=unconfined --security-opt systempaths=unconfined`',
  },
]
