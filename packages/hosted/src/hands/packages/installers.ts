import type { PackageManager } from '../hands.ts'

/** How a manager installs into a folder that other sandboxes share. */
export interface Installer {
  manager: PackageManager
  command: string
  /** How the operator installs the missing program. */
  remedy: string
  /** Includes flags for the registry where no variable exists. */
  args(packages: readonly string[], folder: string, registry: URL | undefined): string[]
  /** The variables with which programs find the installed packages. */
  env(folder: string): Record<string, string>
  /** Additional variables for the installer itself. */
  installEnv?(folder: string): Record<string, string>
  /** Selects another registry, for the installer and for installations in a session. */
  registryEnv?(registry: URL): Record<string, string>
  /** The program that runs the packages; a build for one version may not work with the next. */
  runtime?: string
  /** Its results run without it, so it may be where sessions do not see it. */
  isCompiler?: boolean
  /** Why it cannot work here at all. */
  unavailable?: string
}

/** In alphabetical order, in which they run. */
export const INSTALLERS: readonly Installer[] = [
  {
    manager: 'apt',
    command: 'apt-get',
    remedy: '',
    args: () => [],
    env: () => ({}),
    unavailable:
      'apt installs for the whole system and needs root, which no sandbox has; install the package on this machine, whose /usr every sandbox sees',
  },
  {
    manager: 'cargo',
    command: 'cargo',
    remedy: 'install Rust (rustup, or the package cargo of your system) and a C compiler',
    args: (packages, folder, registry) => [
      'install',
      ...(registry === undefined ? [] : replaceCrates(registry)),
      ...['--root', folder, '--locked', ...packages],
    ],
    env: () => ({}),
    isCompiler: true,
  },
  {
    manager: 'gem',
    command: 'gem',
    remedy: 'install Ruby (the package ruby of your system)',
    args: (packages, folder, registry) => [
      ...['install', '--no-document', '--install-dir', folder, '--bindir', `${folder}/bin`],
      ...(registry === undefined ? [] : ['--clear-sources', '--source', registry.href]),
      ...packages,
    ],
    env: (folder) => ({ GEM_PATH: folder }),
    runtime: 'ruby',
  },
  {
    manager: 'go',
    command: 'go',
    remedy: 'install Go (the package golang-go of your system, or go.dev/dl into /usr/local/go)',
    // Outside a module, Go needs an explicit version.
    args: (packages) => [
      'install',
      ...packages.map((name) => (name.includes('@') ? name : `${name}@latest`)),
    ],
    env: () => ({}),
    installEnv: (folder) => ({ GOBIN: `${folder}/bin` }),
    // The checksum database does not know private modules and may be unreachable.
    registryEnv: (registry) => ({ GOPROXY: registry.href, GOSUMDB: 'off' }),
    isCompiler: true,
  },
  {
    manager: 'npm',
    command: 'npm',
    remedy: 'install Node.js with npm (the packages nodejs and npm of your system)',
    args: (packages, folder) => [
      ...['install', '--global', '--prefix', folder, '--no-audit', '--no-fund', '--logs-max=0'],
      ...['--no-update-notifier', ...packages],
    ],
    env: (folder) => ({ NODE_PATH: `${folder}/lib/node_modules` }),
    registryEnv: (registry) => ({ NPM_CONFIG_REGISTRY: registry.href }),
    runtime: 'node',
  },
  {
    manager: 'pip',
    command: 'pip3',
    remedy: 'install pip for Python 3 (the package python3-pip of your system)',
    args: (packages, folder) => [
      // Errors only, because warnings would crowd them out.
      ...['install', '--quiet', '--quiet', '--no-input', '--disable-pip-version-check'],
      ...['--no-cache-dir', '--target', folder, ...packages],
    ],
    env: (folder) => ({ PYTHONPATH: folder }),
    registryEnv: (registry) => ({
      PIP_INDEX_URL: registry.href,
      ...(registry.protocol === 'http:' ? { PIP_TRUSTED_HOST: registry.host } : {}),
    }),
    runtime: 'python3',
  },
]

/** Cargo's registries can only be replaced by configuration. */
const replaceCrates = (registry: URL): string[] =>
  [
    'source.crates-io.replace-with="steward"',
    `source.steward.registry=${JSON.stringify(`sparse+${registry.href}`)}`,
  ].flatMap((setting) => ['--config', setting])
