import { type ActionManifestV2, actionManifestV2 } from '@steward/contract'

const { packages } = actionManifestV2.shape

/** `packages` of a manifest: Debian packages to install in the action's container. */
export const debianPackages = (manifest: ActionManifestV2): string[] =>
  (packages.parse(manifest.packages) ?? []).toSorted()

/** What is wrong with a manifest's packages; they become part of a command in the Dockerfile. */
export const mistakenPackages = (manifest: ActionManifestV2): string | undefined => {
  const parsed = packages.safeParse(manifest.packages)
  if (parsed.success) return undefined
  return `packages: ${parsed.error.issues.map(({ message }) => message).join('; ')}`
}
