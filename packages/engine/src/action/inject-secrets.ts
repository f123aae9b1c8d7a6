import {
  type ActionContextV2,
  type ActionManifestV2,
  requiredSecretsOf,
  StewardError,
  secretNamesOf,
} from '@steward/contract'

/**
 * Gives an action only the secrets it declares. A missing required secret is an error before the
 * action runs: sent as `Bearer undefined` it would look like a fault of the service.
 */
export const injectSecrets = (
  manifest: Pick<ActionManifestV2, 'name' | 'secrets'>,
  lookUp: (name: string) => string | undefined,
): { names: readonly string[]; secret: ActionContextV2['secret'] } => {
  if (manifest.secrets.length === 0) return NO_SECRETS
  const missing = requiredSecretsOf(manifest).filter((name) => !lookUp(name))
  if (missing.length > 0) {
    throw new StewardError('secret_missing', {
      action: manifest.name,
      secret: missing.join(', '),
      command: missing.map((name) => `steward secrets set ${name} --all`).join('; '),
    })
  }
  const names = secretNamesOf(manifest)
  return { names, secret: (name) => (names.includes(name) ? lookUp(name) : undefined) }
}

const NO_SECRETS = { names: [], secret: () => undefined }
