/** Ids that only the account knows, by binding name. */
export interface EdgeResources {
  kv: Readonly<Record<string, string>>
  d1: Readonly<Record<string, string>>
}

export const NO_RESOURCES: EdgeResources = { kv: {}, d1: {} }

const PLACEHOLDER = 'not-created-yet-'

/** Used in wrangler.jsonc for an unknown id: enough for the local edge, refused by deploy. */
export const placeholderId = (binding: string): string =>
  `${PLACEHOLDER}${binding.toLowerCase().replaceAll('_', '-')}`

export const isPlaceholderId = (id: string): boolean => id.startsWith(PLACEHOLDER)
