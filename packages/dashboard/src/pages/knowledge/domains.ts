import type { KnowledgeDomain } from '@steward/contract'

export type { KnowledgeDomain }

/** Named here and not imported: the contract's value would bring its schemas into the page. */
export const KNOWLEDGE_DOMAINS = [
  'People',
  'Companies',
  'Ideas',
  'Research',
] as const satisfies readonly KnowledgeDomain[]
