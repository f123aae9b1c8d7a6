import type { Networking, PackageManager } from '../hands.ts'
import { parseTarget, type Target } from './target.ts'

/** The registries of each package manager; `allow_package_managers` allows these. */
export const PACKAGE_REGISTRIES: Readonly<Record<PackageManager, readonly string[]>> = {
  apt: [
    'deb.debian.org',
    'security.debian.org',
    'archive.ubuntu.com',
    'security.ubuntu.com',
    'ports.ubuntu.com',
  ],
  cargo: ['crates.io', 'index.crates.io', 'static.crates.io'],
  gem: ['rubygems.org', 'index.rubygems.org'],
  go: ['proxy.golang.org', 'sum.golang.org'],
  npm: ['registry.npmjs.org', 'registry.yarnpkg.com'],
  pip: ['pypi.org', 'files.pythonhosted.org'],
}

/** Registries that the operator configured instead of the public ones. */
export type OwnRegistries = Readonly<Partial<Record<PackageManager, string | undefined>>>

/** Their hosts and ports, which may be private because the operator configured them. */
export const targetsOf = (registries: OwnRegistries): Target[] =>
  Object.values(registries).flatMap((address) => {
    if (address === undefined) return []
    const { host, protocol } = new URL(address)
    return parseTarget(host, protocol === 'https:' ? 443 : 80) ?? []
  })

/** Whether package registries may be reached. */
export const allowsPackages = (networking: Networking): boolean =>
  networking.type === 'unrestricted' || networking.allowPackageManagers
