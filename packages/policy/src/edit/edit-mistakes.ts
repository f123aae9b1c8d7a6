import { StewardError } from '@steward/contract'

/** Why a change cannot be made, and which of its fields says so. */
export const mistake = (field: string, reason: string): StewardError =>
  new StewardError('invalid_input', { subject: 'the change', field, reason })

export const unknownRule = (name: string): StewardError =>
  new StewardError('not_found', { what: 'rule', name })
