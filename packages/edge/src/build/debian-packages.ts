import type { ActionManifestV2 } from '@steward/contract'
import { z } from 'zod'

/** `packages` of a manifest: Debian packages to install in the action's container. */
const packages = z
  .array(z.string().regex(/^[a-z0-9][a-z0-9+.-]+$/, 'must be the name of a Debian package'))
  .default([])

export const debianPackages = (manifest: ActionManifestV2): string[] =>
  packages.parse(manifest.packages).toSorted()

/** What is wrong with a manifest's packages; they become part of a command in the Dockerfile. */
export const mistakenPackages = (manifest: ActionManifestV2): string | undefined => {
  const parsed = packages.safeParse(manifest.packages)
  if (parsed.success) return undefined
  return `packages: ${parsed.error.issues.map(({ message }) => message).join('; ')}`
}
