import { z } from 'zod'

const workspace = z.object({
  version: z.string(),
  description: z.string(),
  license: z.string(),
  engines: z.record(z.string(), z.string()),
  optionalDependencies: z.record(z.string(), z.string()),
})

/**
 * The packed package's own `package.json`: everything is bundled, so its only dependency is Node.
 */
export const packageJsonOf = (root: unknown) => {
  const { version, description, license, engines, optionalDependencies } = workspace.parse(root)
  return {
    name: 'steward',
    version,
    description,
    license,
    type: 'module',
    bin: { steward: 'bin/steward.mjs' },
    files: [
      'bin',
      'hook',
      'dist',
      'dashboard',
      'docs',
      'edge',
      'library',
      'plugin',
      'schemas',
      'types',
      'THIRD_PARTY_LICENSES.txt',
      'sbom.cdx.json',
    ],
    engines,
    optionalDependencies,
  }
}
