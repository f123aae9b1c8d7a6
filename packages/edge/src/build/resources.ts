import type { Settings } from '@steward/contract'

/** Ids that only the account knows, by binding name. */
export interface EdgeResources {
  kv: Readonly<Record<string, string>>
  d1: Readonly<Record<string, string>>
  /** Which workers keep a record of their runs; flows always do. */
  history?: 'flows' | 'pipelines' | 'all'
  /** Whether paired phones answer through a worker. */
  relay?: boolean
}

/** From `edge` of the settings. */
export const resourcesOf = ({ resources, history, relay }: Settings['edge']): EdgeResources => ({
  ...resources,
  history,
  relay,
})

export const NO_RESOURCES: EdgeResources = { kv: {}, d1: {} }

/** The names of our databases in the account. */
const DATABASES = {
  FLOW_DB: 'steward-flows',
  FEEDS_DB: 'steward-feeds',
  ITEMS_DB: 'steward-items',
} as const

/** The bindings to databases in a `wrangler.jsonc`. */
export const databaseBindings = (
  { d1 }: EdgeResources,
  bindings: readonly (keyof typeof DATABASES)[],
): { d1_databases?: { binding: string; database_name: string; database_id: string }[] } =>
  bindings.length === 0
    ? {}
    : {
        d1_databases: bindings.map((binding) => ({
          binding,
          database_name: DATABASES[binding],
          database_id: d1[binding] ?? placeholderId(binding),
        })),
      }

const PLACEHOLDER = 'not-created-yet-'

/** Used in wrangler.jsonc for an unknown id: enough for the local edge, refused by deploy. */
export const placeholderId = (binding: string): string =>
  `${PLACEHOLDER}${binding.toLowerCase().replaceAll('_', '-')}`

export const isPlaceholderId = (id: string): boolean => id.startsWith(PLACEHOLDER)
