import type { PackageManager } from '../hands.ts'

/** How a manager installs into a folder that can be shown elsewhere afterwards. */
export interface Installer {
  manager: PackageManager
  command: string
  args(packages: readonly string[], target: string): string[]
  /** What programs need to find what lies in the folder. */
  env(folder: string): Record<string, string>
  /** What the installer itself needs to install into it. */
  installEnv?(target: string): Record<string, string>
  /** Why it cannot be done here at all. */
  unavailable?: string
}

/** In alphabetical order, which is the order they run in. */
export const INSTALLERS: readonly Installer[] = [
  {
    manager: 'apt',
    command: 'apt-get',
    args: () => [],
    env: () => ({}),
    unavailable:
      'apt installs for the whole system and needs root, which a sandbox without Docker does not have; install the package on this machine, whose /usr every sandbox sees',
  },
  {
    manager: 'cargo',
    command: 'cargo',
    args: (packages, target) => ['install', '--root', target, '--locked', ...packages],
    env: () => ({}),
  },
  {
    manager: 'gem',
    command: 'gem',
    args: (packages, target) => [
      ...['install', '--no-document', '--install-dir', target, '--bindir', `${target}/bin`],
      ...packages,
    ],
    env: (folder) => ({ GEM_PATH: folder }),
  },
  {
    manager: 'go',
    command: 'go',
    args: (packages) => ['install', ...packages],
    env: () => ({}),
    installEnv: (target) => ({ GOBIN: `${target}/bin` }),
  },
  {
    manager: 'npm',
    command: 'npm',
    args: (packages, target) => [
      ...['install', '--global', '--prefix', target, '--no-audit', '--no-fund', '--logs-max=0'],
      ...packages,
    ],
    env: (folder) => ({ NODE_PATH: `${folder}/lib/node_modules` }),
  },
  {
    manager: 'pip',
    command: 'pip3',
    args: (packages, target) => [
      ...['install', '--no-input', '--disable-pip-version-check', '--target', target],
      ...packages,
    ],
    env: (folder) => ({ PYTHONPATH: folder }),
  },
]
