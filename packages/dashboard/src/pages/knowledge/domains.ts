import type { KnowledgeDomain } from '@steward/contract'

export type { KnowledgeDomain }

/**
 * Listed here instead of imported, because the contract's value would load its schemas into the
 * page.
 */
export const KNOWLEDGE_DOMAINS = [
  'People',
  'Companies',
  'Ideas',
  'Research',
] as const satisfies readonly KnowledgeDomain[]
