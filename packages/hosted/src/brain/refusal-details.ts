import { REFUSAL_CATEGORIES, type StopDetails } from '@steward/contract'

/** Why a model refused, for clients; categories unknown to them are left out. */
export const refusalDetails = (
  refusal: { category: string | null; explanation: string | null } | null,
): StopDetails => ({
  type: 'refusal',
  category: REFUSAL_CATEGORIES.find((known) => known === refusal?.category) ?? null,
  explanation: refusal?.explanation ?? null,
})
