import type { PackageManager } from '../hands.ts'

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
