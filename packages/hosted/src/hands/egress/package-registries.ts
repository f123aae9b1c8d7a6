import type { Networking, PackageManager } from '../hands.ts'
import { parseTarget, type Target } from './target.ts'

/** Where each manager fetches packages from; `allow_package_managers` lets these through. */
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

/** Registries that whoever runs the server named, in place of the public ones. */
export type OwnRegistries = Readonly<Partial<Record<PackageManager, string | undefined>>>

/** Their hosts and ports, which may be private: they were named for that. */
export const targetsOf = (registries: OwnRegistries): Target[] =>
  Object.values(registries).flatMap((address) => {
    if (address === undefined) return []
    const { host, protocol } = new URL(address)
    return parseTarget(host, protocol === 'https:' ? 443 : 80) ?? []
  })

/** Whether anything may be asked of registries. */
export const allowsPackages = (networking: Networking): boolean =>
  networking.type === 'unrestricted' || networking.allowPackageManagers
